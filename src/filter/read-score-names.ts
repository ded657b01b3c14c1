import { GatewayError } from "../errors.ts";

/** Maximum scores that one query measures. */
const SCORES_MAX = 16;

/** Names of scores, without duplicates. @throws GatewayError `invalid_body` if there are too many, or one is empty. */
export function readScoreNames(names: readonly string[]): readonly string[] {
  const path = "scores";
  if (names.length > SCORES_MAX) {
    throw new GatewayError("invalid_body", `scores: give at most ${SCORES_MAX} names`, { path });
  }
  const empty = names.indexOf("");
  if (empty !== -1) throw new GatewayError("invalid_body", "a name is empty", { path: `${path}.${empty}` });
  return [...new Set(names)];
}

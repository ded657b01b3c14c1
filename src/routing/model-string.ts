import { GatewayError } from "../errors.ts";

/** One name of a model string, as the client wrote it. */
export interface ModelName {
  /** Without `:floor` and `:nitro`. */
  readonly name: string;
  /** The order that the name's suffix requests: `:floor` by price, `:nitro` by speed. */
  readonly order: "cheapest" | "fastest" | undefined;
}

export interface ModelString {
  /** In the client's order: each is the fallback of the previous one. */
  readonly names: readonly ModelName[];
  /** Provider names after `!`, as written: they are excluded for all names. */
  readonly excluded: readonly string[];
}

/** Names in one model string. */
const NAMES_MAX = 50;

/**
 * @param more - the members `models` and `fallbacks` of the body, appended to the list.
 * @throws GatewayError `invalid_body` if there are too many.
 */
export function readModelString(text: string, more: readonly string[] = []): ModelString {
  const names: ModelName[] = [];
  const excluded: string[] = [];
  for (const part of [text, ...more].flatMap((each) => each.split(","))) {
    const name = part.trim();
    if (name === "") continue;
    if (name.startsWith("!")) excluded.push(name.slice(1).trim());
    else names.push(readName(name));
  }
  if (names.length > NAMES_MAX || excluded.length > NAMES_MAX)
    throw new GatewayError("invalid_body", `model: name at most ${NAMES_MAX} models`, { path: "model" });
  return { names, excluded };
}

const ORDERS = { ":floor": "cheapest", ":nitro": "fastest" } as const;

function readName(text: string): ModelName {
  for (const [suffix, order] of Object.entries(ORDERS)) {
    if (text.endsWith(suffix) && text.length > suffix.length) return { name: text.slice(0, -suffix.length), order };
  }
  return { name: text, order: undefined };
}

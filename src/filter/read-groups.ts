import { GatewayError } from "../errors.ts";
import { GROUPS, PROPERTY_PREFIX, SCORE_PREFIX } from "./group-by.ts";
import { hint, quote } from "./spelling.ts";

/** Maximum names by which one query groups. */
const GROUPS_MAX = 8;
const PREFIXES = [PROPERTY_PREFIX, SCORE_PREFIX];

/**
 * The names to group by, without duplicates.
 *
 * @throws GatewayError `invalid_body` if there are too many, or an unknown one.
 */
export function readGroups(names: readonly string[], path = "group_by"): readonly string[] {
  if (names.length > GROUPS_MAX) {
    throw new GatewayError("invalid_body", `${path}: give at most ${GROUPS_MAX} names`, { path });
  }
  const known = [...Object.keys(GROUPS), ...PREFIXES.map((prefix) => `${prefix}<Name>`)];
  for (const [index, name] of names.entries()) {
    const isNamed = PREFIXES.some((prefix) => name.startsWith(prefix) && name.length > prefix.length);
    if (isNamed || Object.hasOwn(GROUPS, name)) continue;
    const message = `nothing is grouped by ${quote(name)}; ${hint(name, known)}`;
    throw new GatewayError("invalid_body", message, { path: `${path}.${index}` });
  }
  return [...new Set(names)];
}

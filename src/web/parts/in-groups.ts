/** Members of a list or an object shown side by side; more are put into groups of this size. */
const SIDE_BY_SIDE = 100;

/** The same value, with large lists and objects split into groups: a tree opens one group at a time. */
export function inGroups(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.length <= SIDE_BY_SIDE ? value.map(inGroups) : ofGroups(value, (part) => part.map(inGroups));
  }
  const entries = Object.entries(value).map(([name, member]) => [name, inGroups(member)] as const);
  if (entries.length <= SIDE_BY_SIDE) return Object.fromEntries(entries);
  return ofGroups(entries, (part) => Object.fromEntries(part));
}

/** Groups are named by the indexes of their first and last members, from 0. */
function ofGroups<T>(members: readonly T[], made: (part: readonly T[]) => unknown): object {
  let size = SIDE_BY_SIDE;
  while (members.length / size > SIDE_BY_SIDE) size *= SIDE_BY_SIDE;
  const groups: Record<string, unknown> = {};
  for (let at = 0; at < members.length; at += size) {
    const part = members.slice(at, at + size);
    const inside = size === SIDE_BY_SIDE ? made(part) : groupsOf(part, at, size / SIDE_BY_SIDE, made);
    groups[`${at} … ${at + part.length - 1}`] = inside;
  }
  return groups;
}

function groupsOf<T>(members: readonly T[], from: number, size: number, made: (part: readonly T[]) => unknown): object {
  const groups: Record<string, unknown> = {};
  for (let at = 0; at < members.length; at += size) {
    const part = members.slice(at, at + size);
    const name = `${from + at} … ${from + at + part.length - 1}`;
    groups[name] = size === SIDE_BY_SIDE ? made(part) : groupsOf(part, from + at, size / SIDE_BY_SIDE, made);
  }
  return groups;
}

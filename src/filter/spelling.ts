import { nearestName } from "../nearest.ts";

/** What to write instead of a name that does not exist: the one spelt most like it, else the first few there are. */
export function hint(name: string, valid: readonly string[]): string {
  const nearest = name === "" ? undefined : nearestName(name, valid);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  const some = valid.slice(0, 8).map((each) => `"${each}"`);
  return `known: ${some.join(", ")}${valid.length > some.length ? ", …" : ""}`;
}

/** What a caller wrote, short enough for a message. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}

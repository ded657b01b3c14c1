import { nearestName } from "../nearest.ts";

/** Suggests valid names for an unknown one: the most similar one, otherwise the first few. */
export function hint(name: string, valid: readonly string[]): string {
  const nearest = name === "" ? undefined : nearestName(name, valid);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  const some = valid.slice(0, 8).map((each) => `"${each}"`);
  return `known: ${some.join(", ")}${valid.length > some.length ? ", …" : ""}`;
}

/** The caller's text, shortened for a message. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}

import type { Json } from "weir/plugin";
import type { Finder } from "./finders.ts";

export interface Found {
  /** The body with matches replaced; the same value if there are none. */
  readonly body: Json;
  /** Names of the matches, one per match. */
  readonly names: readonly string[];
}

/** Deeper members stay unchanged: no model traffic is nested this deep. */
const DEPTH_MAX = 500;
/** Files inside bodies: searching them is expensive and gives false matches. */
const FILE = /^(?:data:[^,]{0,200},|[A-Za-z0-9+/_-]{1000})/;

/** Searches every text of a JSON value except member names. Objects are copied only if something changes. */
export function redacted(body: Json, finders: readonly Finder[]): Found {
  const names: string[] = [];
  return { body: walk(body, 0), names };

  function walk(value: Json, depth: number): Json {
    if (typeof value === "string") return FILE.test(value) ? value : replaced(value);
    if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return value;
    const before = names.length;
    if (Array.isArray(value)) {
      const items = value.map((item) => walk(item, depth + 1));
      return names.length === before ? value : items;
    }
    const members = Object.entries(value).map(([name, member]) => [name, walk(member, depth + 1)] as const);
    return names.length === before ? value : Object.fromEntries(members);
  }

  function replaced(text: string): string {
    let left = text;
    for (const { name, replace } of finders) {
      left = replace(left, () => {
        names.push(name);
        return `[${name}]`;
      });
    }
    return left;
  }
}

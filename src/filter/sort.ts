import { GatewayError } from "../errors.ts";
import { storable } from "../record/storable.ts";
import type { Join } from "./fields.ts";
import { propertySql } from "./property-names.ts";
import { hint, quote } from "./spelling.ts";
import { join, raw, type Sql, sql } from "./sql.ts";

type Direction = "asc" | "desc";

export interface SortKey {
  /** The key with its name, for example `properties.Tier`. */
  readonly label: string;
  readonly direction: Direction;
  /** SQL of the value for the row `r`. */
  readonly sql: Sql;
  readonly nullable: boolean;
  readonly needs?: Join | undefined;
}

/** The order of rows: random, or by at least one key. Ties are ordered by request id, in the direction of the first key. */
export type Sort = "random" | readonly SortKey[];

interface SortField {
  readonly sql: Sql;
  readonly nullable: boolean;
  readonly needs?: Join;
}

const always = (column: string): SortField => ({ sql: raw(column), nullable: false });
const maybe = (column: string): SortField => ({ sql: raw(column), nullable: true });

export const CREATED_AT = "r.request_created_at";
const BY_CREATION: SortField = always(CREATED_AT);

const FIELDS: Readonly<Record<string, SortField>> = {
  created_at: BY_CREATION,
  cache_created_at: maybe("r.cache_created_at"),
  latency: maybe("r.delay_ms"),
  last_active: BY_CREATION,
  total_tokens: maybe("r.total_tokens"),
  completion_tokens: maybe("r.completion_tokens"),
  prompt_tokens: maybe("r.prompt_tokens"),
  user_id: maybe("r.user_id"),
  body_model: maybe("r.response_model"),
  is_cached: always("r.cached"),
  request_prompt: { ...maybe("texts.prompt"), needs: "texts" },
  response_text: { ...maybe("texts.completion"), needs: "texts" },
  cost: maybe("r.cost"),
  time_to_first_token: maybe("r.time_to_first_token"),
};

/** Keys of objects with names: properties and prompt inputs. */
const NAMED: Readonly<Record<string, 0 | 1>> = { properties: 0, values: 1 };

/** All valid sort keys. */
export const SORT_KEYS: readonly string[] = ["random", ...Object.keys(FIELDS), ...Object.keys(NAMED)];

/** Maximum keys of one order: a cursor tests each of them together with all before it. */
const SORT_KEYS_MAX = 64;

export const NEWEST_FIRST: readonly SortKey[] = [{ ...BY_CREATION, label: "created_at", direction: "desc" }];

/** The order of a search's hits, which each engine implements in its own way; the label ties a cursor to its search. */
export const searchOrder = (search: string): readonly SortKey[] => [
  { ...BY_CREATION, label: `search:${search}`, direction: "desc" },
];

/**
 * Validates a sort object from outside; missing or empty means newest first.
 *
 * @throws GatewayError `sort_invalid`
 */
export function decodeSort(raw: unknown): Sort {
  if (raw === undefined || raw === null) return NEWEST_FIRST;
  let random = false;
  const keys: SortKey[] = [];
  for (const [name, value] of Object.entries(
    objectAt(raw, "sort", 'a sort is an object such as {"created_at": "desc"}'),
  )) {
    const at = `sort.${name}`;
    if (name === "random") {
      if (typeof value !== "boolean") throw wrong(at, "random is true or false");
      random = value;
    } else if (Object.hasOwn(NAMED, name)) keys.push(...namedKeys(name, NAMED[name]!, value, at));
    else if (Object.hasOwn(FIELDS, name)) {
      keys.push({ ...FIELDS[name]!, label: name, direction: directionAt(value, at) });
    } else throw wrong(at, `there is no sort key ${quote(name)}; ${hint(name, SORT_KEYS)}`);
  }
  if (keys.length > SORT_KEYS_MAX) throw wrong("sort", `a sort has at most ${SORT_KEYS_MAX} keys`);
  if (random) return "random";
  return keys.length === 0 ? NEWEST_FIRST : keys;
}

/** Whether the order is newest or oldest first: the order of the index that serves most queries. */
export function isByCreation(sort: Sort): boolean {
  return (
    sort !== "random" && sort.length === 1 && (sort[0]!.label === "created_at" || sort[0]!.label === "last_active")
  );
}

/**
 * SQL of a key's value.
 *
 * @param creation - the creation-time column in whose order rows are found.
 */
export function keySql(key: SortKey, creation: string): Sql {
  return key.sql === BY_CREATION.sql ? raw(creation) : key.sql;
}

/** SQL after "order by". */
export function orderSql(sort: Sort, creation: string = CREATED_AT): Sql {
  if (sort === "random") return raw("random()");
  const keys = sort.map(
    (key) => sql`${keySql(key, creation)} ${raw(`${key.direction}${key.nullable ? " nulls last" : ""}`)}`,
  );
  return join([...keys, raw(`r.request_id ${sort[0]!.direction}`)], ", ");
}

function namedKeys(group: string, kind: 0 | 1, raw: unknown, path: string): SortKey[] {
  const named = objectAt(raw, path, `"${group}" takes an object of names and directions`);
  return Object.entries(named).map(([given, value]) => {
    const name = storable(given);
    return {
      label: `${group}.${name}`,
      direction: directionAt(value, `${path}.${given}`),
      sql: propertySql(name, kind),
      nullable: true,
    };
  });
}

function objectAt(raw: unknown, path: string, need: string): Readonly<Record<string, unknown>> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) throw wrong(path, need);
  return raw as Readonly<Record<string, unknown>>;
}

function directionAt(value: unknown, path: string): Direction {
  if (value === "asc" || value === "desc") return value;
  throw wrong(path, `a direction is "asc" or "desc"${typeof value === "string" ? `, not ${quote(value)}` : ""}`);
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("sort_invalid", message, { path });
}

import type { PropertyName } from "../../filter/property-names.ts";
import { print, sql } from "../../filter/sql.ts";
import type { Deadline } from "../../store/database/deadline.ts";
import type { ValueSearch } from "../record-source.ts";
import { literal } from "./literal.ts";
import { regexOf } from "./print/patterns.ts";
import { hasErased, hasName, MAPS } from "./print/values.ts";
import { type ReaderOptions, recordsOf } from "./records.ts";

/** Maximum number of names read: with more, clients use values as names. */
const NAMES_MAX = 2_000;
const PROPERTIES = MAPS[0];

/** Names of an organization's properties, sorted. */
export async function propertyNames(
  options: ReaderOptions,
  organizationId: string,
  deadline: Deadline,
  { limit = NAMES_MAX, offset = 0 } = {},
): Promise<string[]> {
  const records = await recordsOf(options, { organizationId, tree: { kind: "all" } });
  const statement = records.select({
    columns: "distinct arrayJoin(mapKeys(r.properties)) as name",
    tail: `order by name limit ${limit} offset ${offset}`,
  });
  const rows = await options.client.query<{ name: string }>(statement, deadline.rest());
  return rows.map(({ name }) => name);
}

/** Whether any record has a property that a filter with this name matches. */
export async function hasPropertyName(
  options: ReaderOptions,
  organizationId: string,
  name: PropertyName,
  deadline: Deadline,
): Promise<boolean> {
  const records = await recordsOf(options, { organizationId, tree: { kind: "all" } });
  const statement = records.select({ columns: "1 as found", where: `(${ways(name).join(" or ")})`, tail: "limit 1" });
  return (await options.client.query(statement, deadline.rest())).length > 0;
}

/** Distinct values of one property, sorted. */
export async function propertyValues(
  options: ReaderOptions,
  { organizationId, name, pattern, limit, offset }: ValueSearch,
  deadline: Deadline,
): Promise<string[]> {
  const records = await recordsOf(options, { organizationId, tree: { kind: "all" } });
  const names = [name.exact, name.erased].filter((each) => each !== undefined);
  // A record may have both spellings, and then both values count.
  const values = names.map((each, at) => `if(${ways(name)[at]}, [r.properties[${literal(each)}]], [])`);
  const fits = pattern === undefined ? "" : `where match(value, ${literal(regexOf(pattern))})`;
  const all = records.select({
    columns: `arrayJoin(arrayConcat(${values.join(", ")})) as value`,
    where: `(${ways(name).join(" or ")})`,
  });
  const statement = `select distinct value from (${all}) ${fits} order by value limit ${limit} offset ${offset}`;
  const rows = await options.client.query<{ value: string }>(statement, deadline.rest());
  return rows.map(({ value }) => value);
}

/** SQL tests for the name itself, and for the name in lower case. */
function ways({ exact, erased }: PropertyName): string[] {
  const own = print(hasName(PROPERTIES, exact), literal);
  return erased === undefined ? [own] : [own, print(sql`(${hasErased(PROPERTIES, erased)})`, literal)];
}

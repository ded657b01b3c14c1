import type { PropertyName } from "../../../filter/property-names.ts";
import type { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { ValueSearch } from "../../record-source.ts";

/** Maximum number of names read: with more, clients use values as names. */
const NAMES_MAX = 2_000;

/** Names of an organization's properties, sorted. One index step per name, however many records there are. */
export async function propertyNames(
  database: Database,
  organizationId: string,
  deadline: Deadline,
  { limit = NAMES_MAX, offset = 0 } = {},
): Promise<string[]> {
  const sql = `with recursive names(name) as (
      select min(name) from properties where organization_id = ?1 and kind = 0
      union all
      select (select min(p.name) from properties p where p.organization_id = ?1 and p.kind = 0 and p.name > names.name)
      from names where names.name is not null
    ) select name from names where name is not null limit ?2 offset ?3`;
  const rows = await database.query<{ name: string }>({ sql, args: [organizationId, limit, offset] }, deadline.rest());
  return rows.map(({ name }) => name);
}

/** Whether any record has a property that a filter with this name matches. */
export async function hasPropertyName(
  database: Database,
  organizationId: string,
  { exact, erased }: PropertyName,
  deadline: Deadline,
): Promise<boolean> {
  const sql = `select exists (select 1 from properties where organization_id = ?1 and kind = 0 and name = ?2)
    or exists (select 1 from properties where organization_id = ?1 and kind = 0 and name = ?3 and case_erased) as found`;
  const [row] = await database.query<{ found: number }>(
    { sql, args: [organizationId, exact, erased ?? null] },
    deadline.rest(),
  );
  return row?.found === 1;
}

/** Distinct values of one property, sorted; one index step per value. */
export async function propertyValues(database: Database, search: ValueSearch, deadline: Deadline): Promise<string[]> {
  const { organizationId, name, pattern, limit, offset } = search;
  // Values under the exact name and under its case-erased form, merged, each in order.
  const sql = `with recursive
    exact(value) as (
      select min(value) from properties where organization_id = ?1 and kind = 0 and name = ?2
      union all
      select (select min(p.value) from properties p
        where p.organization_id = ?1 and p.kind = 0 and p.name = ?2 and p.value > exact.value)
      from exact where exact.value is not null
    ),
    erased(value) as (
      select min(value) from properties where organization_id = ?1 and kind = 0 and name = ?3 and case_erased
      union all
      select (select min(p.value) from properties p
        where p.organization_id = ?1 and p.kind = 0 and p.name = ?3 and p.case_erased and p.value > erased.value)
      from erased where erased.value is not null
    )
    select value from ${name.erased === undefined ? "exact" : "(select value from exact union select value from erased)"}
    where value is not null and (?4 is null or value glob ?4)
    ${name.erased === undefined ? "" : "order by value"} limit ?5 offset ?6`;
  const args = [organizationId, name.exact, name.erased ?? null, pattern ?? null, limit, offset];
  const rows = await database.query<{ value: string }>({ sql, args }, deadline.rest());
  return rows.map(({ value }) => value);
}

import { raw, type Sql, sql } from "./sql.ts";

/**
 * Stored names that match a property name in a filter: the name itself and, if it is in Train-Case, its lower-case form if
 * that one lost its case in transit.
 */
export interface PropertyName {
  readonly exact: string;
  /** Matches only names stored as case-erased. */
  readonly erased: string | undefined;
}

export function propertyName(name: string): PropertyName {
  const lower = name.toLowerCase();
  return { exact: name, erased: lower !== name && trainCase(lower) === name ? lower : undefined };
}

/** `app-name` → `App-Name` */
function trainCase(lower: string): string {
  return lower.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

/** SQL of a row `r`'s value for a property name; null if missing. Kind 1 is prompt inputs. */
export function propertySql(name: string, kind: 0 | 1 = 0): Sql {
  const column = kind === 0 ? "r.properties" : "r.prompt_inputs";
  const { exact, erased } = propertyName(name);
  const own = memberSql(column, exact);
  if (erased === undefined) return own;
  const other = memberSql(column, erased);
  return sql`coalesce(${own}, case when ${other} is not null then case when ${erasedSql(erased, kind)} then ${other} end end)`;
}

/** SQL that is true if the row `r` has a property with that lower-case name that lost its case in transit. */
export function erasedSql(name: string, kind: 0 | 1): Sql {
  return sql`exists (select 1 from properties v where v.seq = r.seq and v.organization_id = r.organization_id
    and v.kind = ${raw(String(kind))} and v.name = ${name} and v.case_erased)`;
}

/** SQL of the member of a JSON object; null if missing. */
export function memberSql(column: string, name: string): Sql {
  // In a JSON path, a quoted name cannot contain these; the slower form accepts any name.
  if (name === "" || /["\\\u0000-\u001f]/.test(name)) {
    return sql`(select m.value from json_each(${raw(column)}) m where m.key = ${name})`;
  }
  return sql`json_extract(${raw(column)}, ${`$."${name}"`})`;
}

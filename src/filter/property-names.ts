import { raw, type Sql, sql } from "./sql.ts";

/**
 * Stored names that a property name in a filter can mean: itself, and, if it is in Train-Case, the same in lower case
 * where the case was lost on the way to us.
 */
export interface PropertyName {
  readonly exact: string;
  /** Counts only for names stored as case-erased. */
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

/** SQL of the value that a row `r` has under a property name, null where it has none. Kind 1 is prompt inputs. */
export function propertySql(name: string, kind: 0 | 1 = 0): Sql {
  const column = kind === 0 ? "r.properties" : "r.prompt_inputs";
  const { exact, erased } = propertyName(name);
  const own = memberSql(column, exact);
  if (erased === undefined) return own;
  const other = memberSql(column, erased);
  return sql`coalesce(${own}, case when ${other} is not null then case when ${erasedSql(erased, kind)} then ${other} end end)`;
}

/** SQL that is true where the row `r` has a property under that lower-case name, and it lost its case on the way. */
export function erasedSql(name: string, kind: 0 | 1): Sql {
  return sql`exists (select 1 from properties v where v.seq = r.seq and v.organization_id = r.organization_id
    and v.kind = ${raw(String(kind))} and v.name = ${name} and v.case_erased)`;
}

/** SQL of the member of a JSON object, null where it is missing. */
export function memberSql(column: string, name: string): Sql {
  // In a path a name stands between quotes and cannot hold these; the slow way takes any name.
  if (name === "" || /["\\\u0000-\u001f]/.test(name)) {
    return sql`(select m.value from json_each(${raw(column)}) m where m.key = ${name})`;
  }
  return sql`json_extract(${raw(column)}, ${`$."${name}"`})`;
}

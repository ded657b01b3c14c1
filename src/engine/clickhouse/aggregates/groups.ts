import {
  GROUPS,
  type GroupBy,
  groupNames,
  PROPERTY_PREFIX,
  SCORE_PREFIX,
  TIME_BUCKETS,
  type TimeBucket,
} from "../../../filter/group-by.ts";
import { propertyName } from "../../../filter/property-names.ts";
import { print } from "../../../filter/sql.ts";
import { literal } from "../literal.ts";
import { MAPS, namedValue, scoreValue } from "../print/values.ts";

/** SQL of the grouping columns: `g0`, `g1` and so on, and `time`, each with a comma after it. */
export function groupColumns({ groupBy, timeBucket }: GroupBy): string {
  const columns = groupBy.map((name, index) => `${groupSql(name)} as g${index},`);
  if (timeBucket !== undefined) columns.push(`${bucketSql(timeBucket)} as time,`);
  return columns.join(" ");
}

/** SQL "group by"; empty when everything is one group, which then has a row even without records. */
export function groupClause(by: GroupBy): string {
  const names = groupNames(by);
  return names.length === 0 ? "" : `group by ${names.join(", ")}`;
}

/** SQL of the start of the bucket that row `r` was created in. */
export function bucketSql(timeBucket: TimeBucket): string {
  return `r.request_created_at - positiveModulo(r.request_created_at, ${TIME_BUCKETS[timeBucket]})`;
}

/** SQL of a group's name, null when the row has no value. */
export function groupSql(name: string): string {
  if (name.startsWith(PROPERTY_PREFIX)) return propertySql(name.slice(PROPERTY_PREFIX.length));
  if (name.startsWith(SCORE_PREFIX)) return scoreSql(name.slice(SCORE_PREFIX.length));
  return GROUPS[name]!;
}

/** SQL of the value of a property in row `r`, null when it has none. */
export const propertySql = (name: string): string => print(namedValue(MAPS[0], propertyName(name)), literal);

/** SQL of the value of a score of row `r`, null when it has none. */
export const scoreSql = (name: string): string => print(scoreValue(name), literal);

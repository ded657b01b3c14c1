import { memberSql, propertySql } from "./property-names.ts";
import { join, raw, type Sql, sql } from "./sql.ts";

/** Lengths of the time buckets, in milliseconds. */
export const TIME_BUCKETS = {
  minute: 60_000,
  "5m": 300_000,
  hour: 3_600_000,
  "6h": 21_600_000,
  day: 86_400_000,
} as const;
export type TimeBucket = keyof typeof TIME_BUCKETS;

const NAMES = {
  model: "r.model",
  provider: "r.provider",
  user: "r.user_id",
  status: "r.response_status",
  outcome: "r.outcome",
  finish_reason: "r.finish_reason",
  error_code: "r.error_code",
  key: "r.gateway_user",
  prompt: "r.prompt_id",
  prompt_version: "r.prompt_version",
  route: "r.route",
  credential: "r.credential",
  session: "r.session_id",
} as const;
export type GroupName = keyof typeof NAMES;

/** Names by which records can be grouped, besides `property:<Name>`. */
export const GROUPS: Readonly<Record<string, string>> = NAMES;

export const PROPERTY_PREFIX = "property:";
/** Groups by the value of a score. */
export const SCORE_PREFIX = "score:";

/** Names of `GROUPS`, `property:<Name>` or `score:<Name>`, and a time bucket. */
export interface GroupBy {
  readonly groupBy: readonly string[];
  readonly timeBucket: TimeBucket | undefined;
}

/** Names of the grouping columns: `g0`, `g1` and so on, and `time`. */
export function groupNames({ groupBy, timeBucket }: GroupBy): string[] {
  return [...groupBy.map((_, index) => `g${index}`), ...(timeBucket === undefined ? [] : ["time"])];
}

/** SQL of these columns, each followed by a comma. */
export function groupColumns({ groupBy, timeBucket }: GroupBy): Sql {
  const columns = groupBy.map((name, index) => sql`${groupSql(name)} as ${raw(`g${index}`)},`);
  if (timeBucket !== undefined) columns.push(raw(`${bucketSql(timeBucket)} as time,`));
  return join(columns, " ");
}

/** SQL of the start of the bucket in which a row `r` was created; before 1970 a plain remainder would be negative. */
export function bucketSql(timeBucket: TimeBucket): string {
  const length = TIME_BUCKETS[timeBucket];
  return `r.request_created_at - (r.request_created_at % ${length} + ${length}) % ${length}`;
}

/** SQL of a group's value. */
function groupSql(name: string): Sql {
  if (name.startsWith(PROPERTY_PREFIX)) return propertySql(name.slice(PROPERTY_PREFIX.length));
  if (name.startsWith(SCORE_PREFIX)) return scoreSql(name.slice(SCORE_PREFIX.length));
  return raw(GROUPS[name]!);
}

/** SQL of a score of the row `r`; null if it has no score with that name. In floating point, as filters compare. */
export function scoreSql(name: string): Sql {
  return sql`(${memberSql("r.scores", name)} + 0.0)`;
}

/** SQL "group by"; empty if all rows form one group. */
export function groupClause(by: GroupBy): string {
  const names = groupNames(by);
  return names.length === 0 ? "" : `group by ${names.join(", ")}`;
}

import { scoreSql } from "../../../filter/group-by.ts";
import { meanOf } from "../../../filter/mean.ts";
import { join, raw, type Sql, sql } from "../../../filter/sql.ts";
import type { Key, ScoreAggregates } from "../../aggregates.ts";

const MEASURES: Readonly<Record<keyof ScoreAggregates, (value: Sql) => Sql>> = {
  count: (value) => sql`count(${value})`,
  mean: meanOf,
  min: (value) => sql`min(${value})`,
  max: (value) => sql`max(${value})`,
};

/** SQL of the aggregates of each score, each column with a comma before it. */
export function scoreColumns(names: readonly string[]): Sql {
  const columns = names.flatMap((name, index) => {
    const value = scoreSql(name);
    return Object.entries(MEASURES).map(
      ([measure, aggregate]) => sql`, ${aggregate(value)} as ${raw(`s${index}_${measure}`)}`,
    );
  });
  return join(columns, "");
}

/** Converts these columns of a row for a response, by score name. */
export function shownScores(
  row: Readonly<Record<string, Key>>,
  names: readonly string[],
): Record<string, ScoreAggregates> {
  const aggregates = names.map((name, index) => {
    const measure = (of: keyof ScoreAggregates) => row[`s${index}_${of}`] as number | null;
    const shown = { count: measure("count") ?? 0, mean: measure("mean"), min: measure("min"), max: measure("max") };
    return [name, shown] as const;
  });
  return Object.fromEntries(aggregates);
}

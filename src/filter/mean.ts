import { raw, type Sql, sql } from "./sql.ts";

/** A power of two, so that dividing by it and multiplying with it is exact; more than there are records. */
export const MEAN_SCALE = "1099511627776.0";

/** SQL of the mean of a column. A sum of large values, such as scores of 1e308, would be infinite. */
export const meanSql = (column: string): string => `(avg(${column} / ${MEAN_SCALE}) * ${MEAN_SCALE})`;

/** SQL of the mean of a piece of SQL, whose sum may be too large like that of a column. */
export const meanOf = (value: Sql): Sql => sql`(avg(${value} / ${raw(MEAN_SCALE)}) * ${raw(MEAN_SCALE)})`;

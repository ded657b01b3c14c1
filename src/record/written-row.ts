import { getTableColumns } from "drizzle-orm";
import { requests } from "./tables.ts";

/** A row of `requests` as it is written; its number is assigned on insertion. */
export type RequestRow = Omit<typeof requests.$inferInsert, "seq">;

/** Columns of `requests` except its number. */
export const REQUEST_COLUMNS = Object.keys(getTableColumns(requests)).filter(
  (name) => name !== "seq",
) as (keyof RequestRow)[];

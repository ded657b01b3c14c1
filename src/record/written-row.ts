import { getTableColumns } from "drizzle-orm";
import { requests } from "./tables.ts";

/** A row of `requests` as it is written; its number is given when it is inserted. */
export type RequestRow = Omit<typeof requests.$inferInsert, "seq">;

/** Columns of `requests` but its number. */
export const REQUEST_COLUMNS = Object.keys(getTableColumns(requests)).filter(
  (name) => name !== "seq",
) as (keyof RequestRow)[];

import { getTableColumns } from "drizzle-orm";
import { requests } from "./tables.ts";

/** A row of `requests` as the recorder makes it; its number and its partition of time are assigned on insertion. */
export type RequestRow = Omit<typeof requests.$inferInsert, "seq" | "time_partition">;

/** Columns of `requests` except these two. */
export const REQUEST_COLUMNS = Object.keys(getTableColumns(requests)).filter(
  (name) => name !== "seq" && name !== "time_partition",
) as (keyof RequestRow)[];

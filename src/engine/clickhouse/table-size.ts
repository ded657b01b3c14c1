import type { Deadline } from "../../store/database/deadline.ts";
import type { ClickHouse } from "./client.ts";
import type { ReaderOptions } from "./records.ts";

/** With so few rows, reading all of them is as fast as reading a time window. */
const FEW_ROWS = 200_000;
/** How long the size of a table counts as known. */
const KNOWN_MS = 30_000;

const sizes = new WeakMap<ClickHouse, { readonly rows: number; readonly untilMs: number }>();

/** Whether the table of records is small. Unknown for a table that is spread over several servers. */
export async function isSmall({ client, fewRows = FEW_ROWS }: ReaderOptions, deadline: Deadline): Promise<boolean> {
  const known = sizes.get(client);
  if (known !== undefined && performance.now() < known.untilMs) return known.rows < fewRows;
  const [row] = await client.query<{ rows: number | null }>(
    "select total_rows as rows from system.tables where database = currentDatabase() and name = 'requests'",
    deadline.rest(),
  );
  const rows = row?.rows ?? Number.POSITIVE_INFINITY;
  sizes.set(client, { rows, untilMs: performance.now() + KNOWN_MS });
  return rows < fewRows;
}

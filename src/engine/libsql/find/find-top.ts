import { GatewayError } from "../../../errors.ts";
import type { Source } from "../../../filter/access-path.ts";
import { onlyBounds } from "../../../filter/bounds.ts";
import type { Position } from "../../../filter/cursor.ts";
import type { Scope } from "../../../filter/scope.ts";
import { isByCreation, type Sort } from "../../../filter/sort.ts";
import { Deadline } from "../../../store/database/deadline.ts";
import type { Database } from "../../../store/store.ts";
import type { NumberColumn } from "../column-store/columns.ts";
import { rowsInBlocks } from "../column-store/read.ts";
import { top } from "../column-store/top.ts";

/** Sort keys over numbers. Only the time of creation has an index. */
const COLUMNS: Readonly<Record<string, NumberColumn>> = {
  created_at: "request_created_at",
  latency: "delay_ms",
  time_to_first_token: "time_to_first_token",
  total_tokens: "total_tokens",
  prompt_tokens: "prompt_tokens",
  completion_tokens: "completion_tokens",
};

/** With fewer records, reading all of them is as fast. */
const ROWS_MIN = 4_096;
/** Pages further down the order are found by reading all records. */
const COUNT_MAX = 5_000;

/** Time for reading an index in order, in milliseconds: a page of a filter that few records match would read it to its end. */
const IN_ORDER_MS = 100;

/**
 * Reads a page in the order of creation, if that takes little time. Undefined if it does not, or if another source is
 * searched; then blocks may find the page sooner.
 */
export async function soonInOrder<Page>(
  database: Database,
  scope: Scope,
  { sort, source, deadline }: Pick<TopPage, "sort" | "source"> & { readonly deadline: Deadline },
  read: (deadline: Deadline) => Promise<Page>,
): Promise<Page | undefined> {
  const isInOrder = source.kind === "property" || (source.kind === "index" && source.name === "requests_created");
  if (!isByCreation(sort) || !isInOrder) return undefined;
  // Only local files have stamps: from a server each column of each block is a round trip.
  if (database.stamp === undefined || onlyBounds(scope.tree) !== undefined) return read(deadline);
  try {
    return await read(new Deadline(Math.min(IN_ORDER_MS, deadline.rest().deadlineMs)));
  } catch (cause) {
    if (cause instanceof GatewayError && cause.code === "query_timeout") return undefined;
    throw cause;
  }
}

interface TopPage {
  readonly sort: Sort;
  /** Number of records needed, including skipped ones. */
  readonly count: number;
  readonly after: Position | undefined;
  /** The source that would be searched otherwise. */
  readonly source: Source;
}

/**
 * A smaller source for a page ordered by a number: the records that, according to blocks, can be on it. Undefined when that
 * does not help.
 */
export async function topSource(
  database: Database,
  scope: Scope,
  { sort, count, after, source }: TopPage,
  deadline: Deadline,
): Promise<Source | undefined> {
  if (sort === "random" || sort.length !== 1 || count > COUNT_MAX) return undefined;
  const [key] = sort;
  const column = Object.hasOwn(COLUMNS, key!.label) ? COLUMNS[key!.label] : undefined;
  const from = after?.values[0];
  if (column === undefined || from === null || typeof from === "string") return undefined;
  const isBroad = ["scan", "property"].includes(source.kind);
  if (!isBroad && !(source.kind === "index" && source.name === "requests_created")) return undefined;
  if ((await rowsInBlocks(database, scope)) < ROWS_MIN) return undefined;
  const seqs = await top(database, scope, { column, direction: key!.direction, count, after: from }, deadline);
  return seqs && { kind: "rows", seqs };
}

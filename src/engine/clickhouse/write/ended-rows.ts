import type { ClickHouse } from "../client.ts";
import { type Layout, localTable, onCluster } from "../tables.ts";

/** Removing them costs about as much as inserting them, and each query of `open` reads past those that are left. */
const ROWS_KEPT = 20_000;
const REMOVAL_MS = 600_000;

/**
 * Ended requests in `open`. A row with `is_ended` hides the row in flight that it replaces. ClickHouse keeps both until
 * a statement removes them.
 */
export class EndedRows {
  readonly #client: ClickHouse;
  readonly #layout: Layout;
  readonly #kept: number;
  /** Those written since the last removal; undefined until those of earlier runs are counted. */
  #count: number | undefined;
  #removal: Promise<void> | undefined;

  constructor(client: ClickHouse, layout: Layout, kept = ROWS_KEPT) {
    this.#client = client;
    this.#layout = layout;
    this.#kept = kept;
  }

  /** The removal under way, for tests. It never fails. */
  get removal(): Promise<void> | undefined {
    return this.#removal;
  }

  /** Notes rows that were inserted. Not awaited by the writer: the database removes them beside inserts. */
  add(count: number): void {
    if (count === 0) return;
    if (this.#count !== undefined) this.#count += count;
    if (this.#removal !== undefined || (this.#count ?? this.#kept) < this.#kept) return;
    this.#removal = this.#removeMany()
      // Queries show the same without it. It is retried after as many rows: not with each batch, if it is not allowed.
      .catch(() => {
        this.#count = 0;
      })
      .finally(() => {
        this.#removal = undefined;
      });
  }

  async #removeMany(): Promise<void> {
    const [row] = await this.#client.query<{ n: number }>("select count() as n from open where is_ended = 1");
    this.#count = row!.n;
    if (this.#count < this.#kept) return;
    const table = `${localTable("open", this.#layout)}${onCluster(this.#layout)}`;
    await this.#client.command(`optimize table ${table} final cleanup`, { deadlineMs: REMOVAL_MS });
    this.#count = 0;
  }
}

import { randomInt } from "node:crypto";
import type { Position } from "../../../spool/frame.ts";
import { type RemovalOrder, removeBeside } from "../../../store/retention/remove-beside.ts";
import { readPositionOf, setPosition } from "../../../store/spool-positions.ts";
import type { Store } from "../../../store/store.ts";
import type { ClickHouse } from "../client.ts";
import type { Layout } from "../tables.ts";
import { finishedRows } from "./find-rows.ts";
import { NoteFile } from "./note-file.ts";
import { deleteIds, deleteRows } from "./update.ts";

/** Rows deleted per statement: a statement costs a part to merge, and little for each row. */
export const ROWS_TOGETHER = 5_000;
/** Records whose bodies are removed per transaction. */
const BODIES_TOGETHER = 500;
const MARK_MAX = 2 ** 32;

/** Data that is removed together: rows from ClickHouse, then what the libSQL database stores about them, then bodies. */
interface NotedRemoval {
  /** Stored in the libSQL database once its data is removed. */
  readonly mark: Position;
  readonly organizationId: string;
  readonly requestIds: readonly string[];
  readonly order: RemovalOrder | undefined;
}

interface Places {
  readonly client: ClickHouse;
  readonly layout: Layout;
  readonly store: Store;
  readonly dataDirectory: string;
  readonly markName: string;
}

/**
 * Removes finished records. Rows are deleted first, so that no record is ever seen without its body; the file `removal` in
 * the data directory's `state/` lists what must be removed after them, for the start after a crash.
 */
export class Removals {
  readonly #places: Places;
  readonly #file: NoteFile<NotedRemoval>;

  constructor(places: Places) {
    this.#places = places;
    this.#file = new NoteFile(places.dataDirectory, "removal");
  }

  async remove(organizationId: string, requestIds: readonly string[], order?: RemovalOrder): Promise<number> {
    const { client, layout } = this.#places;
    let removed = 0;
    for (let at = 0; at < requestIds.length; at += ROWS_TOGETHER) {
      const found = await finishedRows(client, requestIds.slice(at, at + ROWS_TOGETHER));
      const rows = found.filter((row) => row.organization_id === organizationId);
      if (rows.length === 0) continue;
      const ids = rows.map(({ request_id }) => request_id);
      const mark = { segment: Date.now(), offset: randomInt(MARK_MAX) };
      const noted = { mark, organizationId, requestIds: ids, order };
      this.#file.write(noted);
      await deleteRows(client, layout, rows);
      await this.#follow(noted, false);
      removed += rows.length;
    }
    return removed;
  }

  /** Completes an interrupted removal. Rows that still exist stay: their removal was never confirmed to the caller. */
  async recover(): Promise<void> {
    const noted = this.#file.read();
    if (noted === undefined) return;
    const { store, markName, client } = this.#places;
    const there = new Set((await finishedRows(client, noted.requestIds)).map(({ request_id }) => request_id));
    const requestIds = noted.requestIds.filter((id) => !there.has(id));
    const done = await readPositionOf(store.records, markName);
    const isDone = done !== undefined && done.segment === noted.mark.segment && done.offset === noted.mark.offset;
    await this.#follow({ ...noted, requestIds }, isDone);
  }

  /** Removes what belonged to records whose rows are gone. @returns number of ids without a row. */
  async removeBeside(ids: readonly string[]): Promise<number> {
    const { store, client } = this.#places;
    const there = new Set((await finishedRows(client, ids)).map(({ request_id }) => request_id));
    const requestIds = ids.filter((id) => !there.has(id));
    if (requestIds.length === 0) return 0;
    await removeBeside(store.records, { organizationId: "", requestIds, order: undefined });
    await this.#removeBodies(requestIds);
    return requestIds.length;
  }

  /** @param isDone - whether the libSQL database has already removed its data. */
  async #follow({ mark, organizationId, requestIds, order }: NotedRemoval, isDone: boolean): Promise<void> {
    const { store, markName, client, layout } = this.#places;
    if (requestIds.length > 0) await deleteIds(client, layout, { organizationId, requestIds });
    if (!isDone && requestIds.length > 0) {
      const statements = [setPosition(markName, mark, mark.segment)];
      await removeBeside(store.records, { organizationId, requestIds, order, statements });
    }
    await this.#removeBodies(requestIds);
    this.#file.write(undefined);
  }

  async #removeBodies(requestIds: readonly string[]): Promise<void> {
    for (let at = 0; at < requestIds.length; at += BODIES_TOGETHER)
      await this.#places.store.content.remove(requestIds.slice(at, at + BODIES_TOGETHER));
  }
}

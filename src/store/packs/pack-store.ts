import type { BodyStore, SweepStep } from "../bodies/body-store.ts";
import { loadBodies, loadTexts } from "../bodies/load-bodies.ts";
import { havePlain, loadPlainAsset, loadPlainWhole, removePlain } from "../bodies/plain-bodies.ts";
import type { Database, Statement } from "../database/database.ts";
import { movePacks } from "../objects/moving.ts";
import { ObjectSweeper } from "../objects/object-sweeper.ts";
import type { Objects } from "../objects/open-objects.ts";
import { PackEraser } from "./erase.ts";
import { insertContents } from "./insert-contents.ts";
import type { PackIds } from "./pack-ids.ts";
import { PackPlaces } from "./pack-places.ts";
import { PackWriter, packsFor } from "./pack-writer.ts";
import { type BodyPart, rangesOf } from "./placed.ts";
import { type ContentView, decoded, loadPlaced, readAsset, readWhole } from "./read.ts";
import type { Content, RequestContent } from "./request-content.ts";
import { idList, idOf, ROWS_OF } from "./row-id.ts";

/** Bodies in packs, and those stored before packs existed. */
export class PackStore implements BodyStore {
  readonly #database: Database;
  readonly #ids: PackIds;
  readonly #writer: PackWriter;
  readonly #places: PackPlaces;
  readonly #eraser: PackEraser;
  readonly #sweeper: ObjectSweeper | undefined;
  #hasSwept = false;

  /** @param objects - the object store that holds packs, now or formerly. */
  constructor(database: Database, ids: PackIds, objects?: Objects) {
    this.#database = database;
    this.#ids = ids;
    this.#writer = new PackWriter(() => ids.take());
    this.#places = new PackPlaces(database, objects);
    const node = () => ids.node();
    this.#eraser = new PackEraser(database, {
      node,
      places: this.#places,
      release: (packs) => this.#writer.release(packs),
    });
    const writer = this.#places.objects;
    if (writer !== undefined)
      this.#sweeper = new ObjectSweeper(database, { node, writer, takesNew: objects!.takesNew });
  }

  get isNear(): boolean {
    return !this.#places.areObjects;
  }

  async put(contents: readonly RequestContent[], beside: readonly Statement[] = []): Promise<void> {
    if (contents.length === 0 && beside.length === 0) return;
    const requestIds = contents.filter(({ isNew }) => isNew !== true).map(({ requestId }) => requestId);
    try {
      if (!(await this.#ids.prepare(packsFor(contents)))) this.#writer.failed();
      const before = await this.#packsOf(requestIds);
      for (const content of contents) this.#writer.add(content);
      await this.#database.batch([...(await this.#statements()), ...marks(before), ...beside]);
      this.#writer.committed();
    } catch (cause) {
      this.#writer.failed();
      this.#ids.failed();
      throw cause;
    }
  }

  get(requestIds: readonly string[], parts: readonly BodyPart[], view?: ContentView) {
    return loadBodies(this.#database, requestIds, parts, view);
  }

  texts(requestIds: readonly string[]) {
    return loadTexts(this.#database, requestIds);
  }

  async asset(requestId: string, assetId: string) {
    const placed = (await loadPlaced(this.#database, [requestId])).get(requestId);
    return placed === undefined
      ? loadPlainAsset(this.#database, requestId, assetId)
      : readAsset(this.#database, placed, assetId);
  }

  async whole(requestIds: readonly string[]): Promise<ReadonlyMap<string, Content>> {
    const placed = await loadPlaced(this.#database, requestIds);
    const found = await readWhole(this.#database, placed);
    const others = requestIds.filter((id) => !placed.has(id));
    if (others.length > 0)
      for (const [id, content] of await loadPlainWhole(this.#database, others)) found.set(id, content);
    return found;
  }

  async having(requestIds: readonly string[]): Promise<string[]> {
    const plain = await havePlain(this.#database, requestIds);
    return [...new Set([...(await this.packed(requestIds)), ...plain])];
  }

  async packed(requestIds: readonly string[]): Promise<string[]> {
    const rows = await this.#database.query<{ request_id: Uint8Array }>({
      sql: `select request_id from contents where ${ROWS_OF}`,
      args: [idList(requestIds)],
    });
    return rows.map(({ request_id }) => idOf(request_id));
  }

  async remove(requestIds: readonly string[]): Promise<void> {
    const packs = await this.#packsOf(requestIds);
    await this.#database.batch([
      // No pack has the number 0: it is marked so that contents outside of packs are swept from the log too.
      ...marks(new Set([0, ...packs])),
      { sql: `delete from contents where ${ROWS_OF}`, args: [idList(requestIds)] },
      ...(await removePlain(this.#database, requestIds)),
    ]);
  }

  async sweep(isOrdered = false): Promise<SweepStep> {
    const erased = await this.#eraser.step();
    if (this.#sweeper === undefined || erased.left > 0) return erased;
    const objects = await this.#sweeper.step(isOrdered);
    // The last step finds nothing to do; it reports whether the steps before it did anything.
    const swept = this.#hasSwept || erased.swept || objects.swept;
    this.#hasSwept = swept && objects.left > 0;
    return { swept, left: objects.left };
  }

  async moveOut(): Promise<number> {
    const { objects, areObjects } = this.#places;
    return objects === undefined || !areObjects ? 0 : movePacks(this.#database, objects, this.#ids.node());
  }

  async #statements(): Promise<Statement[]> {
    const { packs, rows, shared } = this.#writer.pending(this.#places.areObjects);
    const statements = await this.#places.stored(packs, this.#ids.node());
    insertContents(rows, statements);
    if (shared.length > 0) {
      const sql = "update packs set shared = 1 where id in (select value from json_each(?))";
      statements.push({ sql, args: [JSON.stringify(shared)] });
    }
    return statements;
  }

  /** Packs that hold contents of these requests. */
  async #packsOf(requestIds: readonly string[]): Promise<ReadonlySet<number>> {
    if (requestIds.length === 0) return new Set();
    const rows = await this.#database.query<{ home: number; parts: Uint8Array }>({
      sql: `select home, parts from contents where ${ROWS_OF}`,
      args: [idList(requestIds)],
    });
    const packs = new Set<number>();
    for (const { home, parts } of rows) {
      const placed = decoded(parts, home);
      if (placed !== undefined) for (const { pack } of rangesOf(placed)) packs.add(pack);
    }
    return packs;
  }
}

/** Statements that mark packs to be checked for bytes that no request refers to. */
function marks(packs: ReadonlySet<number>): Statement[] {
  if (packs.size === 0) return [];
  const sql = `insert into pack_erasures (pack, marks) select value, 1 from json_each(?) where true
    on conflict (pack) do update set marks = marks + 1`;
  return [{ sql, args: [JSON.stringify([...packs])] }];
}

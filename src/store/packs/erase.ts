import { compressZstd } from "../../runtime/zstd.ts";
import type { SweepStep } from "../bodies/body-store.ts";
import type { Database } from "../database/database.ts";
import { ALONE, AMONG_NODES } from "../nodes/of-node.ts";
import type { PackBytes } from "../objects/object-writer.ts";
import { decompressed } from "./gather.ts";
import { packBytes } from "./pack-bytes.ts";
import type { PackPlaces } from "./pack-places.ts";
import { OPEN_REACH, REACH } from "./pack-writer.ts";
import { type Range, rangesOf } from "./placed.ts";
import { decoded } from "./read.ts";

/** Packs that are processed together, with one scan of the rows that may refer to them. */
const PACKS = 64;
/** Packs whose ids are further apart have few rows in common. */
const PACKS_APART = 1_024;
/** Rows read per step, and packs written per step. */
const STEP_ROWS = 2_000;
const STEP_PACKS = 8;
/** Packs written per step with an object store, where they share an object. */
const STEP_PLACED = PACKS;
/** Objects that an erased pack was in are deleted by the same sweep. */
const AT_ONCE = 0;

interface Marked {
  readonly pack: number;
  readonly marks: number;
  readonly shared: number;
}

interface EraserOptions {
  readonly node: () => string | null;
  readonly places: PackPlaces;
  /** After this call nothing new refers to these packs. */
  readonly release: (packs: ReadonlySet<number>) => void;
}

/** A scan of the rows that may refer to some packs. */
interface Walk {
  /** Packs still to be written. */
  readonly marked: Marked[];
  /** Ranges that rows refer to, by pack. */
  readonly kept: ReadonlyMap<number, Range[]>;
  /** No row with a higher home refers to them. */
  readonly until: number;
  /** The last row read; undefined when all are read. */
  after: { readonly home: number; readonly request_id: Uint8Array } | undefined;
}

/**
 * Erases bytes that no row refers to from packs, in small steps: a pack without rows is deleted, and in the others those
 * bytes become zeros. The remaining bytes keep their place, so rows do not change and no reference counts are needed. An
 * interrupted step is repeated.
 */
export class PackEraser {
  readonly #database: Database;
  readonly #options: EraserOptions;
  #walk: Walk | undefined;

  constructor(database: Database, options: EraserOptions) {
    this.#database = database;
    this.#options = options;
  }

  async step(): Promise<SweepStep> {
    let swept = true;
    try {
      if (this.#walk === undefined) swept = await this.#unmarkMissing();
      this.#walk ??= await this.#begin();
      if (this.#walk === undefined) return { swept, left: 0 };
      if (this.#walk.after !== undefined) await this.#read(this.#walk);
      else await this.#write(this.#walk);
      if (this.#walk.marked.length === 0) this.#walk = undefined;
    } catch (cause) {
      this.#walk = undefined;
      throw cause;
    }
    return { swept: true, left: await this.#waiting() };
  }

  /** Removes the marks of packs that no longer exist. @returns whether there were any. */
  async #unmarkMissing(): Promise<boolean> {
    const missing = "from pack_erasures where pack not in (select id from packs)";
    const found = await this.#database.query({ sql: `select pack ${missing} limit 1`, args: [] });
    if (found.length > 0) await this.#database.batch([{ sql: `delete ${missing}`, args: [] }]);
    return found.length > 0;
  }

  get #mine(): string {
    return this.#options.node() === null ? ALONE : AMONG_NODES;
  }

  async #waiting(): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>({
      sql: `select count(*) as n from pack_erasures e join packs p on p.id = e.pack where ${this.#mine}`,
      args: [this.#options.node()],
    });
    return row!.n;
  }

  async #begin(): Promise<Walk | undefined> {
    const found = await this.#database.query<Marked>({
      sql: `select e.pack, e.marks, p.shared from pack_erasures e join packs p on p.id = e.pack
        where ${this.#mine} order by e.pack limit ${PACKS}`,
      args: [this.#options.node()],
    });
    const first = found[0]?.pack;
    if (first === undefined) return undefined;
    const marked = found.filter(({ pack }) => pack <= first + PACKS_APART);
    this.#options.release(new Set(marked.map(({ pack }) => pack)));
    const reaches = marked.map(({ pack, shared }) => pack + (shared === 0 ? OPEN_REACH : REACH));
    return {
      marked,
      kept: new Map(marked.map(({ pack }) => [pack, []])),
      until: Math.max(...reaches),
      after: { home: first, request_id: new Uint8Array(0) },
    };
  }

  async #read(walk: Walk): Promise<void> {
    const after = walk.after!;
    const rows = await this.#database.query<{ home: number; request_id: Uint8Array; parts: Uint8Array }>({
      sql: `select home, request_id, parts from contents where (home, request_id) > (?, ?) and home <= ?
        order by home, request_id limit ${STEP_ROWS}`,
      args: [after.home, after.request_id, walk.until],
    });
    for (const { home, parts } of rows) {
      const placed = decoded(parts, home);
      if (placed !== undefined) for (const range of rangesOf(placed)) walk.kept.get(range.pack)?.push(range);
    }
    walk.after = rows.length < STEP_ROWS ? undefined : rows.at(-1);
  }

  async #write({ marked, kept }: Walk): Promise<void> {
    const { places, node } = this.#options;
    const part = marked.slice(0, places.areObjects ? STEP_PLACED : STEP_PACKS);
    const [empty, others] = [part.filter((each) => !isKept(each)), part.filter(isKept)];
    const data = await packBytes(
      this.#database,
      others.map(({ pack }) => pack),
    );
    const rewritten = others.flatMap(({ pack }) => filled(pack, data.get(pack), kept.get(pack)!));
    await this.#database.batch([
      ...places.removed(
        empty.map(({ pack }) => pack),
        AT_ONCE,
      ),
      ...(await places.replaced(rewritten, node(), AT_ONCE)),
      // Earlier versions of a grown pack are in older objects too, which would otherwise be kept for a while.
      { sql: "update objects set dead_at = ? where dead_at > ?", args: [AT_ONCE, AT_ONCE] },
      // A pack that was marked again meanwhile stays marked.
      ...part.map(({ pack, marks }) => ({
        sql: "delete from pack_erasures where pack = ? and marks = ?",
        args: [pack, marks],
      })),
    ]);
    marked.splice(0, part.length);

    function isKept({ pack }: Marked): boolean {
      return (kept.get(pack) ?? []).length > 0;
    }
  }
}

/** A pack in which only the kept ranges remain; empty when the pack is gone or damaged. */
function filled(id: number, data: Uint8Array | undefined, kept: readonly Range[]): PackBytes[] {
  const content = data && decompressed(data);
  if (content === undefined) return []; // `weir doctor` reports damaged packs
  const left = new Uint8Array(content.length);
  for (const { offset, length } of kept) left.set(content.subarray(offset, offset + length), offset);
  return [{ id, data: compressZstd(left) }];
}

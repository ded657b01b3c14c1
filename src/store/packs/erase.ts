import { compressZstd } from "../../runtime/zstd.ts";
import type { SweepStep } from "../bodies/body-store.ts";
import type { Database, Statement } from "../store.ts";
import { decompressed } from "./gather.ts";
import { OPEN_REACH, REACH } from "./pack-writer.ts";
import { type Range, rangesOf } from "./placed.ts";
import { decoded } from "./read.ts";

/** Packs that are looked at together: one walk through the rows that may refer to them. */
const PACKS = 64;
/** Packs whose ids are further apart have few rows in common. */
const PACKS_APART = 1_024;
/** Rows that are read in one step, and packs that are written in one. */
const STEP_ROWS = 2_000;
const STEP_PACKS = 8;

interface Marked {
  readonly pack: number;
  readonly marks: number;
  readonly shared: number;
}

/** A walk through the rows that may refer to some packs. */
interface Walk {
  /** Packs that are still to be written. */
  readonly marked: Marked[];
  /** What rows refer to, by pack. */
  readonly kept: ReadonlyMap<number, Range[]>;
  /** No row behind this home refers to them. */
  readonly until: number;
  /** The last row that was read; undefined once all are. */
  after: { readonly home: number; readonly request_id: Uint8Array } | undefined;
}

/**
 * Takes the bytes that no row refers to any more out of packs, in small steps: a pack without rows goes, and in the
 * others zeros take the place of those bytes. What stays keeps its place, so that no row is changed, and nothing is
 * counted. A step that is cut off is done again.
 */
export class PackEraser {
  readonly #database: Database;
  readonly #node: () => string | null;
  readonly #release: (packs: ReadonlySet<number>) => void;
  #walk: Walk | undefined;

  /** @param release - from its call on nothing new refers to these packs. */
  constructor(database: Database, node: () => string | null, release: (packs: ReadonlySet<number>) => void) {
    this.#database = database;
    this.#node = node;
    this.#release = release;
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

  /** Packs that are gone have nothing to be erased. @returns whether there were any. */
  async #unmarkMissing(): Promise<boolean> {
    const missing = "from pack_erasures where pack not in (select id from packs)";
    const found = await this.#database.query({ sql: `select pack ${missing} limit 1`, args: [] });
    if (found.length > 0) await this.#database.batch([{ sql: `delete ${missing}`, args: [] }]);
    return found.length > 0;
  }

  get #mine(): string {
    return this.#node() === null ? ALONE : AMONG_NODES;
  }

  async #waiting(): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>({
      sql: `select count(*) as n from pack_erasures e join packs p on p.id = e.pack where ${this.#mine}`,
      args: [this.#node()],
    });
    return row!.n;
  }

  async #begin(): Promise<Walk | undefined> {
    const found = await this.#database.query<Marked>({
      sql: `select e.pack, e.marks, p.shared from pack_erasures e join packs p on p.id = e.pack
        where ${this.#mine} order by e.pack limit ${PACKS}`,
      args: [this.#node()],
    });
    const first = found[0]?.pack;
    if (first === undefined) return undefined;
    const marked = found.filter(({ pack }) => pack <= first + PACKS_APART);
    this.#release(new Set(marked.map(({ pack }) => pack)));
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
    const part = marked.slice(0, STEP_PACKS);
    const rows = await this.#database.query<{ id: number; data: Uint8Array }>({
      sql: "select id, data from packs where id in (select value from json_each(?))",
      args: [JSON.stringify(part.map(({ pack }) => pack))],
    });
    const data = new Map(rows.map((row) => [row.id, row.data]));
    await this.#database.batch(
      part.flatMap(({ pack, marks }) => [
        ...rewritten(pack, data.get(pack), kept.get(pack) ?? []),
        // Marked again since, it is looked at once more.
        { sql: "delete from pack_erasures where pack = ? and marks = ?", args: [pack, marks] },
      ]),
    );
    marked.splice(0, part.length);
  }
}

/** In a database of one's own there is no table of nodes. */
const ALONE = "p.node is ?1";
/** Its own packs, which no other node shares, and those of nodes that are gone for good. */
const AMONG_NODES = `${ALONE} or p.node not in (select id from nodes)`;

/** Statements that leave a pack nothing but what is kept. */
function rewritten(pack: number, data: Uint8Array | undefined, kept: readonly Range[]): Statement[] {
  if (data === undefined) return [];
  if (kept.length === 0) return [{ sql: "delete from packs where id = ?", args: [pack] }];
  const content = decompressed(data);
  if (content === undefined) return []; // damaged: `weir doctor` names it
  const filled = new Uint8Array(content.length);
  for (const { offset, length } of kept) filled.set(content.subarray(offset, offset + length), offset);
  return [{ sql: "update packs set data = ? where id = ?", args: [compressZstd(filled), pack] }];
}

import { type Placed, rangesOf } from "../packs/placed.ts";
import { decoded, loadPlaced } from "../packs/read.ts";
import { idList, idOf, ROWS_OF } from "../packs/row-id.ts";
import type { Database } from "../store.ts";

/** Requests whose rows are read at a time. */
const AT_ONCE = 500;

interface PackSize {
  readonly id: number;
  readonly bytes: number;
  readonly stored: number;
}

/**
 * Bytes that bodies, headers and files of requests take in packs: what was stored for a request alone, at the compression
 * ratio of its packs. Bytes shared with an earlier request count for the earlier one. Requests without packs are missing.
 */
export async function recordBytes(database: Database, requestIds: readonly string[]): Promise<Map<string, number>> {
  const bytes = new Map<string, number>();
  for (let at = 0; at < requestIds.length; at += AT_ONCE) {
    const rows = await database.query<{ request_id: Uint8Array; home: number; parts: Uint8Array }>({
      sql: `select request_id, home, parts from contents where ${ROWS_OF}`,
      args: [idList(requestIds.slice(at, at + AT_ONCE))],
    });
    const placed = rows.map(({ request_id, home, parts }) => {
      const row = decoded(parts, home);
      return { id: idOf(request_id), list: parts.length, fresh: row === undefined ? [] : freshOf(row) };
    });
    const packs = [...new Set(placed.flatMap(({ fresh }) => fresh.map(({ pack }) => pack)))];
    const sizes = await database.query<PackSize>({
      // SQLite gets both lengths without reading the content.
      sql: "select id, bytes, coalesce(stored, length(data)) as stored from packs where id in (select value from json_each(?))",
      args: [JSON.stringify(packs)],
    });
    const shares = new Map(sizes.map(({ id, bytes, stored }) => [id, bytes === 0 ? 0 : stored / bytes]));
    for (const { id, list, fresh } of placed) {
      const stored = fresh.reduce((sum, { pack, length }) => sum + length * (shares.get(pack) ?? 0), 0);
      bytes.set(id, Math.round(stored) + list);
    }
  }
  return bytes;
}

/**
 * Bytes of the bodies and headers of requests once they are read: a body that was sent compressed may have a thousand times as
 * many. Requests without packs are missing.
 */
export async function readBytes(database: Database, requestIds: readonly string[]): Promise<Map<string, number>> {
  const placed = await loadPlaced(database, requestIds);
  return new Map(
    [...placed].map(([id, { parts }]) => {
      const lengths = parts.flatMap(({ ranges }) => ranges.map(({ length }) => length));
      return [id, lengths.reduce((sum, length) => sum + length, 0)];
    }),
  );
}

/** The packs that hold what was stored for a request alone: the newest it refers to. */
function freshOf(placed: Placed): { readonly pack: number; readonly length: number }[] {
  const byPack = new Map<number, number>();
  for (const { pack, length } of rangesOf(placed)) byPack.set(pack, (byPack.get(pack) ?? 0) + length);
  let left = placed.fresh;
  return [...byPack]
    .sort(([a], [b]) => b - a)
    .map(([pack, length]) => {
      const own = Math.min(left, length);
      left -= own;
      return { pack, length: own };
    });
}

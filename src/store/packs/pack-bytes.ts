import { GatewayError } from "../../errors.ts";
import type { Database } from "../database/database.ts";
import { type PackPlace, placeKey } from "../objects/object-packs.ts";

/** A pack's row; its bytes are in the row or in an object. */
interface PackRow {
  readonly id: number;
  readonly data: Uint8Array;
  readonly object: string | null;
  readonly at: number | null;
  readonly stored: number | null;
}

/**
 * Compressed packs by number, wherever their bytes are; deleted packs are missing.
 *
 * A pack may move to another object between reading its row and reading its bytes: then its row is read again.
 */
export async function packBytes(database: Database, ids: readonly number[]): Promise<Map<number, Uint8Array>> {
  const found = new Map<number, Uint8Array>();
  const moved = await readInto(found, database, ids);
  if (moved.length > 0) await readInto(found, database, moved);
  return found;
}

/** @returns packs whose objects were missing. */
async function readInto(
  found: Map<number, Uint8Array>,
  database: Database,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await database.query<PackRow>({
    sql: "select id, data, object, at, stored from packs where id in (select value from json_each(?))",
    args: [JSON.stringify(ids)],
  });
  const placed = new Map<number, PackPlace>();
  for (const { id, data, object, at, stored } of rows) {
    if (object === null) found.set(id, data);
    else placed.set(id, { object, at: at!, stored: stored! });
  }
  if (placed.size === 0) return [];
  if (database.objects === undefined) {
    throw new GatewayError(
      "bodies_unavailable",
      "bodies are in an object store that is not configured: set bodies_url, bodies_bucket and its keys",
    );
  }
  const bytes = await database.objects.read([...placed.values()]);
  return [...placed].flatMap(([id, place]) => {
    const data = bytes.get(placeKey(place));
    if (data !== undefined) found.set(id, data);
    return data === undefined ? [id] : [];
  });
}

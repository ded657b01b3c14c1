import { decompressZstd } from "../../runtime/zstd.ts";
import type { Database, Statement } from "../database/database.ts";
import { type BodyForm, type BodyPart, PARTS } from "../packs/placed.ts";
import type { RequestBodies, RequestTexts, StoredBody } from "../packs/read.ts";
import type { Content } from "../packs/request-content.ts";

/**
 * Contents recorded before packs existed: small parts in the row of the texts, larger ones in `bodies`, shared content in
 * `blobs`, files in `assets`. This module reads and removes them and writes nothing.
 */

/** A stored part; `data` is null when `hash` refers to the content or when retention removed it. */
interface BodyRow {
  readonly request_id: string;
  readonly part: BodyPart;
  readonly form: BodyForm;
  readonly bytes: number;
  readonly codec: string;
  readonly data: Uint8Array | null;
  readonly hash: string | null;
}

/** Bodies of many requests. Bodies whose content retention removed are left out. */
export async function loadPlain(
  database: Database,
  requestIds: readonly string[],
  parts: readonly BodyPart[],
): Promise<Map<string, RequestBodies>> {
  const rows = await loadStored(database, requestIds, parts);
  const blobs = await loadBlobs(
    database,
    rows.flatMap(({ hash }) => hash ?? []),
  );
  const found = new Map<string, Partial<Record<BodyPart, StoredBody>>>();
  for (const { request_id, part, form, bytes, codec, data, hash } of rows) {
    const blob = hash === null ? undefined : blobs.get(hash);
    const content = blob?.content ?? (data && unpack(data, codec));
    if (content === null) continue;
    const of = found.get(request_id) ?? {};
    of[part] = { form, bytes, hash, contentType: blob?.contentType ?? null, content };
    found.set(request_id, of);
  }
  return found;
}

/** Small parts are in the row of the texts, all of a request in one row; the others are in `bodies`. */
async function loadStored(
  database: Database,
  requestIds: readonly string[],
  parts: readonly BodyPart[],
): Promise<BodyRow[]> {
  const ids = JSON.stringify(requestIds);
  const beside = parts.filter(standsBesideTexts);
  const [small, large] = await Promise.all([
    database.query<SmallParts>({
      sql: `select ${["request_id", "request_is_text", "response_is_text", ...beside].join(", ")} from texts
        where request_id in (select value from json_each(?))`,
      args: [ids],
    }),
    database.query<BodyRow>({
      sql: `select request_id, part, form, bytes, codec, data, blob_hash as hash from bodies
        where request_id in (select value from json_each(?)) and part in (select value from json_each(?))`,
      args: [ids, JSON.stringify(parts)],
    }),
  ]);
  for (const row of small) {
    for (const part of beside) {
      const data = row[part];
      if (data === null) continue;
      const { request_id } = row;
      const form = smallForm(row, part);
      large.push({ request_id, part, form, bytes: data.length, codec: "plain", data, hash: null });
    }
  }
  return large;
}

/** The provider's bodies are never stored there: hardly any request has them. */
type PartBesideTexts = Exclude<BodyPart, "provider_request" | "provider_response">;

function standsBesideTexts(part: BodyPart): part is PartBesideTexts {
  return part !== "provider_request" && part !== "provider_response";
}

type SmallParts = Readonly<Record<PartBesideTexts, Uint8Array | null>> & {
  readonly request_id: string;
  readonly request_is_text: number;
  readonly response_is_text: number;
};

function smallForm(row: SmallParts, part: PartBesideTexts): BodyForm {
  if (part === "headers") return "json";
  if (part === "raw") return "text";
  return row[`${part}_is_text`] === 0 ? "json" : "text";
}

export async function loadPlainTexts(database: Database, requestIds: readonly string[]) {
  const rows = await database.query<RequestTexts & { readonly request_id: string }>({
    sql: "select request_id, prompt, completion from texts where request_id in (select value from json_each(?))",
    args: [JSON.stringify(requestIds)],
  });
  return rows.map(({ request_id, ...texts }) => [request_id, texts] as const);
}

/** Everything stored for these requests; requests without such contents are missing. */
export async function loadPlainWhole(database: Database, requestIds: readonly string[]): Promise<Map<string, Content>> {
  const bodies = await loadPlain(database, requestIds, PARTS);
  const texts = new Map(await loadPlainTexts(database, requestIds));
  const files = await database.query<{ request_id: string; hash: string; content_type: string }>({
    sql: `select request_id, asset_id as hash, content_type from assets
      where request_id in (select value from json_each(?))`,
    args: [JSON.stringify(requestIds)],
  });
  const contents = await loadBlobs(
    database,
    files.map(({ hash }) => hash),
  );
  const found = new Map<string, Content>();
  for (const id of new Set([...bodies.keys(), ...texts.keys(), ...files.map(({ request_id }) => request_id)])) {
    const parts = Object.entries(bodies.get(id) ?? {}).map(([part, { form, contentType, content }]) => ({
      part: part as BodyPart,
      form,
      contentType,
      bytes: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    }));
    const assets = files
      .filter(({ request_id }) => request_id === id)
      .flatMap(({ hash, content_type }) => {
        const bytes = contents.get(hash)?.content;
        return bytes === undefined ? [] : [{ id: hash, contentType: content_type, bytes }];
      });
    found.set(id, { parts, assets, texts: texts.get(id) ?? { prompt: null, completion: null } });
  }
  return found;
}

/** Shared contents by hash; deleted ones are missing. */
async function loadBlobs(database: Database, hashes: readonly string[]) {
  if (hashes.length === 0) return new Map<string, SharedContent>();
  const rows = await database.query<{ hash: string; codec: string; content_type: string | null; data: Uint8Array }>({
    sql: "select hash, codec, content_type, data from blobs where hash in (select value from json_each(?))",
    args: [JSON.stringify([...new Set(hashes)])],
  });
  return new Map<string, SharedContent>(
    rows.map(({ hash, codec, content_type, data }) => [
      hash,
      { contentType: content_type, content: unpack(data, codec) },
    ]),
  );
}

interface SharedContent {
  readonly contentType: string | null;
  readonly content: Uint8Array;
}

/** A file of a record; undefined when the record has no such file. */
export async function loadPlainAsset(database: Database, requestId: string, assetId: string) {
  const sql = `select a.content_type, s.codec, s.data from assets a join blobs s on s.hash = a.asset_id
    where a.request_id = ? and a.asset_id = ?`;
  const [row] = await database.query<{ content_type: string; codec: string; data: Uint8Array }>({
    sql,
    args: [requestId, assetId],
  });
  return row && { contentType: row.content_type, content: unpack(row.data, row.codec) };
}

/** Limits for bodies that are moved together: requests, and their bytes. The first request may exceed the bytes. */
const STEP_ROWS = 200;
const STEP_BYTES = 4 << 20;

/** Some requests with contents of this kind, oldest first; empty when none are left. */
export async function plainIds(database: Database): Promise<string[]> {
  for (const table of ["texts", "bodies", "assets"]) {
    const rows = await database.query<{ request_id: string }>({
      sql: `select distinct request_id from (select request_id from ${table} order by rowid limit ${STEP_ROWS})`,
      args: [],
    });
    if (rows.length > 0)
      return ofFewBytes(
        database,
        rows.map(({ request_id }) => request_id),
      );
  }
  return [];
}

async function ofFewBytes(database: Database, requestIds: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ request_id: string; bytes: number }>({
    sql: `select request_id, sum(bytes) as bytes from (
        select request_id, bytes from bodies where request_id in (select value from json_each(?1))
        union all select request_id, bytes from assets where request_id in (select value from json_each(?1))
      ) group by request_id`,
    args: [JSON.stringify(requestIds)],
  });
  const sizes = new Map(rows.map(({ request_id, bytes }) => [request_id, bytes]));
  let sum = 0;
  return requestIds.filter((id, at) => {
    sum += sizes.get(id) ?? 0;
    return at === 0 || sum <= STEP_BYTES;
  });
}

/** Approximate number of requests with contents of this kind: removed ones between others are counted. */
export async function plainLeft(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>({
    // Two subqueries: each takes one step in the B-tree; a single one with both would scan.
    sql: `select max(coalesce((select max(rowid) from texts) - (select min(rowid) from texts) + 1, 0),
      coalesce((select 1 from bodies limit 1), (select 1 from assets limit 1), 0)) as n`,
    args: [],
  });
  return row!.n;
}

/** Those of these requests that have contents of this kind. */
export async function havePlain(database: Database, requestIds: readonly string[]): Promise<string[]> {
  const sql = ["bodies", "texts", "assets"]
    .map((table) => `select request_id from ${table} where request_id in (select value from json_each(?1))`)
    .join(" union ");
  const rows = await database.query<{ request_id: string }>({ sql, args: [JSON.stringify(requestIds)] });
  return rows.map(({ request_id }) => request_id);
}

/** Statements that remove all contents of these requests; shared content goes with the last request that refers to it. */
export async function removePlain(database: Database, requestIds: readonly string[]): Promise<Statement[]> {
  const ids = JSON.stringify(requestIds);
  const of = "request_id in (select value from json_each(?))";
  const hashes = await database.query<{ hash: string }>({
    sql: `select blob_hash as hash from bodies where ${of} and blob_hash is not null
      union select asset_id from assets where ${of}`,
    args: [ids, ids],
  });
  const rows = ["bodies", "texts", "assets"].map((table) => ({ sql: `delete from ${table} where ${of}`, args: [ids] }));
  if (hashes.length === 0) return rows;
  return [
    ...rows,
    {
      sql: `delete from blobs where hash in (select value from json_each(?))
        and not exists (select 1 from bodies b where b.blob_hash = blobs.hash)
        and not exists (select 1 from assets a where a.asset_id = blobs.hash)`,
      args: [JSON.stringify(hashes.map(({ hash }) => hash))],
    },
  ];
}

function unpack(data: Uint8Array, codec: string): Uint8Array {
  return codec === "zstd" ? decompressZstd(data) : data;
}

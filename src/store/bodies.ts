import type { bodies } from "../record/tables.ts";
import { decompressZstd } from "../runtime/zstd.ts";
import type { Database, Value } from "./store.ts";

export type BodyPart = typeof bodies.$inferSelect.part;
export type BodyForm = typeof bodies.$inferSelect.form;

/** One stored body, decoded. */
export interface StoredBody {
  readonly form: BodyForm;
  /** Length of the body as it was decoded from the wire. */
  readonly bytes: number;
  /** The content's hash and type where it is shared between requests. */
  readonly hash: string | null;
  readonly contentType: string | null;
  readonly content: Uint8Array;
}

/** The bodies of one request, by part; a part that was not recorded is missing. */
export type RequestBodies = Readonly<Partial<Record<BodyPart, StoredBody>>>;

interface BodyRow {
  readonly request_id: string;
  readonly part: BodyPart;
  readonly form: BodyForm;
  readonly bytes: number;
  readonly hash: string | null;
  readonly content_type: string | null;
  readonly codec: string;
  readonly content: Uint8Array | null;
}

/**
 * The stored parts of many requests, of which ?1 and ?2 are JSON lists, as rows of `bodies`. Small ones stand beside the
 * texts; of a part that is in neither place, `data` and `blob_hash` are null.
 */
const STORED = `(select request_id, part, form, bytes, codec, data, blob_hash from bodies
  where request_id in (select value from json_each(?1)) and part in (select value from json_each(?2))
  union all
  select request_id, part, form, length(data), 'plain', data, null from (
    select t.request_id, p.value as part,
      case p.value when 'headers' then 'json' when 'raw' then 'text'
        when 'request' then iif(t.request_is_text, 'text', 'json') else iif(t.response_is_text, 'text', 'json') end as form,
      case p.value when 'headers' then t.headers when 'raw' then t.raw
        when 'request' then t.request else t.response end as data
    from texts t cross join json_each(?2) p where t.request_id in (select value from json_each(?1))))`;

/** Bodies of many requests in one statement. A body whose content is gone (retention) is left out. */
export async function loadBodies(
  database: Database,
  requestIds: readonly string[],
  parts: readonly BodyPart[],
): Promise<ReadonlyMap<string, RequestBodies>> {
  const sql = `select b.request_id, b.part, b.form, b.bytes, b.blob_hash as hash, s.content_type,
      coalesce(s.codec, b.codec) as codec, coalesce(s.data, b.data) as content
    from ${STORED} b left join blobs s on s.hash = b.blob_hash where coalesce(s.data, b.data) is not null`;
  const args: Value[] = [JSON.stringify(requestIds), JSON.stringify(parts)];
  const found = new Map<string, Partial<Record<BodyPart, StoredBody>>>();
  for (const row of await database.query<BodyRow & { readonly content: Uint8Array }>({ sql, args })) {
    const of = found.get(row.request_id) ?? {};
    const { form, bytes, hash } = row;
    of[row.part] = { form, bytes, hash, contentType: row.content_type, content: unpack(row.content, row.codec) };
    found.set(row.request_id, of);
  }
  return found;
}

/** A body as a search reads it: content that many requests share is read once. */
export interface SearchedBody {
  readonly requestId: string;
  readonly part: BodyPart;
  readonly form: BodyForm;
  /** Of shared content. */
  readonly hash: string | null;
  /** Undefined where the content is shared and was not asked for, or is gone (retention). */
  readonly content: Uint8Array | undefined;
}

/** @param isKnown - whether the content of a shared body need not be read again. */
export async function loadSearched(
  database: Database,
  requestIds: readonly string[],
  parts: readonly BodyPart[],
  isKnown: (body: Pick<SearchedBody, "part" | "form" | "hash">) => boolean,
): Promise<SearchedBody[]> {
  const sql = `select request_id, part, form, codec, blob_hash as hash, data as content from ${STORED}`;
  const args: Value[] = [JSON.stringify(requestIds), JSON.stringify(parts)];
  const rows = await database.query<Omit<BodyRow, "bytes" | "content_type">>({ sql, args });
  const missing = new Set(rows.flatMap((row) => (row.hash === null || isKnown(row) ? [] : [row.hash])));
  const blobs = missing.size === 0 ? new Map<string, Uint8Array>() : await loadBlobs(database, [...missing]);
  return rows.map(({ request_id, part, form, hash, content, codec }) => ({
    requestId: request_id,
    part,
    form,
    hash,
    content: hash === null ? (content === null ? undefined : unpack(content, codec)) : blobs.get(hash),
  }));
}

async function loadBlobs(database: Database, hashes: readonly string[]): Promise<Map<string, Uint8Array>> {
  const sql = "select hash, codec, data from blobs where hash in (select value from json_each(?))";
  const rows = await database.query<{ hash: string; codec: string; data: Uint8Array }>({
    sql,
    args: [JSON.stringify(hashes)],
  });
  return new Map(rows.map(({ hash, codec, data }) => [hash, unpack(data, codec)]));
}

/** An asset that a record shows; undefined where the organization's record has no such asset. */
export async function loadAsset(database: Database, requestId: string, assetId: string) {
  const sql = `select a.content_type, s.codec, s.data from assets a join blobs s on s.hash = a.asset_id
    where a.request_id = ? and a.asset_id = ?`;
  const [row] = await database.query<{ content_type: string; codec: string; data: Uint8Array }>({
    sql,
    args: [requestId, assetId],
  });
  return row && { contentType: row.content_type, content: unpack(row.data, row.codec) };
}

function unpack(data: Uint8Array, codec: string): Uint8Array {
  return codec === "zstd" ? decompressZstd(data) : data;
}

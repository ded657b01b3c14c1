import type { bodies } from "../../record/tables.ts";
import { decompressZstd } from "../../runtime/zstd.ts";
import type { Database } from "../store.ts";

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

/** A part as it is stored; `data` is null where `hash` says where the content is, or where it is gone (retention). */
interface BodyRow {
  readonly request_id: string;
  readonly part: BodyPart;
  readonly form: BodyForm;
  readonly bytes: number;
  readonly codec: string;
  readonly data: Uint8Array | null;
  readonly hash: string | null;
}

/** Bodies of many requests. A body whose content is gone (retention) is left out. */
export async function loadBodies(
  database: Database,
  requestIds: readonly string[],
  parts: readonly BodyPart[],
): Promise<ReadonlyMap<string, RequestBodies>> {
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

/** Small parts stand beside the texts, all of a request in one row; the others in `bodies`. */
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
      large.push({
        request_id,
        part,
        form: smallForm(row, part),
        bytes: data.length,
        codec: "plain",
        data,
        hash: null,
      });
    }
  }
  return large;
}

/** The provider's bodies never do: hardly any request has them. */
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
  const rows = await loadStored(database, requestIds, parts);
  const blobs = await loadBlobs(
    database,
    rows.flatMap((row) => (row.hash === null || isKnown(row) ? [] : row.hash)),
  );
  return rows.map(({ request_id, part, form, hash, data, codec }) => ({
    requestId: request_id,
    part,
    form,
    hash,
    content: hash === null ? (data === null ? undefined : unpack(data, codec)) : blobs.get(hash)?.content,
  }));
}

/** Shared contents by their hashes; those that are gone are missing. */
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

import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import type { texts } from "../../record/tables.ts";
import type { Statement, Value } from "../../store/store.ts";
import type { Prepared } from "../prepare/prepare.ts";
import type { StoredPart } from "../prepare/stored-parts.ts";
import { type KeyedRow, SparseInsert } from "./sparse-insert.ts";
import { insertInto, insertRows } from "./statements.ts";

/** A body of at least this many bytes is compressed and shared by its hash; a smaller one stands beside its texts. */
const SHARED_BYTES_MIN = 4_096;
const ZSTD_FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Compressing what is compressed already costs time and gains nothing. */
const COMPRESSED = /^(?:audio|video|image\/(?!svg|bmp)|application\/(?:zip|gzip|pdf))/;
/** Characters of prompt and completion that are kept for searching. */
const TEXT_LENGTH_MAX = 1_000_000;

const INSERT_BODY = insertInto(
  "bodies",
  ["request_id", "part", "form", "bytes", "codec", "data", "blob_hash"],
  `on conflict (request_id, part) do update set form = excluded.form, bytes = excluded.bytes,
  codec = excluded.codec, data = excluded.data, blob_hash = excluded.blob_hash`,
);
const INSERT_BLOB = insertInto("blobs", ["hash", "codec", "content_type", "bytes", "data"], "on conflict do nothing");

type Column = Exclude<keyof typeof texts.$inferInsert, "request_id">;
type Row = Partial<Record<Column, Value>>;

const DEFAULTS: Readonly<Record<Column, Value>> = {
  prompt: null,
  completion: null,
  headers: null,
  request: null,
  request_is_text: 0,
  response: null,
  response_is_text: 0,
  raw: null,
};
const COLUMNS = Object.keys(DEFAULTS) as Column[];
/** After a failure a request is written again: whole. */
const INSERT_TEXTS = new SparseInsert({
  table: "texts",
  key: "request_id",
  columns: COLUMNS,
  defaults: DEFAULTS,
  conflict: `on conflict (request_id) do update set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`,
});

/** Collects bodies and texts of a batch. */
export class BodyInserts {
  readonly #blobs: Value[] = [];
  readonly #bodies: Value[] = [];
  readonly #texts: KeyedRow<Column>[] = [];

  add(requestId: string, parts: readonly StoredPart[], { prompt, completion }: Prepared["texts"]): void {
    const row: Row = { prompt: shortened(prompt), completion: shortened(completion) };
    for (const part of parts) {
      if (!standsBesideTexts(part)) this.#addShared(requestId, part);
      else setPart(row, part);
    }
    if (COLUMNS.some((name) => (row[name] ?? null) !== null)) this.#texts.push({ key: requestId, row });
  }

  /** Content of its own, shared by its hash. */
  addBlob(hash: string, codec: "plain" | "zstd", contentType: string | null, bytes: number, stored: Uint8Array): void {
    this.#blobs.push(hash, codec, contentType, bytes, stored);
  }

  appendTo(statements: Statement[]): void {
    insertRows(INSERT_BLOB, this.#blobs, statements);
    insertRows(INSERT_BODY, this.#bodies, statements);
    INSERT_TEXTS.insert(this.#texts, statements);
  }

  #addShared(requestId: string, { part, form, bytes, contentType }: StoredPart): void {
    const length = bytes.byteLength;
    const hash = createHash("sha256").update(bytes).digest("hex");
    const plain = length < SHARED_BYTES_MIN || COMPRESSED.test(contentType ?? "");
    const codec = plain ? "plain" : "zstd";
    this.addBlob(hash, codec, contentType, length, plain ? bytes : zstdCompressSync(bytes, ZSTD_FAST));
    this.#bodies.push(requestId, part, form, length, codec, null, hash);
  }
}

/** Statements that put JSON in place of the recorded response, wherever that stands. */
export function replaceResponse(requestId: string, bytes: Buffer): Statement[] {
  const statements: Statement[] = [
    { sql: "delete from bodies where request_id = ? and part = 'response'", args: [requestId] },
    { sql: "update texts set response = null, response_is_text = 0 where request_id = ?", args: [requestId] },
  ];
  const part: StoredPart = { part: "response", form: "json", bytes, contentType: null };
  if (standsBesideTexts(part)) {
    const sql = `insert into texts (request_id, response) values (?, ?)
      on conflict (request_id) do update set response = excluded.response`;
    statements.push({ sql, args: [requestId, bytes] });
  } else {
    const inserts = new BodyInserts();
    inserts.add(requestId, [part], { prompt: null, completion: null });
    inserts.appendTo(statements);
  }
  return statements;
}

/** Binary bodies never do: their content type stands beside the blob. Nor do the provider's: hardly any request has them. */
function standsBesideTexts(stored: StoredPart): stored is StoredPart & { readonly part: PartBesideTexts } {
  const { part, form, bytes } = stored;
  return bytes.byteLength < SHARED_BYTES_MIN && form !== "binary" && part in DEFAULTS;
}

type PartBesideTexts = Extract<StoredPart["part"], Column>;

function setPart(row: Row, { part, form, bytes }: StoredPart & { readonly part: PartBesideTexts }): void {
  row[part] = bytes;
  if (part === "request" && form === "text") row.request_is_text = 1;
  if (part === "response" && form === "text") row.response_is_text = 1;
}

function shortened(text: string | null): string | null {
  return text !== null && text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text;
}

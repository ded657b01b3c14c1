import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import type { Statement, Value } from "../store/store.ts";
import type { StoredPart } from "./prepare.ts";
import { type Insert, insertInto, insertRows, insertShaped } from "./statements.ts";

/** A body of at least this many bytes is compressed and shared by its hash; a smaller one stands in its row. */
const SHARED_BYTES_MIN = 4_096;
const ZSTD_FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Compressing what is compressed already costs time and gains nothing. */
const COMPRESSED = /^(?:audio|video|image\/(?!svg|bmp)|application\/(?:zip|gzip|pdf))/;

const COLUMNS = ["request_id", "part", "form", "bytes", "codec", "data", "blob_hash"] as const;
const CONFLICT = `on conflict (request_id, part) do update set form = excluded.form, bytes = excluded.bytes,
  codec = excluded.codec, data = excluded.data, blob_hash = excluded.blob_hash`;
const INSERT_BODY = insertInto("bodies", COLUMNS, CONFLICT);
const INSERT_BLOB = insertInto("blobs", ["hash", "codec", "content_type", "bytes", "data"], "on conflict do nothing");

/** Statements for records all of whose bodies are small, by the parts and forms that these have: a few dozen at most. */
const shapes = new Map<string, Insert>();

/** Collects the bodies of a batch. */
export class BodyInserts {
  readonly #blobs: Value[] = [];
  readonly #bodies: Value[] = [];
  readonly #shaped = new Map<string, { readonly insert: Insert; readonly values: Value[] }>();

  add(requestId: string, parts: readonly StoredPart[]): void {
    if (parts.length === 0) return;
    if (parts.every(standsInRow)) {
      const { values } = this.#shapeOf(parts);
      values.push(requestId);
      for (const { bytes } of parts) values.push(bytes);
      return;
    }
    for (const part of parts) this.#addOne(requestId, part);
  }

  /** Content of its own, shared by its hash. */
  addBlob(hash: string, codec: "plain" | "zstd", contentType: string | null, bytes: number, stored: Uint8Array): void {
    this.#blobs.push(hash, codec, contentType, bytes, stored);
  }

  appendTo(statements: Statement[]): void {
    insertRows(INSERT_BLOB, this.#blobs, statements);
    insertRows(INSERT_BODY, this.#bodies, statements);
    for (const { insert, values } of this.#shaped.values()) insertRows(insert, values, statements);
  }

  #shapeOf(parts: readonly StoredPart[]) {
    let key = "";
    for (const { part, form } of parts) key += `${part} ${form},`;
    let shaped = this.#shaped.get(key);
    if (shaped === undefined) {
      shaped = { insert: shapes.get(key) ?? newShape(key, parts), values: [] };
      this.#shaped.set(key, shaped);
    }
    return shaped;
  }

  #addOne(requestId: string, each: StoredPart): void {
    const { part, form, bytes, contentType } = each;
    const length = bytes.byteLength;
    if (standsInRow(each)) {
      this.#bodies.push(requestId, part, form, length, "plain", bytes, null);
      return;
    }
    const hash = createHash("sha256").update(bytes).digest("hex");
    const plain = length < SHARED_BYTES_MIN || COMPRESSED.test(contentType ?? "");
    const codec = plain ? "plain" : "zstd";
    this.addBlob(hash, codec, contentType, length, plain ? bytes : zstdCompressSync(bytes, ZSTD_FAST));
    this.#bodies.push(requestId, part, form, length, codec, null, hash);
  }
}

/** Binary bodies never do: their content type stands beside the blob. */
function standsInRow({ form, bytes }: StoredPart): boolean {
  return bytes.byteLength < SHARED_BYTES_MIN && form !== "binary";
}

/** A record with three small bodies binds four values instead of 21, a third less time in all. */
function newShape(key: string, parts: readonly StoredPart[]): Insert {
  const rowsOf = (bound: number) => {
    const row = ({ part, form }: StoredPart, index: number) => {
      const content = `?${bound + index + 2}`;
      return `(?${bound + 1},'${part}','${form}',length(${content}),'plain',${content},null)`;
    };
    return parts.map(row).join(",");
  };
  const insert = insertShaped("bodies", COLUMNS, { width: parts.length + 1, rowsOf }, CONFLICT);
  shapes.set(key, insert);
  return insert;
}

import { createHash } from "node:crypto";
import { filledText } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";
import { ASSET_REFERENCE } from "../store/packs/read.ts";

/** A file that was inside a JSON body as base64. */
export interface Asset {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly id: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The texts that encoded it, one for each place. */
  readonly written: string[];
}

/**
 * Minimum length of base64 that only its member's name marks as a file; shorter texts may be anything. The smallest image
 * has 56 characters.
 */
const BARE_LENGTH_MIN = 48;
const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*;base64,/i;
const LETTER_D = 0x64;
const LOWER_CASE = 0x20;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}\s*$/;
const EQUALS = 0x3d;

/**
 * The content type of the base64 text in a member, as a function of the enclosing object; undefined if it is not a file
 * there. These are the places in which providers put files; data: URLs are found anywhere.
 */
const FIELDS = new Map<string, (parent: Json, value: string) => string | undefined>(
  Object.entries({
    // OpenAI: input_audio and message.audio; Anthropic: source, which may be plain text; Gemini: inlineData.
    data: (parent, value) => {
      if (parent.type === "text") return undefined;
      const said = filledText(parent.media_type) ?? filledText(parent.mimeType) ?? filledText(parent.mime_type);
      if (said !== undefined || value.length < BARE_LENGTH_MIN) return said;
      if (filledText(parent.format) !== undefined) return `audio/${parent.format}`;
      return parent.transcript === undefined && parent.expires_at === undefined ? undefined : "audio/wav";
    },
    file_data: (parent) => filledText(parent.mime_type) ?? "application/octet-stream",
    b64_json: (parent) =>
      filledText(parent.output_format) === undefined ? "image/png" : `image/${parent.output_format}`,
    result: (parent) =>
      parent.type === "image_generation_call" ? `image/${parent.output_format ?? "png"}` : undefined,
    partial_image_b64: () => "image/png",
    // Bedrock: { image: { format, source: { bytes } } }.
    bytes: (_parent, value) => (value.length < BARE_LENGTH_MIN ? undefined : "application/octet-stream"),
  } satisfies Record<string, (parent: Json, value: string) => string | undefined>),
);
/** Text that a JSON body with a file contains, unless its letters are escaped. */
const MARKS = /base64,|"(?:data|file_data|b64_json|result|partial_image_b64|bytes|images)"/i;
/** Above this length, searching the text takes as long as walking the values. */
const MARKED_LENGTH_MAX = 16_384;

/** Whether the value of a JSON text may contain files: a quick check, because most bodies have none. */
export function mayHoldAssets(json: string): boolean {
  // The escape is tested separately: with so short an alternative the expression could not skip most characters.
  return json.length > MARKED_LENGTH_MAX || json.includes("\\u") || MARKS.test(json);
}

/** Names of lists whose elements are bare base64, as in Ollama. */
const LISTS: Readonly<Record<string, string>> = { images: "image/png" };

/**
 * Extracts the files of a JSON value: each is replaced, in place, by `weir-asset:<id>`.
 *
 * Walks iteratively, because bodies may be nested deeper than the stack allows.
 */
export function extractAssets(root: Json): Asset[] {
  if (typeof root !== "object" || root === null) return [];
  let assets: Map<string, Asset> | undefined;
  const pending: Json[] = [root];
  const take = (parent: Json, key: string | number, { contentType, bytes }: File) => {
    assets ??= new Map();
    const id = createHash("sha256").update(bytes).digest("hex");
    assets.set(id, { id, contentType, bytes, written: [...(assets.get(id)?.written ?? []), parent[key]] });
    parent[key] = ASSET_REFERENCE + id;
  };
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    // Runs for every record's bodies: it creates no list of names, and skips most texts by their first character.
    for (const key in parent) {
      const value = parent[key];
      if (typeof value === "object" && value !== null) {
        if (Array.isArray(value) && Object.hasOwn(LISTS, key)) takeFromList(value, LISTS[key]!, take);
        // Embedding vectors are long and contain no files.
        if (typeof value[0] !== "number") pending.push(value);
      } else if (typeof value === "string") {
        const found = findFile(parent, key, value);
        if (found !== undefined) take(parent, key, found);
      }
    }
  }
  return assets === undefined ? [] : [...assets.values()];
}

interface File {
  readonly contentType: string;
  readonly bytes: Buffer;
}

function findFile(parent: Json, key: string, value: string): File | undefined {
  const url = (value.charCodeAt(0) | LOWER_CASE) === LETTER_D ? DATA_URL.exec(value) : null;
  if (url !== null) return fileOf(url[1] || "text/plain", value.slice(url[0].length));
  const contentType = FIELDS.get(key)?.(parent, value);
  return contentType === undefined ? undefined : fileOf(contentType, value);
}

/** Undefined if the text is not base64. */
function fileOf(contentType: string, base64: string): File | undefined {
  const bytes = Buffer.from(base64, "base64");
  return isWhole(base64, bytes.length) || BASE64.test(base64) ? { contentType, bytes } : undefined;
}

/**
 * Whether every character of a base64 text was used for its decoded bytes; the decoder skips invalid ASCII characters. A
 * regular expression takes fifteen times as long as the decoding. A single leftover character cannot be detected.
 */
function isWhole(base64: string, bytes: number): boolean {
  let length = base64.length;
  for (let sign = 0; sign < 2 && base64.charCodeAt(length - 1) === EQUALS; sign++) length--;
  const isAll = length > 0 && length % 4 !== 1 && bytes === Math.floor((length * 3) / 4);
  return isAll && Buffer.byteLength(base64) === base64.length;
}

/**
 * The name of a text that encodes these bytes: what precedes the base64, and the id. Undefined unless it is encoded as by
 * most programs, because then its name says every character: it has the length that the bytes need, so the decoder, which
 * skips what is not base64, skipped nothing.
 */
export function nameOfText(text: string, { id, bytes }: Pick<Asset, "id" | "bytes">): string | undefined {
  const before = DATA_URL.exec(text)?.[0] ?? "";
  if (bytes.length === 0 || text.length - before.length !== Math.ceil(bytes.length / 3) * 4) return undefined;
  const end = bytes.toString("base64", bytes.length - (bytes.length % 3 || 3));
  if (!text.endsWith(end) || text.includes("-", before.length) || text.includes("_", before.length)) return undefined;
  return before + id;
}

function takeFromList(list: Json[], contentType: string, take: (parent: Json, key: number, file: File) => void): void {
  list.forEach((value, index) => {
    if (typeof value !== "string" || value.length < BARE_LENGTH_MIN) return;
    const file = fileOf(contentType, value);
    if (file !== undefined) take(list, index, file);
  });
}

import { hash } from "node:crypto";
import { filledText } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";
import { ASSET_REFERENCE } from "../store/packs/read.ts";
import type { FileInPart } from "../store/packs/request-content.ts";
import { DATA_URL, decodeBase64 } from "./base64.ts";
import type { FileString } from "./file-strings.ts";
import { setMember, type UnreadStrings } from "./unread-strings.ts";

/** A file that was inside a JSON body as base64. */
export interface Asset {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly id: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The texts that encoded it, one for each place that is not known. */
  readonly written: string[];
  /** Its known places in the text. */
  readonly places: FileInPart[];
}

/**
 * Minimum length of base64 that only its member's name marks as a file; shorter texts may be anything. The smallest image
 * has 56 characters.
 */
const BARE_LENGTH_MIN = 48;
const LETTER_D = 0x64;
const LOWER_CASE = 0x20;

/**
 * The content type of the base64 text in a member, as a function of the enclosing object; undefined if it is not a file
 * there. These are the places in which providers put files; data: URLs are found anywhere.
 */
const FIELDS = new Map<string, (parent: Json, length: number) => string | undefined>(
  Object.entries({
    // OpenAI: input_audio and message.audio; Anthropic: source, which may be plain text; Gemini: inlineData.
    data: (parent, length) => {
      if (parent.type === "text") return undefined;
      const said = filledText(parent.media_type) ?? filledText(parent.mimeType) ?? filledText(parent.mime_type);
      if (said !== undefined || length < BARE_LENGTH_MIN) return said;
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
    bytes: (_parent, length) => (length < BARE_LENGTH_MIN ? undefined : "application/octet-stream"),
  } satisfies Record<string, (parent: Json, length: number) => string | undefined>),
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
 *
 * @param unread - strings of the value that were not read yet; they stay so.
 */
export function extractAssets(root: Json, unread?: UnreadStrings): Asset[] {
  if (typeof root !== "object" || root === null) return [];
  const files = new Extraction(unread);
  const pending: Json[] = [root];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const isPartlyUnread = unread?.isIn(parent) === true;
    // Runs for every record's bodies: it creates no list of names, and skips most texts by their first character.
    for (const key in parent) {
      if (isPartlyUnread && files.takeUnread(parent, key)) continue;
      const value = parent[key];
      if (typeof value === "object" && value !== null) {
        if (Array.isArray(value) && Object.hasOwn(LISTS, key)) files.takeFromList(value, LISTS[key]!);
        // Embedding vectors are long and contain no files.
        if (typeof value[0] !== "number") pending.push(value);
      } else if (typeof value === "string") files.takeText(parent, key, value);
    }
  }
  return files.assets === undefined ? [] : [...files.assets.values()];
}

/** The files found so far in a value. */
class Extraction {
  assets: Map<string, Asset> | undefined;
  readonly #unread: UnreadStrings | undefined;

  constructor(unread: UnreadStrings | undefined) {
    this.#unread = unread;
  }

  takeText(parent: Json, key: string, text: string): void {
    const url = (text.charCodeAt(0) | LOWER_CASE) === LETTER_D ? DATA_URL.exec(text) : null;
    if (url !== null) {
      this.#decode(parent, key, typeOf(url), url[0].length);
      return;
    }
    const contentType = FIELDS.get(key)?.(parent, text.length);
    if (contentType !== undefined) this.#decode(parent, key, contentType);
  }

  /** @returns whether the member is an unread string. */
  takeUnread(parent: Json, key: string): boolean {
    const string = this.#unread?.at(parent, key);
    if (string === undefined) return false;
    const url = DATA_URL.exec(string.before);
    const contentType = url === null ? FIELDS.get(key)?.(parent, string.end - string.start) : typeOf(url);
    if (contentType !== undefined) this.#place(parent, key, contentType, string);
    return true;
  }

  takeFromList(list: Json[], contentType: string): void {
    for (let index = 0; index < list.length; index++) {
      const key = String(index);
      const string = this.#unread?.at(list, key);
      if (string !== undefined) {
        if (string.before === "") this.#place(list, key, contentType, string);
      } else if (typeof list[index] === "string" && list[index].length >= BARE_LENGTH_MIN) {
        this.#decode(list, key, contentType);
      }
    }
  }

  /** Takes a text, if it is base64 from `start` on. */
  #decode(parent: Json, key: string, contentType: string, start = 0): void {
    const text: string = parent[key];
    const bytes = decodeBase64(start === 0 ? text : text.slice(start));
    if (bytes === undefined) return;
    const id = hash("sha256", bytes);
    this.#take(parent, key, { id, contentType, bytes }).written.push(text);
  }

  #place(parent: Json, key: string, contentType: string, { start, end, before, file }: FileString): void {
    const { id, bytes } = file;
    const name = file.isCanonical ? { name: before + id } : {};
    const place = { offset: start, length: end - start, id, ...name };
    this.#take(parent, key, { id, contentType, bytes }).places.push(place);
  }

  #take(parent: Json, key: string, file: Pick<Asset, "id" | "contentType" | "bytes">): Asset {
    this.assets ??= new Map();
    const { written = [], places = [] } = this.assets.get(file.id) ?? {};
    const asset = { ...file, written, places };
    this.assets.set(file.id, asset);
    setMember(parent, key, ASSET_REFERENCE + file.id);
    return asset;
  }
}

const typeOf = (url: RegExpExecArray) => url[1] || "text/plain";

/**
 * The name of a text that encodes these bytes: the text before the base64, and the id. The name determines every character
 * of a text in the usual encoding: padded, with `+` and `/`, and exactly as long as the bytes need, so the decoder, which skips
 * characters that are not base64, has skipped none. Undefined for any other text.
 */
export function nameOfText(text: string, { id, bytes }: Pick<Asset, "id" | "bytes">): string | undefined {
  const before = DATA_URL.exec(text)?.[0] ?? "";
  if (bytes.length === 0 || text.length - before.length !== Math.ceil(bytes.length / 3) * 4) return undefined;
  const end = bytes.toString("base64", bytes.length - (bytes.length % 3 || 3));
  if (!text.endsWith(end) || text.includes("-", before.length) || text.includes("_", before.length)) return undefined;
  return before + id;
}

import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { parseJson } from "../mapping/events/json.ts";
import type { Json } from "../plugin-host/contract.ts";
import { type FileString, fileStrings } from "./file-strings.ts";

/** Stands for a string while the rest is parsed. It is random, and never seen outside of this file: no body contains it. */
const PLACEHOLDER = `${randomBytes(18).toString("base64url")}:`;

/**
 * Long base64 strings of a JSON value that are still in the bytes of its text. They are members like all others, but their text
 * is decoded when they are read. They keep the bytes of the body in memory.
 */
export class UnreadStrings {
  readonly #members = new Map<object, Map<string, FileString & { readonly read: () => string }>>();
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Whether an object or a list has such a string; may be true if it had. */
  isIn(parent: object): boolean {
    return this.#members.has(parent);
  }

  /** The string that is a member of an object or a list, unless the member was changed. */
  at(parent: object, key: string): FileString | undefined {
    const string = this.#members.get(parent)?.get(key);
    return string && Object.getOwnPropertyDescriptor(parent, key)?.get === string.read ? string : undefined;
  }

  put(parent: Json, key: string, string: FileString): void {
    let text: string | undefined;
    const read = () => (text ??= this.#bytes.toString("latin1", string.start, string.end));
    // `this` is another object if the member is inherited, or was copied with its getter.
    const set = function (this: Json, value: Json) {
      setMember(this, key, value);
    };
    Object.defineProperty(parent, key, { get: read, set, enumerable: true, configurable: true });
    const own = this.#members.get(parent) ?? new Map();
    this.#members.set(parent, own.set(key, { ...string, read }));
  }
}

/** Sets a member that may be unread to a plain value. */
export function setMember(parent: Json, key: string, value: Json): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * The value of a large JSON text with long base64 strings, without making strings of them. It is equal to the parsed value of
 * the whole text.
 *
 * @param lengthMin - of a string, as in `fileStrings`.
 * @returns undefined if there are none, or if the value cannot be read in this way.
 */
export function readAround(bytes: Buffer, lengthMin?: number): { json: Json; unread: UnreadStrings } | undefined {
  const strings = fileStrings(bytes, lengthMin);
  if (strings.length === 0) return undefined;
  const text = textAround(bytes, strings);
  const json = text === undefined ? undefined : parseJson(text);
  const unread = new UnreadStrings(bytes);
  return putBack(json, strings, unread) ? { json, unread } : undefined;
}

/** The text with placeholders, which end in their string's index; undefined if it is not UTF-8. */
function textAround(bytes: Buffer, strings: readonly FileString[]): string | undefined {
  let text = "";
  let from = 0;
  for (let index = 0; index <= strings.length; index++) {
    const string = strings[index];
    const piece = bytes.subarray(from, string?.start);
    if (!isUtf8(piece)) return undefined;
    text += piece.toString("utf8");
    if (string === undefined) break;
    text += PLACEHOLDER + index;
    from = string.end;
  }
  return text;
}

/** @returns whether all of them are members: one may be a name, or replaced by a later member of its name. */
function putBack(root: Json, strings: readonly FileString[], unread: UnreadStrings): boolean {
  let left = strings.length;
  const pending: Json[] = typeof root === "object" && root !== null ? [root] : [];
  for (let parent = pending.pop(); parent !== undefined && left > 0; parent = pending.pop()) {
    // Lists of numbers may be long: their places as texts would take far longer.
    for (const key of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
      const value = parent[key];
      if (typeof value === "object" && value !== null) pending.push(value);
      else if (typeof value === "string" && value.startsWith(PLACEHOLDER)) {
        unread.put(parent, String(key), strings[Number(value.slice(PLACEHOLDER.length))]!);
        left--;
      }
    }
  }
  return left === 0;
}

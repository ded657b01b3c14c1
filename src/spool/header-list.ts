import type { RawHeaders } from "./frame.ts";
import { type KnownHeaders, mayBeKnown, nothingKnown, readerOf } from "./known-headers.ts";
import { RecentTexts } from "./recent-texts.ts";

const [QUOTE, BACKSLASH, COMMA, SPACE] = [0x22, 0x5c, 0x2c, 0x20];
const [OPENING, CLOSING] = [0x5b, 0x5d];
/** `JSON.stringify` writes one of these characters behind a backslash, or a `u` and four digits. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));
const SMALL_U = 0x75;
const DIGITS = /^(?:00[01]|d[89a-f][0-9a-f])[0-9a-f]$/;

const READERS = new RecentTexts(readerOf);
const TEXTS = new RecentTexts<string>((text) => JSON.parse(text));

/**
 * A list of raw headers as the bytes of JSON, as `JSON.stringify` writes it.
 *
 * Records are stored with these bytes, and need the values of a few names, which are found while the bytes are checked. All
 * pairs are parsed only for those who read them.
 */
export class HeaderList {
  static readonly none = new HeaderList(Buffer.from("[]"), nothingKnown());

  readonly bytes: Buffer;
  readonly known: Readonly<KnownHeaders>;

  private constructor(bytes: Buffer, known: KnownHeaders) {
    this.bytes = bytes;
    this.known = known;
  }

  /**
   * Copies the bytes `[from, to)` of `buffer`.
   *
   * @returns undefined if they are no list of pairs of strings, or have spaces or escapes that `JSON.stringify` does not write.
   */
  static read(buffer: Buffer, from: number, to: number): HeaderList | undefined {
    if (to - from < 2 || buffer[from] !== OPENING || buffer[to - 1] !== CLOSING) return undefined;
    if (to - from === 2) return HeaderList.none;
    const known = nothingKnown();
    let end = from;
    do {
      const name = end + 1;
      const nameEnd = stringEnd(buffer, name, to);
      const value = nameEnd + 1;
      end = nameEnd === -1 || buffer[nameEnd] !== COMMA ? -1 : stringEnd(buffer, value, to);
      if (end === -1) return undefined;
      if (!mayBeKnown(nameEnd - name - 2, buffer[name + 1]!)) continue;
      READERS.at(buffer, name + 1, nameEnd - 1)?.(known, TEXTS.at(buffer, value, end));
    } while (buffer[end] === COMMA);
    if (end !== to - 1) return undefined;
    const bytes = Buffer.allocUnsafeSlow(to - from);
    buffer.copy(bytes, 0, from, to);
    return new HeaderList(bytes, known);
  }

  /** @param pairs - names and values in turn. */
  static of(pairs: RawHeaders): HeaderList {
    const bytes = Buffer.from(JSON.stringify(pairs));
    const list = HeaderList.read(bytes, 0, bytes.byteLength);
    if (list === undefined) throw new TypeError("a header has no value");
    return list;
  }

  get pairs(): RawHeaders {
    return JSON.parse(this.bytes.toString());
  }

  toJSON(): RawHeaders {
    return this.pairs;
  }
}

/** Whether a value is a list of names and values in turn. */
export function isPairs(value: unknown): value is RawHeaders {
  return Array.isArray(value) && value.length % 2 === 0 && value.every((each) => typeof each === "string");
}

/**
 * The pairs in the bytes `[from, to)` of `buffer`: a short list whose names come again, as those of `Gateway-*` headers do.
 *
 * @returns undefined if they are no list of pairs as `JSON.stringify` writes it.
 */
export function readPairs(buffer: Buffer, from: number, to: number): RawHeaders | undefined {
  if (to - from < 2 || buffer[from] !== OPENING || buffer[to - 1] !== CLOSING) return undefined;
  const pairs: string[] = [];
  let end = to - from === 2 ? to - 1 : from;
  while (end < to - 1) {
    const name = end + 1;
    const nameEnd = stringEnd(buffer, name, to);
    end = nameEnd === -1 || buffer[nameEnd] !== COMMA ? -1 : stringEnd(buffer, nameEnd + 1, to);
    if (end === -1 || (buffer[end] !== COMMA && end !== to - 1)) return undefined;
    const value = buffer.toString("utf8", nameEnd + 2, end - 1);
    pairs.push(TEXTS.at(buffer, name, nameEnd), value.includes("\\") ? JSON.parse(`"${value}"`) : value);
  }
  return pairs;
}

/** Where the JSON string that begins at `at` has ended; -1 if there is none before `to`. */
function stringEnd(buffer: Buffer, at: number, to: number): number {
  if (buffer[at] !== QUOTE) return -1;
  for (let next = at + 1; next < to; next++) {
    const byte = buffer[next]!;
    if (byte === QUOTE) return next + 1;
    if (byte < SPACE) return -1;
    if (byte !== BACKSLASH) continue;
    next++;
    if (ESCAPED.has(buffer[next]!)) continue;
    if (buffer[next] !== SMALL_U || !DIGITS.test(buffer.toString("latin1", next + 1, next + 5))) return -1;
    next += 4;
  }
  return -1;
}

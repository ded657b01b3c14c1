import { skipSpace, skipString, skipValue } from "../record/json-members.ts";
import { EXPIRING } from "./columns.ts";
import { RowReader } from "./row-reader.ts";
import { addRow, type Cut, expiringIn, type FoundRows } from "./rows.ts";

const HEAD = '{"data":[';
const COMMA = 0x2c;

/** Without its records. */
type Envelope = Readonly<Record<string, unknown>>;

/**
 * Finds the records of a page as a Weir writes it: `data` first, no spaces, the same first member in every record.
 *
 * It searches for the text between two records, which a body may hold as well. What proves that it is right is that the
 * envelope without its records is JSON, and each record is: only one way to read the whole leads there.
 *
 * @param text - with a character for each byte of the answer.
 * @returns undefined where that is not so, be it for an answer of another form or for one that is broken.
 */
export function findCompactRows(text: string): { envelope: Envelope; found: FoundRows } | undefined {
  // A line break outside a string would break a record over two lines.
  if (!text.startsWith(`${HEAD}{"`) || text.includes("\n")) return undefined;
  const end = text.lastIndexOf("}]") + 1;
  const rest = text.slice(end);
  if (end === 0 || !/^[ -[\]-~]+$/.test(rest) || rest.includes('"data"')) return undefined;
  const envelope = parseObject(HEAD + rest);
  if (envelope === undefined) return undefined;
  const found = splitRows(text, end);
  return found && { envelope, found };
}

/** @param end - behind the last record. */
function splitRows(text: string, end: number): FoundRows | undefined {
  const found: FoundRows = { pieces: [], ends: [] };
  const expiring = new ExpiringMembers(text);
  const firstName = text.slice(HEAD.length + 1, skipString(text, HEAD.length + 1));
  const border = `},{${firstName}:`;
  for (let at = HEAD.length; at < end; ) {
    const next = text.indexOf(border, at);
    const rowEnd = next === -1 ? end : Math.min(next + 1, end);
    const record = parseObject(text.slice(at, rowEnd));
    if (record === undefined) return undefined;
    addRow(found, at, rowEnd, expiring.in(record, at, rowEnd));
    at = rowEnd + 1;
  }
  return found;
}

/** Finds what expires in one record after the other. */
class ExpiringMembers {
  readonly #text: string;
  readonly #reader = new RowReader();
  readonly #members: readonly { readonly name: string; readonly written: Needle }[];
  /** Any letter of a name may be written as its code. */
  readonly #escaped: Needle;

  constructor(text: string) {
    this.#text = text;
    this.#members = [...EXPIRING].map((name) => ({ name, written: new Needle(text, `"${name}"`) }));
    this.#escaped = new Needle(text, "\\u00");
  }

  /** @param record - what the text from `at` to `end` means. */
  in(record: object, at: number, end: number): readonly Cut[] {
    const cuts: Cut[] = [];
    for (const { name, written } of this.#members) {
      if (!Object.hasOwn(record, name)) continue;
      const cut = this.#only(written, at, end);
      if (cut === undefined) {
        this.#reader.read(this.#text, at);
        return expiringIn(this.#reader);
      }
      cuts.push(cut);
    }
    return cuts.sort(([left], [right]) => left - right);
  }

  /** The member of a record that has it, where its name stands there once and so cannot be part of a value. */
  #only(written: Needle, at: number, end: number): Cut | undefined {
    const text = this.#text;
    const nameAt = written.from(at);
    const once = nameAt < end && written.from(nameAt + 1) >= end && this.#escaped.from(at) >= end;
    if (!once || text.charCodeAt(nameAt - 1) !== COMMA || text.charCodeAt(nameAt - 2) <= 0x20) return undefined;
    const colon = skipSpace(text, nameAt + written.length);
    return [nameAt - 1, skipValue(text, skipSpace(text, colon + 1))];
  }
}

/** A text that is searched for in another, from its beginning to its end. */
class Needle {
  readonly length: number;
  readonly #text: string;
  readonly #needle: string;
  #at = -1;

  constructor(text: string, needle: string) {
    this.#text = text;
    this.#needle = needle;
    this.length = needle.length;
  }

  /** @returns the first place from `from` on, which must never become less; infinity when there is none. */
  from(from: number): number {
    if (this.#at < from) {
      const at = this.#text.indexOf(this.#needle, from);
      this.#at = at === -1 ? Number.POSITIVE_INFINITY : at;
    }
    return this.#at;
  }
}

/** @returns undefined for text that is not one JSON object. */
function parseObject(text: string): Envelope | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return undefined; // whether the answer is broken, or only not of this form, a whole reading of it will say
  }
}

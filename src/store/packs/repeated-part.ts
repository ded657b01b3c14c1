import { bufferOf, edited } from "../../json-text/edits.ts";
import { sliced } from "./gather.ts";
import type { Range } from "./placed.ts";
import type { PlacedBodies } from "./placed-text.ts";
import type { StoredPart } from "./request-content.ts";

/** Shorter kept ranges are stored again: a reference in the row takes half as much, and a range more to read. */
const KEPT_BYTES_MIN = 64;

type Edited = NonNullable<StoredPart["edited"]>;

/** The request's part with edits. Its bytes are made when they are read, which packs do not. */
export class EditedPart implements StoredPart {
  readonly part: StoredPart["part"];
  readonly form: StoredPart["form"];
  readonly contentType: string | null;
  readonly edited: Edited;
  #bytes: Buffer | undefined;

  constructor({ part, form, contentType }: Pick<StoredPart, "part" | "form" | "contentType">, given: Edited) {
    this.part = part;
    this.form = form;
    this.contentType = contentType;
    this.edited = given;
  }

  get bytes(): Buffer {
    this.#bytes ??= edited(this.edited.of, this.edited.edits);
    return this.#bytes;
  }
}

/**
 * The ranges of a part that consists of the request's bytes with edits. Kept bytes refer to the place of the request's part.
 *
 * @param place - stores the bytes that the edits put in, and kept pieces that are too short for a reference.
 * @returns undefined for any other part, which is stored as a whole.
 */
export function repeatedRanges(
  { edited }: StoredPart,
  { parts, placed }: PlacedBodies,
  place: (bytes: Buffer) => readonly Range[],
): Range[] | undefined {
  if (edited === undefined) return undefined;
  const { of, edits } = edited;
  const request = parts.find(({ part }) => part === "request")?.bytes;
  const at = placed.find(({ part, sent }) => part === "request" && !sent)?.ranges;
  // A plugin may have changed or removed the request in the record.
  if (request === undefined || at === undefined || (request !== of && !request.equals(of))) return undefined;
  const ranges: Range[] = [];
  let own: Uint8Array[] = [];
  const keep = (from: number, to: number) => {
    if (to - from < KEPT_BYTES_MIN) {
      if (to > from) own.push(of.subarray(from, to));
      return;
    }
    if (own.length > 0) ranges.push(...place(bufferOf(own.length === 1 ? own[0]! : Buffer.concat(own))));
    own = [];
    ranges.push(...sliced(at, from, to));
  };
  let read = 0;
  for (const { from, to, text } of edits) {
    keep(read, from);
    if (text !== "") own.push(Buffer.from(text));
    read = to;
  }
  keep(read, of.length);
  if (own.length > 0) ranges.push(...place(Buffer.concat(own)));
  return ranges;
}

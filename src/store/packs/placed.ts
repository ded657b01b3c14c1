import { VarintReader, VarintWriter } from "./varint.ts";

/** Names and forms are stored as their index in these lists: only ever append to them. */
export const PARTS = ["headers", "request", "response", "raw", "provider_request", "provider_response"] as const;
export const FORMS = ["json", "text", "binary"] as const;

export type BodyPart = (typeof PARTS)[number];
export type BodyForm = (typeof FORMS)[number];

/** A range of bytes in the content of a pack. */
export interface Range {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

/** A file inside a body: the range of its text between the quotes. */
export interface FilePlace {
  readonly offset: number;
  readonly length: number;
  /** Index in `assets`. */
  readonly asset: number;
}

/** One part: the concatenation of its ranges. */
export interface PlacedPart {
  readonly part: BodyPart;
  readonly form: BodyForm;
  /** When what is shown cannot be derived from what was sent, both are stored; true for what was sent. */
  readonly sent: boolean;
  readonly contentType: string | null;
  readonly ranges: readonly Range[];
  readonly files: readonly FilePlace[];
}

export interface PlacedAsset {
  /** SHA-256, hexadecimal. */
  readonly id: string;
  readonly contentType: string;
  /** The file's own bytes; empty when a stored part contains the file. */
  readonly ranges: readonly Range[];
}

/** A text: either a range in a part, as the inside of a JSON string, or bytes of its own. */
export type PlacedText =
  /** `within` is an index in `parts`. */
  { readonly within: number; readonly offset: number; readonly length: number } | { readonly ranges: readonly Range[] };

/** Where all contents of one request are. */
export interface Placed {
  /** Bytes stored for this request alone. */
  readonly fresh: number;
  readonly parts: readonly PlacedPart[];
  readonly assets: readonly PlacedAsset[];
  readonly prompt: PlacedText | null;
  readonly completion: PlacedText | null;
  /** The record's input and output, if they are in packs instead of its row. */
  readonly input: PlacedText | null;
  readonly output: PlacedText | null;
}

/** Kinds of entries, numbered after those of the parts. */
const ASSET = 6;
const PROMPT = 7;
const COMPLETION = 8;
const INPUT = 9;
const OUTPUT = 10;
const KINDS = 16;
/** For texts, in place of the form. */
const WITHIN = 1;
/** Flags, from 64 up: an entry without flags takes one byte plus its ranges. */
const SENT = 1;
const TYPED = 2;
const FILES = 4;
const SEVERAL = 8;

const writer = new VarintWriter();

/** @param home - at least the highest pack number of all ranges. */
export function encodePlaced(placed: Placed, home: number): Uint8Array {
  const { fresh, parts, assets, prompt, completion, input, output } = placed;
  writer.clear();
  const ranges = new RangeWriter(writer, home);
  writer.number(fresh);
  for (const asset of assets) {
    entry(writer, ASSET, 0, asset.ranges.length === 1 ? 0 : SEVERAL);
    writer.bytes(Buffer.from(asset.id, "hex"));
    writer.text(asset.contentType);
    ranges.write(asset.ranges);
  }
  for (const { part, form, sent, contentType, files, ranges: own } of parts) {
    const flags = (sent ? SENT : 0) + (contentType === null ? 0 : TYPED) + (files.length === 0 ? 0 : FILES);
    entry(writer, PARTS.indexOf(part), FORMS.indexOf(form), flags + (own.length === 1 ? 0 : SEVERAL));
    if (contentType !== null) writer.text(contentType);
    if (files.length > 0) writeFiles(writer, files);
    ranges.write(own);
  }
  writeText(writer, ranges, PROMPT, prompt);
  writeText(writer, ranges, COMPLETION, completion);
  writeText(writer, ranges, INPUT, input);
  writeText(writer, ranges, OUTPUT, output);
  return writer.finish();
}

/** @throws RangeError when the bytes are not a valid row. */
export function decodePlaced(bytes: Uint8Array, home: number): Placed {
  const reader = new VarintReader(bytes);
  const ranges = new RangeReader(reader, home);
  const fresh = reader.number();
  const parts: PlacedPart[] = [];
  const assets: PlacedAsset[] = [];
  let [prompt, completion, input, output]: (PlacedText | null)[] = [null, null, null, null];
  while (!reader.done) {
    const head = reader.number();
    const kind = head % KINDS;
    const form = Math.floor(head / KINDS) % 4;
    const flags = Math.floor(head / 64);
    const several = (flags & SEVERAL) !== 0;
    if (kind === ASSET) {
      const id = Buffer.from(reader.bytes(32)).toString("hex");
      assets.push({ id, contentType: reader.text(), ranges: ranges.read(several) });
    } else if (kind === PROMPT) prompt = readText(reader, ranges, form, several);
    else if (kind === COMPLETION) completion = readText(reader, ranges, form, several);
    else if (kind === INPUT) input = readText(reader, ranges, form, several);
    else if (kind === OUTPUT) output = readText(reader, ranges, form, several);
    else {
      const [part, formName] = [PARTS[kind], FORMS[form]];
      if (part === undefined || formName === undefined) throw new RangeError(`there is no part ${kind}`);
      const contentType = (flags & TYPED) === 0 ? null : reader.text();
      const files = (flags & FILES) === 0 ? [] : readFiles(reader);
      const sent = (flags & SENT) !== 0;
      parts.push({ part, form: formName, sent, contentType, files, ranges: ranges.read(several) });
    }
  }
  return { fresh, parts, assets, prompt: prompt!, completion: completion!, input: input!, output: output! };
}

/** Every range of a row. */
export function* rangesOf({ parts, assets, prompt, completion, input, output }: Placed): Generator<Range> {
  for (const { ranges } of parts) yield* ranges;
  for (const { ranges } of assets) yield* ranges;
  for (const text of [prompt, completion, input, output]) if (text !== null && "ranges" in text) yield* text.ranges;
}

function entry(writer: VarintWriter, kind: number, form: number, flags: number): void {
  writer.number(kind + KINDS * form + 64 * flags);
}

function writeFiles(writer: VarintWriter, files: readonly FilePlace[]): void {
  writer.number(files.length);
  for (const { offset, length, asset } of files) for (const value of [offset, length, asset]) writer.number(value);
}

function readFiles(reader: VarintReader): FilePlace[] {
  const count = reader.number();
  const files: FilePlace[] = [];
  while (files.length < count) {
    files.push({ offset: reader.number(), length: reader.number(), asset: reader.number() });
  }
  return files;
}

function writeText(writer: VarintWriter, ranges: RangeWriter, kind: number, text: PlacedText | null): void {
  if (text === null) return;
  if ("within" in text) {
    entry(writer, kind, WITHIN, 0);
    for (const value of [text.within, text.offset, text.length]) writer.number(value);
    return;
  }
  entry(writer, kind, 0, text.ranges.length === 1 ? 0 : SEVERAL);
  ranges.write(text.ranges);
}

function readText(reader: VarintReader, ranges: RangeReader, form: number, several: boolean): PlacedText {
  if (form !== WITHIN) return { ranges: ranges.read(several) };
  return { within: reader.number(), offset: reader.number(), length: reader.number() };
}

/**
 * A range is stored as the distance of its pack from the row's home, its offset and its length. The offset is omitted when
 * the range starts where the row's last range in the same pack ended, as most do.
 */
class RangeWriter {
  readonly #writer: VarintWriter;
  readonly #home: number;
  /** The last pack, which most ranges share with the one before, and where its last range ended. */
  #pack = -1;
  #end = 0;
  /** The pack before the last one, and where its last range ended: a small record has two packs. */
  #packBefore = -1;
  #endBefore = 0;
  /** Where the last range of each other pack ended. */
  #ends: Map<number, number> | undefined;

  constructor(writer: VarintWriter, home: number) {
    this.#writer = writer;
    this.#home = home;
  }

  /** A single range is written without a count. */
  write(ranges: readonly Range[]): void {
    if (ranges.length !== 1) this.#writer.number(ranges.length);
    for (const { pack, offset, length } of ranges) {
      if (pack !== this.#pack) this.#change(pack);
      const follows = this.#end === offset;
      this.#writer.number((this.#home - pack) * 2 + (follows ? 1 : 0));
      if (!follows) this.#writer.number(offset);
      this.#writer.number(length);
      this.#end = offset + length;
    }
  }

  #change(pack: number): void {
    let end = this.#endBefore;
    if (pack !== this.#packBefore) {
      end = this.#ends?.get(pack) ?? -1;
      if (this.#packBefore !== -1) {
        this.#ends ??= new Map();
        this.#ends.set(this.#packBefore, this.#endBefore);
      }
    }
    this.#packBefore = this.#pack;
    this.#endBefore = this.#end;
    this.#pack = pack;
    this.#end = end;
  }
}

class RangeReader {
  readonly #reader: VarintReader;
  readonly #home: number;
  readonly #ends = new Map<number, number>();

  constructor(reader: VarintReader, home: number) {
    this.#reader = reader;
    this.#home = home;
  }

  read(several: boolean): Range[] {
    const count = several ? this.#reader.number() : 1;
    const ranges: Range[] = [];
    while (ranges.length < count) {
      const head = this.#reader.number();
      const pack = this.#home - Math.floor(head / 2);
      const offset = head % 2 === 1 ? (this.#ends.get(pack) ?? 0) : this.#reader.number();
      const length = this.#reader.number();
      this.#ends.set(pack, offset + length);
      ranges.push({ pack, offset, length });
    }
    return ranges;
  }
}

import { firstOccurrence } from "../../record/first-occurrence.ts";
import { type ChunkKeys, chunkKeys, organizationKey } from "./chunk-keys.ts";
import { ChunkMemory } from "./chunk-memory.ts";
import { cutAround, cutEvenly } from "./cut.ts";
import { OpenPack } from "./open-pack.ts";
import { encodePlaced, type FilePlace, type Placed, type PlacedPart, type PlacedText, type Range } from "./placed.ts";
import { repeatedRanges } from "./repeated-part.ts";
import {
  type FileInPart,
  lengthOfPart,
  type RequestContent,
  type StoredAsset,
  type StoredPart,
} from "./request-content.ts";

/** Bytes of a pack before compression: larger packs take a tenth less space but are read two to three times slower. */
const PACK_BYTES = 131_072;
/** Shorter parts are stored uncut: zstd compresses what they have in common within the pack. */
const CUT_BYTES_MIN = 2_048;
/** A pack that gets this much in one commit is closed with it: filling it up would take more CPU than its space is worth. */
const CLOSING_BYTES = PACK_BYTES / 4;
/** One buffer for each pack that is open. */
const SPARE_MAX = 2;
/** Approximate limit of packs per request: a very long request gets larger packs. */
const REQUEST_PACKS_MAX = 256;
/** A row refers only to its home pack and to packs at most this many numbers before it. */
export const REACH = 4_096;
/** The same for rows that refer only to packs that were open when the row was added. */
export const OPEN_REACH = 1_024;
/** Chunks are remembered for fewer packs than `REACH`: a row may need new packs, and its home is the last of them. */
const MEMORY_PACKS = 3_072;
/** An open pack is closed once this many packs were started after it, however full it is. */
const OPEN_PACKS_MAX = 256;

/** A pack that was filled since the last commit. */
interface FullPack {
  readonly id: number;
  readonly length: number;
  shared: boolean;
  readonly written: number;
  readonly data: Uint8Array;
}

/** A pack in the state that must be written now. */
export interface WrittenPack {
  readonly id: number;
  /** Bytes of its content. */
  readonly length: number;
  /** Its content, compressed. */
  readonly data: Uint8Array;
  readonly shared: boolean;
  /** Bytes of it that are already stored; 0 for a new pack. */
  readonly written: number;
  /** Whether it may still grow. */
  readonly open: boolean;
}

/** Where the parts of one request are; `parts` is made by `encodePlaced`. */
export interface WrittenRow {
  readonly requestId: string;
  readonly home: number;
  readonly parts: Uint8Array;
}

/**
 * Requests and responses fill separate packs: similar content is stored together, and the requests of a conversation are read
 * from few packs.
 */
type Lane = "asked" | "answered";

const LANES: Readonly<Record<StoredPart["part"], Lane>> = {
  headers: "asked",
  request: "asked",
  provider_request: "asked",
  response: "answered",
  raw: "answered",
  provider_response: "answered",
};

/**
 * Puts bodies into packs: small parts uncut, others in chunks, skipping chunks that are remembered. `pending` returns what
 * must be written; the caller reports the result with `committed` or `failed`.
 */
export class PackWriter {
  readonly #memory = new ChunkMemory();
  readonly #open = new Map<Lane, OpenPack>();
  readonly #takeId: () => number;
  #full: FullPack[] = [];
  #rows: WrittenRow[] = [];
  /** Packs of earlier batches that a row of this batch shares for the first time. */
  #newlyShared = new Set<number>();
  #knownShared = new Set<number>();
  /** Buffers of packs that are closed: memory in use is faster than fresh memory. */
  readonly #spare: Buffer[] = [];
  #newest = 0;
  #packBytes = PACK_BYTES;
  #organization: { readonly id: string; readonly key: Uint32Array } = { id: "", key: new Uint32Array(4) };

  /** @param takeId - returns an id that was never used, greater than all before. */
  constructor(takeId: () => number) {
    this.#takeId = takeId;
  }

  add(content: RequestContent): void {
    this.#packBytes = Math.max(PACK_BYTES, Math.ceil(sizeOf(content) / REQUEST_PACKS_MAX));
    if (this.#packBytes > PACK_BYTES) this.#closeAll();
    this.#add(content);
    if (this.#packBytes > PACK_BYTES) this.#closeAll();
  }

  #add(content: RequestContent): void {
    let fresh = 0;
    const organization = this.#keyOf(content.organizationId);
    const place = (lane: Lane, bytes: Uint8Array, cut = cutAround, named = NO_NAMES): Range[] => {
      const { ranges, appended } = this.#place(lane, bytes, { keyOf: chunkKeys(organization, named), cut });
      fresh += appended;
      return ranges;
    };
    const parts: PlacedPart[] = [];
    const files = eachOnce(content.assets);
    const put = (stored: StoredPart, sent: boolean, files: readonly FilePlace[]) => {
      const { part, form } = stored;
      const contentType = form === "binary" ? stored.contentType : null;
      const own = (rest: Buffer) => place(LANES[part], rest);
      const repeated = sent ? undefined : repeatedRanges(stored, { parts: content.parts, placed: parts }, own);
      const cut = isEven({ part, form }) ? cutEvenly : (whole: Uint8Array) => cutAround(whole, files);
      const named = sent ? NO_NAMES : stored.files;
      const ranges = repeated ?? place(LANES[part], sent ? stored.sent! : stored.bytes, cut, named);
      parts.push({ part, form, sent, contentType, files, ranges });
    };
    const within = new Set<string>();
    for (const part of content.parts) {
      put(part, false, part.files === undefined ? NO_FILES : filesOf(part.files, files, within));
      if (part.sent !== undefined) put(part, true, NO_FILES);
    }
    const assets = files.map(({ id, contentType, bytes }) => ({
      id,
      contentType,
      ranges: within.has(id) ? [] : place("asked", bytes),
    }));
    const text = (lane: Lane, text: string | null, part: StoredPart["part"]): PlacedText | null =>
      text === null
        ? null
        : (textWithin(text, content.parts, parts, part) ?? { ranges: place(lane, Buffer.from(text)) });
    const prompt = text("asked", content.texts.prompt, "request");
    const completion = text("answered", content.texts.completion, "response");
    const { input = null, output = null } = content.excerpts ?? {};
    const excerpts = {
      input: beginningOf(prompt, content.texts.prompt, input) ?? text("asked", input, "request"),
      output: beginningOf(completion, content.texts.completion, output) ?? text("answered", output, "response"),
    };
    this.#row(content.requestId, { fresh, parts, assets, prompt, completion, ...excerpts });
  }

  /**
   * Everything to be written in one transaction.
   *
   * @param openTogether - if one open pack must be written, write all open packs.
   */
  pending(openTogether = false): { packs: WrittenPack[]; rows: readonly WrittenRow[]; shared: readonly number[] } {
    for (const [lane, { length, written }] of this.#open) if (length - written >= CLOSING_BYTES) this.#close(lane);
    const open = [...this.#open.values()];
    const isDue = openTogether && open.some(({ changed }) => changed);
    const growing = open.filter(({ changed }) => changed || isDue);
    return {
      packs: [
        ...this.#full.map((pack) => ({ ...pack, open: false })),
        ...growing.map((pack) => {
          const { id, length, shared, written } = pack;
          return { id, length, shared, written, data: pack.grown(), open: true };
        }),
      ],
      rows: this.#rows,
      shared: [...this.#newlyShared],
    };
  }

  /** Everything pending was written. */
  committed(): void {
    for (const pack of this.#open.values()) {
      pack.changed = false;
      pack.written = pack.length;
    }
    for (const id of this.#newlyShared) this.#knownShared.add(id);
    this.#full = [];
    this.#rows = [];
    this.#newlyShared.clear();
  }

  /** It is unknown what of the pending data was written, so nothing new may refer to it. */
  failed(): void {
    this.#memory.clear();
    this.#open.clear();
    this.#full = [];
    this.#rows = [];
    this.#newlyShared.clear();
    this.#knownShared.clear();
  }

  /** Nothing new will refer to these packs. Call it between two commits. */
  release(packs: ReadonlySet<number>): void {
    for (const [lane, { id }] of this.#open) if (packs.has(id)) this.#open.delete(lane);
    this.#memory.forget(packs);
  }

  #row(requestId: string, placed: Placed): void {
    const home = this.#newest;
    this.#rows.push({ requestId, home, parts: encodePlaced(placed, home) });
  }

  #place(
    lane: Lane,
    bytes: Uint8Array,
    { keyOf, cut }: { readonly keyOf: ChunkKeys; readonly cut: (bytes: Uint8Array) => number[] },
  ): { ranges: Range[]; appended: number } {
    if (bytes.length === 0) return { ranges: [], appended: 0 };
    if (bytes.length < CUT_BYTES_MIN) return { ranges: [this.#append(lane, bytes)], appended: bytes.length };
    const ranges: Range[] = [];
    let appended = 0;
    let start = 0;
    for (const end of cut(bytes)) {
      const chunk = bytes.subarray(start, end);
      const key = keyOf(chunk, start);
      const floor = this.#newest - MEMORY_PACKS;
      const known = this.#memory.get(key);
      if (known !== undefined && known.pack >= floor) {
        this.#share(known.pack);
        join(ranges, { ...known, length: chunk.length });
      } else {
        const range = this.#append(lane, chunk);
        this.#memory.put(key, range, floor);
        join(ranges, range);
        appended += chunk.length;
      }
      start = end;
    }
    return { ranges, appended };
  }

  #append(lane: Lane, bytes: Uint8Array): Range {
    let pack = this.#open.get(lane);
    if (pack !== undefined) {
      const isOld = this.#newest - pack.id >= OPEN_PACKS_MAX;
      if (isOld || !pack.hasRoomFor(bytes.length)) pack = this.#close(lane);
    }
    if (pack === undefined) {
      this.#newest = this.#takeId();
      const spare = this.#packBytes === PACK_BYTES ? this.#spare.pop() : undefined;
      const buffer = spare ?? Buffer.allocUnsafeSlow(this.#packBytes);
      pack = new OpenPack(this.#newest, buffer);
      this.#open.set(lane, pack);
    }
    return { pack: pack.id, offset: pack.append(bytes), length: bytes.length };
  }

  #closeAll(): void {
    for (const lane of this.#open.keys()) this.#close(lane);
  }

  #keyOf(organization: string): Uint32Array {
    if (this.#organization.id !== organization) {
      this.#organization = { id: organization, key: organizationKey(organization) };
    }
    return this.#organization.key;
  }

  /** A full pack is compressed while its bytes are in the core's cache. */
  #close(lane: Lane): undefined {
    const pack = this.#open.get(lane);
    this.#open.delete(lane);
    if (pack === undefined) return;
    const { id, length, shared, written, buffer } = pack;
    if (pack.changed) this.#full.push({ id, length, shared, written, data: pack.full() });
    if (buffer.length === PACK_BYTES && this.#spare.length < SPARE_MAX) this.#spare.push(buffer);
  }

  /** Notes that rows far from a pack may refer to it. */
  #share(id: number): void {
    const open = [...this.#open.values()].find((pack) => pack.id === id);
    const unwritten = open ?? this.#full.find((pack) => pack.id === id);
    if (unwritten !== undefined && !unwritten.shared) {
      unwritten.shared = true;
      if (open !== undefined) open.changed = true;
    } else if (unwritten === undefined && !this.#knownShared.has(id)) this.#newlyShared.add(id);
    if (this.#knownShared.size > 2 * REACH)
      this.#knownShared = new Set([...this.#knownShared].filter((known) => known > this.#newest - REACH));
  }
}

const NO_FILES: readonly FilePlace[] = [];
const NO_NAMES: readonly FileInPart[] = [];

/** The same file may be in both bodies. */
function eachOnce(assets: readonly StoredAsset[]): readonly StoredAsset[] {
  return assets.length < 2 ? assets : [...new Map(assets.map((asset) => [asset.id, asset])).values()];
}

/** Where files are in a part, by their index. @param within - receives their ids. */
function filesOf(places: readonly FileInPart[], files: readonly StoredAsset[], within: Set<string>): FilePlace[] {
  return places.flatMap(({ offset, length, id }) => {
    within.add(id);
    const asset = files.findIndex((file) => file.id === id);
    return asset === -1 ? [] : [{ offset, length, asset }];
  });
}

/** Whether a part is a response as it came: a stream, a text, a file. Only JSON is sent again, within later requests. */
function isEven({ part, form }: Pick<StoredPart, "part" | "form">): boolean {
  return form !== "json" && LANES[part] === "answered";
}

/** Upper bound for the packs that these contents need. */
export function packsFor(contents: readonly RequestContent[]): number {
  return contents.reduce((sum, content) => sum + 2 + Math.ceil((sizeOf(content) * 1.1) / PACK_BYTES), 4);
}

function sizeOf({ parts, assets, texts }: RequestContent): number {
  let size = 0;
  for (const part of parts) size += lengthOfPart(part) + (part.sent?.length ?? 0);
  for (const { bytes } of assets) size += bytes.length;
  return size + (texts.prompt?.length ?? 0) * 3 + (texts.completion?.length ?? 0) * 3;
}

/** Appends a range, merging it with the last one if they are adjacent. */
function join(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.pack === range.pack && last.offset + last.length === range.offset) {
    ranges[ranges.length - 1] = { ...last, length: last.length + range.length };
  } else ranges.push(range);
}

/** Finds a text in a part, as the inside of a JSON string. Most requests contain their last question like this. */
function textWithin(
  text: string,
  parts: readonly StoredPart[],
  placed: readonly PlacedPart[],
  name: StoredPart["part"],
): PlacedText | undefined {
  const part = parts.find((each) => each.part === name && each.form === "json");
  if (part === undefined || text === "") return undefined;
  const place = insideOf(part.bytes, text);
  if (place === undefined) return undefined;
  const within = placed.findIndex(({ part: each, sent }) => each === name && !sent);
  return { within, ...place };
}

/** The place of a text that equals, or is the start of, a text whose place in a part is known. */
function beginningOf(whole: PlacedText | null, wholeText: string | null, text: string | null): PlacedText | undefined {
  if (whole === null || !("within" in whole) || text === null || !wholeText?.startsWith(text)) return undefined;
  if (text.length === wholeText.length) return whole;
  return { ...whole, length: Buffer.byteLength(JSON.stringify(text)) - 2 };
}

/** The place of a text in JSON: usually all of a string, sometimes a part of one. */
function insideOf(bytes: Buffer, text: string): { offset: number; length: number } | undefined {
  const quoted = JSON.stringify(text);
  const whole = firstOccurrence(bytes, quoted);
  if (whole !== undefined) return { offset: whole.offset + 1, length: whole.length - 2 };
  return firstOccurrence(bytes, quoted.slice(1, -1));
}

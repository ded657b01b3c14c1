import { chunkKeys, organizationKey } from "./chunk-keys.ts";
import { ChunkMemory } from "./chunk-memory.ts";
import { cutAround, cutEvenly } from "./cut.ts";
import { OpenPack } from "./open-pack.ts";
import {
  encodePlaced,
  type FilePlace,
  type Placed,
  type PlacedAsset,
  type PlacedPart,
  type PlacedText,
  type Range,
} from "./placed.ts";
import { beginningOf, type PlacedBodies, textWithin } from "./placed-text.ts";
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
/** `REACH` of rows that refer only to packs that were open when the row was added. */
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
type Lane = "requests" | "responses";

const LANES: Readonly<Record<StoredPart["part"], Lane>> = {
  headers: "requests",
  request: "requests",
  provider_request: "requests",
  response: "responses",
  raw: "responses",
  provider_response: "responses",
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
  /** Bytes that the request being added has put into packs. */
  #fresh = 0;
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

  #add({ requestId, organizationId, parts, assets, texts, excerpts }: RequestContent): void {
    this.#fresh = 0;
    this.#enter(organizationId);
    const files = eachOnce(assets);
    const within = files.length === 0 ? NO_IDS : new Set<string>();
    const placed: PlacedPart[] = [];
    for (const part of parts) {
      const places = part.files === undefined || files.length === 0 ? NO_FILES : filesOf(part.files, files, within);
      const ranges = this.#repeated(part, { parts, placed }) ?? this.#placePart(part, part.bytes, places, part.files);
      placed.push(placedPart(part, ranges, { sent: false, files: places }));
      if (part.sent === undefined) continue;
      placed.push(placedPart(part, this.#placePart(part, part.sent), { sent: true, files: NO_FILES }));
    }
    const placedAssets: PlacedAsset[] = [];
    for (const { id, contentType, bytes } of files) {
      placedAssets.push({ id, contentType, ranges: within.has(id) ? [] : this.#place("requests", bytes) });
    }
    const bodies = { parts, placed };
    const prompt = this.#text(texts.prompt, "request", bodies);
    const completion = this.#text(texts.completion, "response", bodies);
    const { input = null, output = null } = excerpts ?? {};
    const inputPlace = beginningOf(prompt, texts.prompt, input) ?? this.#text(input, "request", bodies);
    const outputPlace = beginningOf(completion, texts.completion, output) ?? this.#text(output, "response", bodies);
    this.#row(requestId, {
      ...{ fresh: this.#fresh, parts: placed, assets: placedAssets },
      ...{ prompt, completion, input: inputPlace, output: outputPlace },
    });
  }

  /** The ranges of a part that is the request's with edits; undefined for any other. */
  #repeated(part: StoredPart, bodies: PlacedBodies): Range[] | undefined {
    return part.edited && repeatedRanges(part, bodies, (rest) => this.#place(LANES[part.part], rest));
  }

  #placePart(
    { part, form }: StoredPart,
    bytes: Buffer,
    files: readonly FilePlace[] = NO_FILES,
    named: readonly FileInPart[] = NO_NAMES,
  ): Range[] {
    return this.#place(LANES[part], bytes, { isEven: isEven({ part, form }), files, named });
  }

  #text(text: string | null, part: "request" | "response", bodies: PlacedBodies): PlacedText | null {
    if (text === null) return null;
    return textWithin(text, part, bodies) ?? { ranges: this.#place(LANES[part], Buffer.from(text)) };
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

  #place(lane: Lane, bytes: Uint8Array, { isEven, files, named }: Cutting = WHOLE): Range[] {
    if (bytes.length === 0) return [];
    if (bytes.length < CUT_BYTES_MIN) return [this.#append(lane, bytes)];
    const keyOf = chunkKeys(this.#organization.key, named);
    const ranges: Range[] = [];
    let start = 0;
    for (const end of isEven ? cutEvenly(bytes) : cutAround(bytes, files)) {
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
      }
      start = end;
    }
    return ranges;
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
    this.#fresh += bytes.length;
    return { pack: pack.id, offset: pack.append(bytes), length: bytes.length };
  }

  #closeAll(): void {
    for (const lane of this.#open.keys()) this.#close(lane);
  }

  /** What is placed from now on belongs to this organization. */
  #enter(organization: string): void {
    if (this.#organization.id === organization) return;
    this.#organization = { id: organization, key: organizationKey(organization) };
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
const NO_IDS = new Set<string>();

/** How a longer part is cut, and the files in it. */
interface Cutting {
  readonly isEven: boolean;
  readonly files: readonly FilePlace[];
  readonly named: readonly FileInPart[];
}

const WHOLE: Cutting = { isEven: false, files: NO_FILES, named: NO_NAMES };

function placedPart(
  { part, form, contentType }: StoredPart,
  ranges: readonly Range[],
  { sent, files }: Pick<PlacedPart, "sent" | "files">,
): PlacedPart {
  return { part, form, sent, contentType: form === "binary" ? contentType : null, files, ranges };
}

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
  return form !== "json" && LANES[part] === "responses";
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

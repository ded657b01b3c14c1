import type { EntryName } from "./response-files.ts";

/** One stored response: only its file name is kept in memory. */
export type Entry = EntryName;

interface Node {
  readonly entry: Entry;
  older: Node | undefined;
  newer: Node | undefined;
}

interface IndexLimits {
  readonly bytesMax: number;
  readonly entriesMax: number;
}

export interface Totals {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Which responses are stored, by key and place, in LRU order, bounded by bytes and number.
 *
 * The order is a linked list: a Map that gains and loses an entry per hit leaves its old tables behind.
 */
export class ResponseIndex {
  readonly #limits: IndexLimits;
  readonly #onRemoved: (entry: Entry) => void;
  /** For each key a list by place, with gaps. */
  readonly #buckets = new Map<string, (Node | undefined)[]>();
  readonly #folders = new Map<string, { entries: number; bytes: number }>();
  #oldest: Node | undefined;
  #newest: Node | undefined;
  entries = 0;
  bytes = 0;

  /** @param onRemoved - called for every entry that leaves: evicted, replaced, expired or purged. */
  constructor(limits: IndexLimits, onRemoved: (entry: Entry) => void) {
    this.#limits = limits;
    this.#onRemoved = onRemoved;
  }

  /** The entries of a key by place, undefined in the gaps. */
  bucket(key: string): readonly (Entry | undefined)[] {
    return this.#buckets.get(key)?.map((node) => node?.entry) ?? [];
  }

  /** Adds an entry and removes the one in its place; evicts the least recently used entries over the limits. */
  add(entry: Entry): void {
    this.remove(entry.key, entry.place);
    const node: Node = { entry, older: undefined, newer: undefined };
    const bucket = this.#buckets.get(entry.key);
    if (bucket === undefined) {
      const fresh: Node[] = [];
      fresh[entry.place] = node;
      this.#buckets.set(entry.key, fresh);
    } else bucket[entry.place] = node;
    this.#append(node);
    this.#count(entry, 1);
    while (this.#oldest !== undefined && this.#tooMuch()) {
      const { key, place } = this.#oldest.entry;
      this.remove(key, place);
    }
  }

  /** Marks an entry as used. */
  touch(key: string, place: number): void {
    const node = this.#buckets.get(key)?.[place];
    if (node === undefined || node === this.#newest) return;
    this.#unlink(node);
    this.#append(node);
  }

  remove(key: string, place: number): void {
    const bucket = this.#buckets.get(key);
    const node = bucket?.[place];
    if (bucket === undefined || node === undefined) return;
    bucket[place] = undefined;
    if (bucket.every((each) => each === undefined)) this.#buckets.delete(key);
    this.#unlink(node);
    this.#count(node.entry, -1);
    this.#onRemoved(node.entry);
  }

  /** All entries of one organization, least recently used first. */
  of(folder: string): Entry[] {
    const found: Entry[] = [];
    for (let node = this.#oldest; node !== undefined; node = node.newer)
      if (node.entry.folder === folder) found.push(node.entry);
    return found;
  }

  /** A live iterator over all keys. */
  keys(): IterableIterator<string> {
    return this.#buckets.keys();
  }

  totalsOf(folder: string): Totals {
    return this.#folders.get(folder) ?? { entries: 0, bytes: 0 };
  }

  #tooMuch(): boolean {
    return this.bytes > this.#limits.bytesMax || this.entries > this.#limits.entriesMax;
  }

  #count({ folder, bytes }: Entry, sign: 1 | -1): void {
    const totals = this.#folders.get(folder) ?? { entries: 0, bytes: 0 };
    totals.entries += sign;
    totals.bytes += sign * bytes;
    if (totals.entries === 0) this.#folders.delete(folder);
    else this.#folders.set(folder, totals);
    this.entries += sign;
    this.bytes += sign * bytes;
  }

  #append(node: Node): void {
    node.older = this.#newest;
    node.newer = undefined;
    if (this.#newest === undefined) this.#oldest = node;
    else this.#newest.newer = node;
    this.#newest = node;
  }

  #unlink(node: Node): void {
    if (node.older === undefined) this.#oldest = node.newer;
    else node.older.newer = node.newer;
    if (node.newer === undefined) this.#newest = node.older;
    else node.newer.older = node.older;
    node.older = undefined;
    node.newer = undefined;
  }
}

import type { Database } from "../../../store/store.ts";

/** Bytes of columns that are kept unpacked; two million records take half of it for the metrics of a dashboard. */
const BYTES_MAX = 192 * 1024 * 1024;
/** Columns unused for this long are released. */
const IDLE_MS = 120_000;
/** Without room, columns unused for this long are released. */
const STALE_MS = 10_000;

interface Kept {
  readonly column: object;
  readonly bytes: number;
  usedAt: number;
}

/**
 * Unpacked columns of blocks, so that a page that asks the same every few seconds is answered from memory. What is there
 * stays while it is used, rather than giving way to what comes: a scan over more than there is room for would otherwise
 * never find anything. Blocks never change and their numbers are never used twice, so nothing here can be out of date.
 */
class ColumnCache {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #sweptAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  get<T extends object>(key: string): T | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    kept.usedAt = performance.now();
    return kept.column as T;
  }

  put(key: string, column: object, bytes: number): void {
    if (this.#kept.has(key)) return;
    const now = performance.now();
    if (this.#bytes + bytes > BYTES_MAX && now - this.#sweptAt > STALE_MS / 10) {
      this.#sweptAt = now;
      this.#letGo(STALE_MS);
    }
    if (this.#bytes + bytes > BYTES_MAX) return;
    this.#kept.set(key, { column, bytes, usedAt: now });
    this.#bytes += bytes;
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#letGo(IDLE_MS), IDLE_MS / 4);
    this.#timer.unref();
  }

  #letGo(idleMs: number): void {
    const limit = performance.now() - idleMs;
    for (const [key, { usedAt, bytes }] of this.#kept) {
      if (usedAt > limit) continue;
      this.#kept.delete(key);
      this.#bytes -= bytes;
    }
    if (this.#kept.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const caches = new WeakMap<Database, ColumnCache>();

/** The cache of one opened database. */
export function columnCacheOf(database: Database): ColumnCache {
  let cache = caches.get(database);
  if (cache === undefined) {
    cache = new ColumnCache();
    caches.set(database, cache);
  }
  return cache;
}

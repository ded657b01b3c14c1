import type { Database } from "../../../store/store.ts";

/** Maximum bytes of unpacked columns; the metrics of a dashboard over two million records take half of it. */
const BYTES_MAX = 192 * 1024 * 1024;
/** Columns unused for this long are released. */
const IDLE_MS = 120_000;
/** When the cache is full, columns unused for this long are released. */
const STALE_MS = 10_000;

interface Kept {
  readonly column: object;
  readonly bytes: number;
  usedAt: number;
}

/**
 * Caches unpacked columns of blocks, so that a page that repeats its queries every few seconds is served from memory. Entries
 * stay while they are used; new ones do not evict them, because a scan over more than fits would otherwise never get a hit.
 * Blocks never change and their numbers are never reused, so entries never become stale.
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

/** The cache of an open database. */
export function columnCacheOf(database: Database): ColumnCache {
  let cache = caches.get(database);
  if (cache === undefined) {
    cache = new ColumnCache();
    caches.set(database, cache);
  }
  return cache;
}

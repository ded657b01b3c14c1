/** What a runtime may offer besides the standard. */
interface Collector {
  readonly Bun?: { gc(synchronous: boolean): void };
}

/**
 * Frees what nothing refers to any more, at once; takes milliseconds where little is alive.
 *
 * For work that goes through far more memory than it holds: left alone, the engine lets garbage grow to several times
 * of what is alive, and most of it comes from outside its heap. Deno offers nothing of the kind and goes on as it is.
 */
export function collectGarbage(): void {
  (globalThis as Collector).Bun?.gc(true);
}

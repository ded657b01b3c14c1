import { platform } from "./platform.ts";

/**
 * Runs a full garbage collection.
 *
 * For work that allocates far more memory than it holds: by itself, the engine lets garbage grow to several times the live
 * memory, and most of it is outside its heap.
 */
export const { collectGarbage } = platform;

import { platform } from "./platform.ts";

/**
 * Frees unreachable memory at once.
 *
 * For work that goes through far more memory than it holds: left alone, the engine lets garbage grow to several times
 * of what is alive, and most of it comes from outside its heap.
 */
export const { collectGarbage } = platform;

import { platform } from "./platform.ts";

/** zstd of our own making, for packs and bodies. */
export const { decompressZstd, compressZstd } = platform;

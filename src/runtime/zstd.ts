import { platform } from "./platform.ts";

/** zstd compression for this program's own packs and bodies. */
export const { decompressZstd, compressZstd } = platform;

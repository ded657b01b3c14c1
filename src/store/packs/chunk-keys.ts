import { hash } from "node:crypto";
import type { FileInPart } from "./request-content.ts";

/** The key of a chunk that begins at `start` in its part: equal keys mean equal bytes, in one organization. */
type ChunkKeys = (chunk: Uint8Array, start: number) => Uint32Array;

/** The part of every key that keeps organizations apart. */
export const organizationKey = (id: string) => firstWords(hash("sha256", id, "buffer"));

/**
 * Keys of the chunks of one part, by the SHA-256 of their bytes. A file whose text has a name was hashed before: its chunks are
 * keyed by the name and their place in the text, which for a chunk of 32 kB costs a fiftieth of the CPU time. That is another hash,
 * so that no bytes can be chosen to have such a key.
 *
 * @param files - in the part, in order.
 */
export function chunkKeys(organization: Uint32Array, files: readonly FileInPart[]): ChunkKeys {
  return (chunk, start) => {
    const file = files.find(({ offset, length }) => offset <= start && start + chunk.length <= offset + length);
    const text = file?.name && `${file.name} ${start - file.offset} ${chunk.length}`;
    const key = firstWords(text ? hash("sha512", text, "buffer") : hash("sha256", chunk, "buffer"));
    for (let word = 0; word < KEY_WORDS; word++) key[word]! ^= organization[word]!;
    return key;
  };
}

const KEY_WORDS = 4;

function firstWords(sum: Buffer): Uint32Array {
  const words = new Uint32Array(KEY_WORDS);
  for (let word = 0; word < KEY_WORDS; word++) words[word] = sum.readUInt32LE(word * 4);
  return words;
}

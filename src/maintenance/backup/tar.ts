/**
 * The part of the tar format that a backup needs: plain files with names of any length, in ustar with GNU's long names and
 * base-256 sizes, which every tar program reads.
 */
export const TAR_BLOCK_BYTES = 512;
/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK_BYTES);

const NAME_BYTES_MAX = 100;
const OCTAL_SIZE_MAX = 0o77777777777;
const LONG_NAME = "././@LongLink";

interface TarEntry {
  readonly name: string;
  readonly bytes: number;
  /** `0` a file, `L` the name of the next entry; others are skipped. */
  readonly type: string;
}

/** The blocks before a file's content. */
export function tarHeader(name: string, bytes: number, seconds: number): Buffer {
  const nameBytes = Buffer.from(name);
  if (nameBytes.byteLength <= NAME_BYTES_MAX) return block(nameBytes, bytes, "0", seconds);
  const long = Buffer.concat([nameBytes, Buffer.alloc(1)]);
  return Buffer.concat([
    block(Buffer.from(LONG_NAME), long.byteLength, "L", seconds),
    long,
    Buffer.alloc(tarPadding(long.byteLength)),
    block(nameBytes.subarray(0, NAME_BYTES_MAX), bytes, "0", seconds),
  ]);
}

/** Padding after a content of this length. */
export function tarPadding(bytes: number): number {
  return (TAR_BLOCK_BYTES - (bytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;
}

/** Reads one block. @returns undefined for the empty block at the end. @throws if it is not a header. */
export function readTarHeader(header: Buffer): TarEntry | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const sum = Number.parseInt(text(header, 148, 8), 8);
  if (sum !== checksum(header)) throw new Error("it is not a tar archive, or a damaged one");
  const prefix = text(header, 345, 155);
  const name = text(header, 0, 100);
  return { name: prefix === "" ? name : `${prefix}/${name}`, bytes: size(header), type: text(header, 156, 1) || "0" };
}

function block(name: Buffer, bytes: number, type: string, seconds: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, "0"), at, "ascii");
  name.copy(header);
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (bytes <= OCTAL_SIZE_MAX) octal(bytes, 124, 12);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  octal(seconds, 136, 12);
  header.write(type, 156, "ascii");
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** The sum of all bytes, those of the sum itself taken as spaces. */
function checksum(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < TAR_BLOCK_BYTES; at++) if (at < 148 || at >= 156) sum += header[at]!;
  return sum;
}

function size(header: Buffer): number {
  if ((header[124]! & 0x80) !== 0) return Number(header.readBigUInt64BE(128));
  const bytes = Number.parseInt(text(header, 124, 12), 8);
  if (!Number.isSafeInteger(bytes)) throw new Error("it is a damaged tar archive");
  return bytes;
}

function text(header: Buffer, at: number, length: number): string {
  const end = header.indexOf(0, at);
  return header.toString("utf8", at, end === -1 ? at + length : Math.min(end, at + length)).trim();
}

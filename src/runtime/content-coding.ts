import * as zlib from "node:zlib";
import { wholeMembers } from "./gzip-members.ts";
import { platform } from "./platform.ts";
import { wholeFrames } from "./zstd-frames.ts";

export interface Decoded {
  readonly bytes: Buffer;
  /** Some of the body is missing: it was cut off, damaged, over the limit, or in an unknown coding. */
  readonly incomplete: boolean;
}

interface Coding {
  /** Throws on a body with an incorrect end, regardless of its length; otherwise `endsWell` checks the end. */
  readonly sync: (bytes: Buffer, limit: number) => Buffer;
  readonly endsWell?: (bytes: Buffer) => Promise<boolean>;
  /** Bytes of the content, if `sync` throws because something else follows it. */
  readonly contentBytes?: (bytes: Buffer, limit: number) => number;
  /** Also outputs the part that can be decoded. */
  readonly stream: () => NodeJS.ReadWriteStream & { destroy(): void };
}

const FLUSH = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const BROTLI_FLUSH = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};
const ZSTD_FLUSH = { finishFlush: zlib.constants.ZSTD_e_flush };

const GZIP: Coding = {
  sync: (bytes, limit) => zlib.gunzipSync(bytes, { maxOutputLength: limit }),
  contentBytes: wholeMembers,
  stream: () => zlib.createGunzip(FLUSH),
};
const ZLIB: Coding = {
  sync: (bytes, limit) => zlib.inflateSync(bytes, { maxOutputLength: limit }),
  stream: () => zlib.createInflate(FLUSH),
};
const RAW_DEFLATE: Coding = {
  sync: (bytes, limit) => zlib.inflateRawSync(bytes, { maxOutputLength: limit }),
  stream: () => zlib.createInflateRaw(FLUSH),
};
const BROTLI: Coding = {
  sync: (bytes, limit) => zlib.brotliDecompressSync(bytes, { maxOutputLength: limit }),
  ...(!platform.checksBrotli && { endsWell: endsAsBrotli }),
  stream: () => zlib.createBrotliDecompress(BROTLI_FLUSH),
};
const ZSTD: Coding = {
  sync: (bytes, limit) => {
    const frames = wholeFrames(bytes);
    if (frames === undefined) throw new RangeError("the last frame is not whole");
    let left = limit;
    const parts = (platform.decodesAllFrames ? [bytes] : frames).map((part) => {
      const decoded = zlib.zstdDecompressSync(part, { maxOutputLength: Math.max(1, left) });
      left -= decoded.byteLength;
      return decoded;
    });
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  },
  stream: () => zlib.createZstdDecompress(ZSTD_FLUSH),
};

/** `Content-Encoding` names, in lower case. "deflate" is zlib by the standard, and raw deflate in some servers. */
const CODINGS: Readonly<Record<string, (bytes: Buffer) => Coding>> = {
  gzip: () => GZIP,
  "x-gzip": () => GZIP,
  deflate: (bytes) => (looksLikeZlib(bytes) ? ZLIB : RAW_DEFLATE),
  br: () => BROTLI,
  zstd: () => ZSTD,
};

/** More codings than any server applies; a longer list is not processed. */
const CODINGS_MAX = 4;

/**
 * Decodes a body, the last coding first.
 *
 * A truncated or damaged body gives the part that can be decoded. At most `bytesMax` bytes are kept, and each coding is
 * stopped at that size, however much a small body would expand to.
 *
 * @param contentEncoding - the header's value, possibly several codings with commas.
 */
export async function decodeBody(
  bytes: Buffer,
  contentEncoding: string | undefined,
  bytesMax: number,
): Promise<Decoded> {
  const names = (contentEncoding ?? "").toLowerCase().split(",");
  let decoded: Decoded = { bytes, incomplete: false };
  let applied = 0;
  for (const name of names.map((each) => each.trim()).reverse()) {
    if (name === "" || name === "identity" || decoded.bytes.byteLength === 0) continue;
    const coding = Object.hasOwn(CODINGS, name) ? CODINGS[name]!(decoded.bytes) : undefined;
    if (coding === undefined || ++applied > CODINGS_MAX) return cutAt(bytesMax, { ...decoded, incomplete: true });
    const next = await undo(coding, decoded.bytes, bytesMax);
    // A body that is not actually encoded, or is damaged from its start, is kept as received.
    if (next.incomplete && next.bytes.byteLength === 0) return cutAt(bytesMax, { ...decoded, incomplete: true });
    decoded = { bytes: next.bytes, incomplete: next.incomplete || decoded.incomplete };
  }
  return cutAt(bytesMax, decoded);
}

function cutAt(bytesMax: number, decoded: Decoded): Decoded {
  if (decoded.bytes.byteLength <= bytesMax) return decoded;
  return { bytes: decoded.bytes.subarray(0, bytesMax), incomplete: true };
}

async function undo(coding: Coding, bytes: Buffer, bytesMax: number): Promise<Decoded> {
  try {
    // The zlib functions reject a limit of 0.
    const decoded = coding.sync(bytes, Math.max(1, bytesMax));
    return { bytes: decoded, incomplete: (await coding.endsWell?.(bytes)) === false };
  } catch {
    const content = coding.contentBytes?.(bytes, bytesMax) ?? 0;
    // Too much output, or a damaged or truncated body: only the stream outputs the part before.
    if (content === 0 || content === bytes.byteLength) return undoAsFarAsPossible(coding, bytes, bytesMax);
    const whole = await undo(coding, bytes.subarray(0, content), bytesMax);
    const rest = await undoAsFarAsPossible(coding, bytes.subarray(content), bytesMax - whole.bytes.byteLength);
    return { bytes: Buffer.concat([whole.bytes, rest.bytes]), incomplete: true };
  }
}

function undoAsFarAsPossible(coding: Coding, bytes: Buffer, bytesMax: number): Promise<Decoded> {
  const { promise, resolve } = Promise.withResolvers<Decoded>();
  const parts: Buffer[] = [];
  let kept = 0;
  const stream = coding.stream();
  const finish = () => resolve({ bytes: Buffer.concat(parts, Math.min(kept, bytesMax)), incomplete: true });
  stream.on("data", (part: Buffer) => {
    parts.push(part);
    kept += part.byteLength;
    if (kept < bytesMax) return;
    finish();
    stream.destroy();
  });
  stream.on("error", finish);
  stream.on("end", finish);
  stream.on("close", finish);
  stream.end(bytes);
  return promise;
}

/** Output of a decoder while the body arrives. */
interface StreamedDecoding {
  readonly onData: (bytes: Uint8Array) => void;
  /** After the last data. `damaged` if the decoder failed; a truncated body ends without it. */
  readonly onEnd: (damaged: boolean) => void;
}

/** Decodes a body as it arrives. */
export interface StreamDecoder {
  write(bytes: Uint8Array): void;
  end(): void;
  /** Stops all output. */
  stop(): void;
}

/** @returns undefined for an unknown coding, or several codings. */
export function streamDecoder(contentEncoding: string, events: StreamedDecoding): StreamDecoder | undefined {
  const name = contentEncoding.trim().toLowerCase();
  if (!Object.hasOwn(CODINGS, name)) return undefined;
  let stream: ReturnType<Coding["stream"]> | undefined;
  let isOver = false;
  const finish = (damaged: boolean) => {
    if (isOver) return;
    isOver = true;
    stream?.destroy();
    events.onEnd(damaged);
  };
  const open = (first: Uint8Array) => {
    const opened = CODINGS[name]!(Buffer.from(first)).stream();
    opened.on("data", (bytes: Buffer) => {
      if (!isOver) events.onData(bytes);
    });
    opened.on("error", () => finish(true));
    opened.on("end", () => finish(false));
    return opened;
  };
  return {
    write(bytes) {
      if (isOver || bytes.byteLength === 0) return;
      stream ??= open(bytes);
      stream.write(bytes);
    },
    end() {
      if (stream === undefined) finish(false);
      else if (!isOver) stream.end();
    },
    stop() {
      isOver = true;
      stream?.destroy();
    },
  };
}

/** A format that the types do not know yet. */
const BROTLI_FORMAT: string = "brotli";

/** For a runtime whose function accepts truncated or damaged brotli; its stream accepts neither, nor bytes after the end. */
async function endsAsBrotli(bytes: Buffer): Promise<boolean> {
  try {
    const { readable, writable } = new DecompressionStream(BROTLI_FORMAT as CompressionFormat);
    const whole = new Blob([new Uint8Array(bytes)]).stream();
    await Promise.all([whole.pipeTo(writable), readable.pipeTo(new WritableStream())]);
    return true;
  } catch {
    return false; // the available part has been decoded already
  }
}

/** RFC 1950: the first byte names deflate, and both bytes together are a multiple of 31. */
function looksLikeZlib(bytes: Buffer): boolean {
  if (bytes.byteLength < 2) return true;
  const [first, second] = [bytes[0]!, bytes[1]!];
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

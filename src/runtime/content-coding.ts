import * as zlib from "node:zlib";
import { platform } from "./platform.ts";
import { wholeFrames } from "./zstd-frames.ts";

export interface Decoded {
  readonly bytes: Buffer;
  /** Some of the body is missing: it was cut off, damaged, over the limit, or in an unknown coding. */
  readonly incomplete: boolean;
}

interface Coding {
  /** Throws where the body does not end as its coding says, whatever its length, or `endsWell` says it. */
  readonly sync: (bytes: Buffer, limit: number) => Buffer;
  readonly endsWell?: (bytes: Buffer) => Promise<boolean>;
  /** Hands out what there is. */
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

/** `Content-Encoding` names, in lower case. "deflate" is zlib by the book, and bare deflate in some servers. */
const CODINGS: Readonly<Record<string, (bytes: Buffer) => Coding>> = {
  gzip: () => GZIP,
  "x-gzip": () => GZIP,
  deflate: (bytes) => (looksLikeZlib(bytes) ? ZLIB : RAW_DEFLATE),
  br: () => BROTLI,
  zstd: () => ZSTD,
};

/** More codings in a row than any server applies; a list that goes on is not worked through. */
const CODINGS_MAX = 4;

/**
 * Undoes the codings of a body, the last one first.
 *
 * A cut-off or damaged body gives what can be decoded of it. Never more than `bytesMax` bytes are kept, and no coding
 * produces more than that before it is stopped, however much a small body would unpack to.
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
    // A body that only claims to be coded, or is damaged from its start, is kept as it came.
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
    // The zlib functions refuse a limit of 0.
    const decoded = coding.sync(bytes, Math.max(1, bytesMax));
    return { bytes: decoded, incomplete: (await coding.endsWell?.(bytes)) === false };
  } catch {
    // Too much output, or a body that is damaged or cut off: they keep what comes before, which only the stream hands out.
    return undoAsFarAsPossible(coding, bytes, bytesMax);
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

/** What a body says while it comes. */
interface StreamedDecoding {
  readonly onData: (bytes: Uint8Array) => void;
  /** After the last data. The body is damaged where its coding says so; one that is cut off gives what there is. */
  readonly onEnd: (damaged: boolean) => void;
}

/** Undoes a coding while the body comes. */
export interface StreamDecoder {
  write(bytes: Uint8Array): void;
  end(): void;
  /** Nothing more is handed out. */
  stop(): void;
}

/** @returns undefined for an unknown coding, or several in a row. */
export function streamDecoder(contentEncoding: string, told: StreamedDecoding): StreamDecoder | undefined {
  const name = contentEncoding.trim().toLowerCase();
  if (!Object.hasOwn(CODINGS, name)) return undefined;
  let stream: ReturnType<Coding["stream"]> | undefined;
  let isOver = false;
  const finish = (damaged: boolean) => {
    if (isOver) return;
    isOver = true;
    stream?.destroy();
    told.onEnd(damaged);
  };
  const open = (first: Uint8Array) => {
    const opened = CODINGS[name]!(Buffer.from(first)).stream();
    opened.on("data", (bytes: Buffer) => {
      if (!isOver) told.onData(bytes);
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

/** One that the types do not know yet. */
const BROTLI_FORMAT: string = "brotli";

/** For a runtime whose function accepts brotli that is cut off or damaged; its stream does not, nor bytes behind the end. */
async function endsAsBrotli(bytes: Buffer): Promise<boolean> {
  try {
    const { readable, writable } = new DecompressionStream(BROTLI_FORMAT as CompressionFormat);
    const whole = new Blob([new Uint8Array(bytes)]).stream();
    await Promise.all([whole.pipeTo(writable), readable.pipeTo(new WritableStream())]);
    return true;
  } catch {
    return false; // what there is of it has been decoded already
  }
}

/** RFC 1950: the first byte names deflate, and both together are a multiple of 31. */
function looksLikeZlib(bytes: Buffer): boolean {
  if (bytes.byteLength < 2) return true;
  const [first, second] = [bytes[0]!, bytes[1]!];
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

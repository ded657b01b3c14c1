import { decodeBody } from "../../runtime/content-coding.ts";

/** How many bytes at a stream's end are searched: a failure is its last message. */
const TAIL_BYTES = 8_192;
/** Failures in event streams, JSON lines and AWS event messages. Inside a JSON string these quotes would be escaped. */
const FAILURE = /^event: ?(?:error|response\.failed)\r?$|"error": ?[{"]|:exception-type/m;

/** Whether a stream reports a failure although its status was a success. */
export function endsInFailure(chunks: readonly Uint8Array[]): boolean {
  let tail = "";
  for (let at = chunks.length - 1; at >= 0 && tail.length < TAIL_BYTES; at--)
    tail = Buffer.from(chunks[at]!.subarray(-TAIL_BYTES)).toString("latin1") + tail;
  return FAILURE.test(tail);
}

/** A stream as received, with the names of its codings. */
export interface CodedStream {
  readonly bytes: Uint8Array;
  readonly coding: string;
}

/**
 * Like `endsInFailure`, for a compressed stream.
 *
 * @returns undefined if unknown: its end is missing, its coding is unsupported, or it decompresses to over `bytesMax`.
 */
export async function codedEndsInFailure(
  { bytes, coding }: CodedStream,
  bytesMax: number,
): Promise<boolean | undefined> {
  const coded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoded = await decodeBody(coded, coding, bytesMax);
  return decoded.incomplete ? undefined : endsInFailure([decoded.bytes]);
}

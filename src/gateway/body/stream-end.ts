import { decodeBody } from "../../runtime/content-coding.ts";

/** How much of a stream's end is looked at: a failure is the last thing that it says. */
const TAIL_BYTES = 8_192;
/** As events, lines of JSON and AWS's messages say it. Inside of a text these quotes would be escaped. */
const FAILURE = /^event: ?(?:error|response\.failed)\r?$|"error": ?[{"]|:exception-type/m;

/** Whether a stream tells of a failure although its status was fine. */
export function endsInFailure(chunks: readonly Uint8Array[]): boolean {
  let tail = "";
  for (let at = chunks.length - 1; at >= 0 && tail.length < TAIL_BYTES; at--)
    tail = Buffer.from(chunks[at]!.subarray(-TAIL_BYTES)).toString("latin1") + tail;
  return FAILURE.test(tail);
}

/** A stream as it came, with the names of its codings. */
export interface CodedStream {
  readonly bytes: Uint8Array;
  readonly coding: string;
}

/**
 * The same for one whose codings have to be undone first.
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

import type { CommonRange } from "../../json-text/edits.ts";
import { sliced } from "./gather.ts";
import type { PlacedPart, Range } from "./placed.ts";
import type { StoredPart } from "./request-content.ts";

/** Shorter common ranges are stored again: a reference in the row takes half as much, and a range more to read. */
const COMMON_BYTES_MIN = 64;

/** The parts of one request in their order, and where the first of them were placed. */
interface Parts {
  readonly parts: readonly StoredPart[];
  readonly placed: readonly PlacedPart[];
}

/**
 * The ranges of a part that repeats most of the request: where they have bytes in common it refers to the request's.
 *
 * @param place - stores the other bytes.
 * @returns undefined if the part does not repeat it: then it is stored like any other.
 */
export function repeatedRanges(
  { bytes, common }: StoredPart,
  { parts, placed }: Parts,
  place: (bytes: Buffer) => readonly Range[],
): Range[] | undefined {
  if (common === undefined) return undefined;
  const request = parts.find(({ part }) => part === "request")?.bytes;
  const at = placed.find(({ part, sent }) => part === "request" && !sent)?.ranges;
  // A plugin may have changed or removed the request in the record.
  if (request === undefined || at === undefined) return undefined;
  for (const range of common) if (!isCommon(bytes, request, range)) return undefined;
  const ranges: Range[] = [];
  let done = 0;
  for (const { at: start, from, length } of common) {
    if (length < COMMON_BYTES_MIN) continue;
    if (start > done) ranges.push(...place(bytes.subarray(done, start)));
    ranges.push(...sliced(at, from, from + length));
    done = start + length;
  }
  if (done < bytes.length) ranges.push(...place(bytes.subarray(done)));
  return ranges;
}

function isCommon(bytes: Buffer, request: Buffer, { at, from, length }: CommonRange): boolean {
  const [end, requestEnd] = [at + length, from + length];
  if (end > bytes.length || requestEnd > request.length) return false;
  return request.compare(bytes, at, end, from, requestEnd) === 0;
}

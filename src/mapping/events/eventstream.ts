import { crc32 } from "node:zlib";
import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import { parseJson } from "./json.ts";

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** Amazon's own limit is 24 MB per message. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

/** Bytes of a header's value by its type; strings and byte arrays have their own length field. */
const VALUE_BYTES: readonly (number | "sized" | undefined)[] = [0, 0, 1, 2, 4, 8, "sized", "sized", 8, 16];
const STRING = 7;

/**
 * The messages of an `application/vnd.amazon.eventstream` body: prelude, headers, payload, each part with its crc.
 *
 * Stops at the first message that is cut off or damaged. If the payload wraps another event in base64 under `bytes`, as in
 * Bedrock's invoke streams, the inner event is returned.
 *
 * @returns undefined if the body does not begin with such a message.
 */
export function readEventStream(bytes: Buffer): StreamEvent[] | undefined {
  const events: StreamEvent[] = [];
  for (let at = 0; ; ) {
    const length = messageBytes(bytes, at);
    if (length === undefined) break;
    const headersEnd = at + PRELUDE_BYTES + bytes.readUInt32BE(at + 4);
    const headers = readHeaders(bytes.subarray(at + PRELUDE_BYTES, headersEnd));
    const payload = bytes.subarray(headersEnd, at + length - CRC_BYTES);
    const name = headers.get(":event-type") ?? headers.get(":exception-type") ?? headers.get(":error-code");
    const data = unwrap(payload.toString("utf8"));
    events.push(name === undefined ? { data } : { name, data });
    at += length;
  }
  return events.length === 0 ? undefined : events;
}

/** Length of the complete, undamaged message at `at`, or undefined if there is none. */
export function messageBytes(bytes: Buffer, at: number): number | undefined {
  if (at + PRELUDE_BYTES + CRC_BYTES > bytes.byteLength) return undefined;
  const length = bytes.readUInt32BE(at);
  const headers = bytes.readUInt32BE(at + 4);
  if (length > MESSAGE_BYTES_MAX || at + length > bytes.byteLength) return undefined;
  if (length < PRELUDE_BYTES + headers + CRC_BYTES) return undefined;
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) return undefined;
  if (crc32(bytes.subarray(at, at + length - CRC_BYTES)) !== bytes.readUInt32BE(at + length - CRC_BYTES))
    return undefined;
  return length;
}

/** Whether `bytes` can never become a complete message. */
export function isDamaged(bytes: Buffer): boolean {
  if (bytes.byteLength < PRELUDE_BYTES) return false;
  const length = bytes.readUInt32BE(0);
  if (length > MESSAGE_BYTES_MAX || length < PRELUDE_BYTES + bytes.readUInt32BE(4) + CRC_BYTES) return true;
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) return true;
  return bytes.byteLength >= length; // complete, but not a message
}

/** The headers with text values; all needed ones are text. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.byteLength; ) {
    const nameEnd = at + 1 + bytes[at]!;
    const name = bytes.toString("utf8", at + 1, nameEnd);
    const type = bytes[nameEnd] ?? 0;
    const size = VALUE_BYTES[type];
    if (size === undefined) break;
    let valueAt = nameEnd + 1;
    if (size === "sized" && valueAt + 2 > bytes.byteLength) break;
    const valueBytes = size === "sized" ? bytes.readUInt16BE(valueAt) : size;
    if (size === "sized") valueAt += 2;
    if (type === STRING) headers.set(name, bytes.toString("utf8", valueAt, valueAt + valueBytes));
    at = valueAt + valueBytes;
  }
  return headers;
}

function unwrap(payload: string): Json {
  const outer = parseJson(payload);
  if (outer === undefined) return payload;
  if (typeof outer?.bytes !== "string") return outer;
  return parseJson(Buffer.from(outer.bytes, "base64").toString("utf8")) ?? outer;
}

import { readNdjson } from "../mapping/events/ndjson.ts";
import { readSse } from "../mapping/events/sse.ts";
import type { StreamEvent } from "../plugin-host/contract.ts";

/**
 * Events at the end of a stream whose middle is not recorded, because the last ones report the usage. The first event may be
 * truncated and is omitted.
 *
 * @param mime - content type of the stream; no events for a type that cannot be read from the end.
 */
export function readTailEvents(tail: Buffer, mime: string): StreamEvent[] {
  const text = tail.toString("utf8");
  if (mime === "text/event-stream") {
    const boundary = /\r\n\r\n|\n\n|\r\r/.exec(text);
    return boundary === null ? [] : readSse(text.slice(boundary.index + boundary[0].length));
  }
  const line = text.indexOf("\n");
  return mime.includes("ndjson") || mime.includes("stream+json") ? readNdjson(line === -1 ? "" : text.slice(line)) : [];
}

import { readNdjson } from "../mapping/events/ndjson.ts";
import { readSse } from "../mapping/events/sse.ts";
import type { StreamEvent } from "../plugin-host/contract.ts";

/**
 * Events at the end of a stream whose middle is not recorded, for the usage that the last ones tell. The first event
 * may have lost its beginning and is left out.
 *
 * @param mime - content type of the stream; one of which no end can be read gives no events.
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

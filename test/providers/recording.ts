import { gunzipSync } from "node:zlib";
import { filledText, parseJson } from "../../src/mapping/json.ts";
import type { Json, StreamEvent } from "../../src/plugin/contract.ts";
import { readEventStream } from "../../src/recorder/eventstream.ts";
import { readJsonArray } from "../../src/recorder/json-array.ts";
import { readNdjson } from "../../src/recorder/ndjson.ts";
import { readSse } from "../../src/recorder/sse.ts";

/** The answer of a recorded exchange as the recorder hands it to the readers: events of a stream, or the whole body. */
export function eventsOfRecording(
  request: Json,
  response: Json,
): { events: readonly StreamEvent[] | undefined; body: Json } {
  const type = filledText(new Headers(response.headers).get("content-type")) ?? "";
  const bytes = bytesOf(response);
  if (type.includes("vnd.amazon.eventstream")) return { events: readEventStream(bytes), body: undefined };
  const text = bytes.toString("utf8");
  if (type.includes("event-stream")) return { events: readSse(text), body: undefined };
  if (/ndjson|stream\+json|jsonl/.test(type)) return { events: readNdjson(text), body: undefined };
  if (/:streamGenerateContent/.test(request.url)) return { events: readJsonArray(text), body: parseJson(text) };
  return { events: undefined, body: parseJson(text) ?? filledText(text) };
}

function bytesOf(response: Json): Buffer {
  if (typeof response.body_base64 === "string") return Buffer.from(response.body_base64, "base64");
  if (typeof response.body === "string") return Buffer.from(response.body);
  if (response.body === undefined && typeof response.body_wire_base64 === "string") {
    return gunzipSync(Buffer.from(response.body_wire_base64, "base64"));
  }
  return Buffer.from(JSON.stringify(response.body) ?? "");
}

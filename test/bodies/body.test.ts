import { expect, test } from "bun:test";
import { readBody } from "../../src/bodies/body.ts";

const read = (bytes: string | Uint8Array, contentType?: string, path = "/v1/x") =>
  readBody(Buffer.from(bytes as string), { contentType, path, isResponse: true, incomplete: false });

test.each([
  ["JSON", '{"a":1}', "application/json", "json", { a: 1 }],
  ["JSON with white space in front", "\n\n  [1]", "application/json; charset=utf-8", "json", [1]],
  ["JSON with a byte order mark", '\uFEFF{"a":1}', "application/json", "json", { a: 1 }],
  ["JSON labelled as bytes", '{"error":"x"}', "application/octet-stream", "json", { error: "x" }],
  ["JSON without a label", '{"error":"x"}', undefined, "json", { error: "x" }],
  ["a JSON scalar under a JSON label", "3", "application/json", "json", 3],
  ["a vendor's JSON", '"a"', "application/vnd.x+json", "json", "a"],
  ["a number under a text label", "3", "text/plain", "text", undefined],
  ["JSON that is cut off", '{"a":', "application/json", "text", undefined],
  ["text", "hello", "text/plain", "text", undefined],
  ["audio, whatever its bytes", "abc", "audio/mpeg", "binary", undefined],
  ["bytes", new Uint8Array([0xff, 0xd8, 0xff]), "application/octet-stream", "binary", undefined],
  ["bytes without a label", new Uint8Array([0, 1, 2]), undefined, "binary", undefined],
  ["text in another charset", new Uint8Array([0xe9]), "text/plain; charset=ISO-8859-1", "text", undefined],
  ["text with faulty bytes", new Uint8Array([0x61, 0xff]), "text/plain", "text", undefined],
  ["a page of vectors", "<svg/>", "image/svg+xml", "text", undefined],
])("%s is what it is", (_what, bytes, contentType, form, json) => {
  const body = read(bytes, contentType);
  expect([body.form, body.json]).toEqual([form, json]);
  expect(body.events).toBeUndefined();
});

test("text is stored as UTF-8, faulty bytes as U+FFFD", () => {
  expect(read(new Uint8Array([0xe9]), "text/plain; charset=latin1").bytes.toString()).toBe("é");
  expect(read(new Uint8Array([0x61, 0xff]), "text/plain").bytes.toString()).toBe("a\uFFFD");
  expect(read(new Uint8Array([0x61]), "text/plain; charset=no-such").bytes.toString()).toBe("a");
});

test("JSON is stored as it came, white space and all", () => {
  expect(read('{ "a" : 1.0 }').bytes.toString()).toBe('{ "a" : 1.0 }');
});

test.each([
  ["text/event-stream", 'data: {"a":1}\n\n', "/x", 1],
  ["text/event-stream; charset=utf-8", ": nothing yet\n\n", "/x", 0],
  ["text/plain", 'event: a\ndata: {"a":1}\n\n', "/x", 1],
  [undefined, 'data:{"a":1}', "/x", 1],
  ["application/x-ndjson", '{"a":1}\n', "/api/chat", 1],
  ["application/stream+json", '{"a":1}\n{"a":2}\n', "/x", 2],
  ["application/json", '{"a":1}\n{"a":2}\n', "/api/chat", 2],
  ["application/json", '[{"a":1}\n,\n{"a":2}]', "/v1/models/m:streamGenerateContent?x=1", 2],
  ["application/json", '[{"a":1}\n,\n{"a', "/v1/models/m:streamGenerateContent", 1],
])("a stream as %p is a stream: %j", (contentType, text, path, count) => {
  expect(read(text, contentType, path).events).toHaveLength(count);
});

test.each([
  ["an error in JSON under the label of a stream", "text/event-stream", '{"error":{"message":"no"}}', "/x"],
  ["a list of objects where nothing streams", "application/json", '[{"a":1}]', "/v1/models"],
  ["lines of results that somebody downloads", "application/x-jsonl", '{"a":1}\n{"a":2}\n', "/results"],
  ["text that begins with a word and a colon", "text/plain", "note: data: 1", "/x"],
])("%s is no stream", (_what, contentType, text, path) => {
  expect(read(text, contentType, path).events).toBeUndefined();
});

test("a request is never a stream", () => {
  const context = { contentType: "application/x-ndjson", path: "/", isResponse: false, incomplete: false };
  expect(readBody(Buffer.from('{"a":1}\n{"a":2}'), context).events).toBeUndefined();
});

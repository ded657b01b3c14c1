import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { readEventStream } from "../../src/mapping/events/eventstream.ts";
import { readJsonArray } from "../../src/mapping/events/json-array.ts";
import { readNdjson } from "../../src/mapping/events/ndjson.ts";
import { readSse } from "../../src/mapping/events/sse.ts";
import { assertProperty } from "../chance.ts";

test.each([
  ["LF", 'data: {"a":1}\n\n', [{ data: { a: 1 } }]],
  ["CRLF", 'event: x\r\ndata: {"a":1}\r\n\r\n', [{ name: "x", data: { a: 1 } }]],
  ["CR", 'data: {"a":1}\r\rdata: 2\r\r', [{ data: { a: 1 } }, { data: 2 }]],
  ["a byte order mark", "\uFEFFdata: 1\n\n", [{ data: 1 }]],
  ["no space after the colon", 'data:{"a":1}\n\n', [{ data: { a: 1 } }]],
  ["two spaces, of which one is data", "data:  x\n\n", [{ data: " x" }]],
  ["comments", ": hello\n\n:\ndata: 1\n: again\n\n", [{ data: 1 }]],
  ["several data lines", 'data: {"a":\ndata: 1}\n\n', [{ data: { a: 1 } }]],
  ["plain text", "data: Once\ndata: upon\n\n", [{ data: "Once\nupon" }]],
  [
    "plain text that looks like JSON",
    "event: output\ndata: 42\n\nevent: output\ndata: {}\n\nevent: output\ndata: x\n\nevent: done\ndata: {}\n\n",
    [
      { name: "output", data: "42" },
      { name: "output", data: "{}" },
      { name: "output", data: "x" },
      { name: "done", data: {} },
    ],
  ],
  ["objects under the same name", 'event: output\ndata: {"a":1}\n\n', [{ name: "output", data: { a: 1 } }]],
  ["a sign-off", "data: 1\n\ndata: [DONE]\n\n", [{ data: 1 }]],
  ["a sign-off with a name", "event: done\ndata: [DONE]\n\n", []],
  ["no blank line at the end", "data: 1\n\ndata: 2", [{ data: 1 }, { data: 2 }]],
  ["an end inside of an event", 'data: 1\n\ndata: {"a', [{ data: 1 }, { data: '{"a' }]],
  ["other fields", "id: 7\nretry: 100\nfoo: bar\ndata: 1\n\n", [{ data: 1 }]],
  ["a name without data", "event: ping\n\ndata: 1\n\n", [{ data: 1 }]],
  ["data without a colon", "data\n\n", [{ data: "" }]],
  ["padding behind the JSON", 'data: {"a":1}     \n\n', [{ data: { a: 1 } }]],
])("server-sent events with %s are read", (_what, text, events) => {
  expect(readSse(text)).toEqual(events);
});

test("events come out as they went in, whatever the line ends", () => {
  const event = fc.record({ name: fc.constantFrom(undefined, "a", "b.c"), data: fc.jsonValue() });
  assertProperty(
    fc.property(fc.array(event), fc.constantFrom("\n", "\r\n", "\r"), fc.boolean(), (events, end, closed) => {
      const texts = events.map(({ name, data }) => {
        const lines = JSON.stringify(data, null, 1).split("\n");
        return [...(name === undefined ? [] : [`event: ${name}`]), ...lines.map((line) => `data: ${line}`)].join(end);
      });
      const text = texts.join(end + end) + (closed ? end + end : "");
      const expected = events.map(({ name, data }) => ({
        ...(name && { name }),
        data: JSON.parse(JSON.stringify(data)),
      }));
      expect(readSse(text)).toEqual(expected);
    }),
  );
});

test("any text can be read as events without an exception", () => {
  assertProperty(fc.property(fc.string(), (text) => void readSse(text)));
  assertProperty(fc.property(fc.string(), (text) => void readNdjson(text)));
  assertProperty(fc.property(fc.string(), (text) => void readJsonArray(text)));
  assertProperty(fc.property(fc.uint8Array(), (bytes) => void readEventStream(Buffer.from(bytes))));
});

test("lines of JSON are events, the last one also when it is cut off", () => {
  expect(readNdjson('{"a":1}\r\n\n{"a":2}\n{"a":')).toEqual([
    { data: { a: 1 } },
    { data: { a: 2 } },
    { data: '{"a":' },
  ]);
});

test("an array that was cut off gives the elements that are whole", () => {
  const whole = JSON.stringify([{ a: '}"]' }, { b: [1, { c: 2 }] }, { d: 3 }]);
  expect(readJsonArray(`\n${whole}`)).toHaveLength(3);
  for (let end = 0; end < whole.length; end++) {
    const read = readJsonArray(whole.slice(0, end)) ?? [];
    expect(read.map(({ data }) => data)).toEqual(JSON.parse(whole).slice(0, read.length));
  }
  expect(readJsonArray("[1,2]")).toBeUndefined();
  expect(readJsonArray('{"a":1}')).toBeUndefined();
});

test("messages of a binary event stream are read, wrapped payloads unwrapped, up to the first damage", () => {
  const wrapped = JSON.stringify({ bytes: Buffer.from('{"type":"delta"}').toString("base64"), p: "abc" });
  const stream = Buffer.concat([
    message({ ":event-type": "chunk", ":content-type": "application/json" }, wrapped),
    message({ ":exception-type": "throttlingException" }, '{"message":"slow down"}'),
    message({}, "no json"),
  ]);
  const events = [
    { name: "chunk", data: { type: "delta" } },
    { name: "throttlingException", data: { message: "slow down" } },
    { data: "no json" },
  ];
  expect(readEventStream(stream)).toEqual(events);
  expect(readEventStream(stream.subarray(0, -3))).toEqual(events.slice(0, 2));
  const damaged = Buffer.from(stream);
  damaged[40]! ^= 1;
  expect(readEventStream(damaged)).toBeUndefined();
});

function message(headers: Record<string, string>, payload: string): Buffer {
  const pairs = Object.entries(headers).map(([name, value]) => {
    const head = Buffer.alloc(1 + name.length + 3);
    head[0] = name.length;
    head.write(name, 1);
    head[1 + name.length] = 7;
    head.writeUInt16BE(value.length, 2 + name.length);
    return Buffer.concat([head, Buffer.from(value)]);
  });
  // A header of another type in front: eight bytes of time.
  const block = Buffer.concat([Buffer.from([1, 0x74, 8, 0, 0, 0, 0, 0, 0, 0, 1]), ...pairs]);
  const body = Buffer.from(payload);
  const all = Buffer.alloc(12 + block.length + body.length + 4);
  all.writeUInt32BE(all.length, 0);
  all.writeUInt32BE(block.length, 4);
  all.writeUInt32BE(crc32(all.subarray(0, 8)), 8);
  block.copy(all, 12);
  body.copy(all, 12 + block.length);
  all.writeUInt32BE(crc32(all.subarray(0, -4)), all.length - 4);
  return all;
}

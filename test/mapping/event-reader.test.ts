import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type EventFraming, eventReader } from "../../src/mapping/events/event-reader.ts";
import { readEventStream } from "../../src/mapping/events/eventstream.ts";
import { readNdjson } from "../../src/mapping/events/ndjson.ts";
import { readSse } from "../../src/mapping/events/sse.ts";
import { assertProperty } from "../chance.ts";
import { encodeEventStream } from "../providers/eventstream.ts";

/** The events of bytes that come in pieces, cut at the given places. */
function cut(framing: EventFraming, bytes: Buffer, cuts: readonly number[]) {
  const reader = eventReader(framing);
  const places = [...new Set(cuts.map((place) => place % (bytes.byteLength + 1)))].sort((a, b) => a - b);
  const pieces = [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.byteLength));
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

const cuts = fc.array(fc.nat(), { maxLength: 30 });
const lineEnd = fc.constantFrom("\n", "\r\n");
const value = fc.oneof(fc.jsonValue(), fc.string({ unit: "grapheme" }));

describe("events are the same wherever their bytes are cut", () => {
  test("server-sent events", () => {
    const event = fc.record({ name: fc.option(fc.constantFrom("delta", "ping")), value });
    assertProperty(
      fc.property(fc.array(event), lineEnd, cuts, fc.boolean(), (events, end, places, open) => {
        const lines = events.map(({ name, value: data }) => {
          const named = name === null ? "" : `event: ${name}${end}`;
          return `: comment${end}${named}data: ${JSON.stringify(data)}`;
        });
        const text = lines.join(end + end) + (open ? "" : end + end);
        expect(cut("sse", Buffer.from(text), places)).toEqual(readSse(text));
      }),
    );
  });

  test("lines of JSON", () => {
    assertProperty(
      fc.property(fc.array(fc.jsonValue()), lineEnd, cuts, (values, end, places) => {
        const text = values.map((each) => JSON.stringify(each)).join(end);
        expect(cut("ndjson", Buffer.from(text), places)).toEqual(readNdjson(text));
      }),
    );
  });

  test("frames of AWS", () => {
    assertProperty(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 5 }), cuts, (values, places) => {
        const bytes = encodeEventStream(values.map((payload) => ({ event: "chunk", payload })));
        expect(cut("aws", bytes, places)).toEqual(readEventStream(bytes)!);
      }),
    );
  });
});

test("an end may be cut at each of its bytes", () => {
  const text = "data: 1\r\n\r\ndata: 2\n\ndata: 3\r\n\r\n";
  const every = Array.from({ length: text.length }, (_, at) => at);
  expect(cut("sse", Buffer.from(text), every)).toEqual(readSse(text));
});

test("an event leaves with its last byte", () => {
  const reader = eventReader("sse");
  expect(reader.push(Buffer.from("data: 1\n"))).toEqual([]);
  expect(reader.push(Buffer.from("\ndata: 2"))).toEqual([{ data: 1 }]);
  expect(reader.push(Buffer.from("\n\n"))).toEqual([{ data: 2 }]);
});

test("an event without an end is a fault, not a memory that grows for ever", () => {
  const reader = eventReader("sse");
  const chunk = Buffer.alloc(1_024 * 1_024, "x");
  expect(() => {
    for (let at = 0; at < 100; at++) reader.push(chunk);
  }).toThrow(RangeError);
});

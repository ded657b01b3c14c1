import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SHAPES } from "../../src/mapping/wire/shapes.ts";
import { UnframedEvents, UsageStripper } from "../../src/unified/passed-streams.ts";
import { StreamWatch } from "../../src/unified/stream-watch.ts";
import { assertProperty } from "../chance.ts";
import { encodeEventStream } from "../providers/eventstream.ts";

/** What is looked at, and taken out, of streams that pass unchanged. */

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}`;
const usage = 'data: {"id":"x","choices":[],"usage":{"prompt_tokens":1}}';

function stripped(text: string, cuts: readonly number[]): string {
  const stripper = new UsageStripper();
  const bytes = Buffer.from(text);
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.min(cut, bytes.byteLength);
    out.push(stripper.push(bytes.subarray(from, to)));
    from = to;
  }
  out.push(stripper.push(bytes.subarray(from)), stripper.end());
  return Buffer.concat(out).toString();
}

describe("usage that the client did not ask for", () => {
  test("is taken out, and no other byte, wherever the stream is cut and however its lines end", async () => {
    const ends = fc.constantFrom("\n\n", "\r\n\r\n", "\r\r");
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });
    await assertProperty(
      fc.property(ends, cuts, fc.boolean(), (end, at, isEnded) => {
        const kept = [chunk("Grüße 😀"), ": hi", chunk('"choices":[]')];
        const last = isEnded ? end : "";
        const stream = `${kept.join(end)}${end}${usage}${end}data: [DONE]${last}`;
        expect(stripped(stream, at)).toBe(`${kept.join(end)}${end}data: [DONE]${last}`);
      }),
    );
  });

  test("is none in an event that is long: its beginning leaves before its end has come", () => {
    const stripper = new UsageStripper();
    const long = `${chunk("x".repeat(200_000))}\n\n`;
    const begun = stripper.push(Buffer.from(long.slice(0, 150_000)));
    expect(begun.byteLength).toBeGreaterThan(149_000);
    const rest = stripper.push(Buffer.from(`${long.slice(150_000)}${usage}\n\n`));
    expect(begun.toString() + rest.toString() + stripper.end().toString()).toBe(long);
  });
});

test("an exception among Bedrock's frames is an error of Anthropic's form, and a failure before content", () => {
  const frames = encodeEventStream([{ exception: "throttlingException", payload: { message: "Too many requests" } }]);
  const watch = new StreamWatch("aws", SHAPES["messages"]);
  watch.push(frames);
  expect(watch.error).toMatchObject({ status: 429, message: "Too many requests" });
  const error = { type: "rate_limit_error", message: "Too many requests" };
  expect(new UnframedEvents().push(frames).toString()).toBe(
    `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`,
  );
});

test("an event that is larger than any that begins a stream is content", () => {
  const watch = new StreamWatch("aws", SHAPES["messages"]);
  watch.push(Buffer.alloc(20, 255));
  expect(watch.hasContent).toBe(true);
});

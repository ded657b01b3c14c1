import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readSse } from "../../../src/mapping/events/sse.ts";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import {
  eventText,
  type ResponseOptions,
  readWhole,
  StreamTranslation,
  writeAsEvents,
} from "../../../src/mapping/translate/translate.ts";
import { SHAPES as OURS } from "../../../src/mapping/wire/shapes.ts";
import type { Answer, Json, Part } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { CALLS, MODELS, PLAIN, recorder, SHAPES, type Shape } from "./ai-sdk.ts";
import { cohereOracle } from "./cohere-oracle.ts";
import { converseOracle } from "./converse-oracle.ts";
import { geminiOracle } from "./gemini-oracle.ts";
import { ollamaOracle } from "./ollama-oracle.ts";

/** The SDK hears a stream of ours as it hears the provider's own. */

const FIXTURES = join(import.meta.dir, "../../fixtures");

/** Streams as providers send them. */
const STREAMS: readonly (readonly [string, Shape])[] = [
  ["_openai-shape/chat-stream", "chat-completions"],
  ["_openai-shape/chat-tools-stream", "chat-completions"],
  ["anthropic/stream-revised", "messages"],
  ["anthropic/stream-old-usage", "messages"],
];

const textOf = (fixture: string): string =>
  JSON.parse(readFileSync(join(FIXTURES, `${fixture}.json`), "utf8")).response.body.join("\n");

const optionsOf = (from: string, to: Shape): ResponseOptions => ({
  from: OURS[from]!,
  to: OURS[to]!,
  names: new ToolNames(undefined),
  issuer: "x",
  reply: {
    id: "reply-1",
    model: "m",
    created: 1,
    prompt: {
      stream: true,
      messages: [],
      tools: [],
      settings: {},
      wants: { usage: true, reasoning: true },
      paths: {},
      losses: [],
      shape: to,
      extra: {},
    },
  },
});

function translated(stream: string, from: Shape, to: Shape): string {
  const translation = new StreamTranslation(optionsOf(from, to));
  const events = readSse(stream).flatMap((event) => translation.event(event));
  return [...events, ...translation.close()].map(eventText).join("");
}

/** What the SDK understands of a stream. */
async function heard(shape: Shape, stream: string): Promise<Json> {
  const { fetch } = recorder(stream);
  const { stream: parts } = await MODELS[shape](fetch).doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
  let text = "";
  let reasoning = "";
  const calls: Json[] = [];
  let end: Json;
  for await (const part of parts as unknown as AsyncIterable<Json>) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "reasoning-delta") reasoning += part.delta;
    if (part.type === "tool-call")
      calls.push({ id: part.toolCallId, name: part.toolName, input: JSON.parse(part.input) });
    if (part.type === "finish") end = part;
    if (part.type === "error") throw part.error;
  }
  const { inputTokens, outputTokens } = end.usage;
  return {
    text,
    ...(reasoning && { reasoning }),
    calls,
    finish: end.finishReason.unified,
    in: inputTokens.total,
    out: outputTokens.total,
  };
}

const byId = (calls: readonly Json[]) => [...calls].sort((a, b) => a.id.localeCompare(b.id));

describe.each(SHAPES)("to a client of %s", (to) => {
  test.each(STREAMS.filter(([, from]) => from !== to))("%s is heard as the provider's own", async (fixture, from) => {
    const own = await heard(from, textOf(fixture));
    const ours = await heard(to, translated(textOf(fixture), from, to));
    // Where the provider says no usage, the shape's numbers are 0.
    const counts = own.in === undefined ? { in: 0, out: 0 } : { in: own.in, out: own.out };
    expect({ ...ours, calls: byId(ours.calls) }).toEqual({ ...own, calls: byId(own.calls), ...counts });
  });

  test.each(SHAPES.flatMap((from) => [["text", from, PLAIN[from]] as const, ["calls", from, CALLS[from]] as const]))(
    "a whole response with %s of %s is read as a stream",
    async (_name, from, body) => {
      const options = optionsOf(from, to);
      const stream = writeAsEvents(readWhole(body, options).answer, options).map(eventText).join("");
      const called = body === CALLS[from];
      expect(await heard(to, stream)).toEqual({
        text: called ? "Let me see." : "Hi",
        calls: called ? ["a", "b"].map((id) => ({ id, name: "weather", input: { city: "Oslo" } })) : [],
        finish: called ? "tool-calls" : "stop",
        in: 11,
        out: 5,
      });
    },
  );
});

const ORACLES = {
  "generate-content": geminiOracle,
  converse: converseOracle,
  "cohere-chat": cohereOracle,
  "ollama-chat": ollamaOracle,
} as const;

/** Parts in any order, as models that think between calls send them. */
const words = fc.constantFrom("Hi", "Hello, world", "naïve ✓ 日本", "\u2028line\n", '{"a":"b}"}');
const input = fc.constantFrom("{}", '{"city":"Oslo"}', '{"a":[1,{"b":"}\\""}]}');
const part: fc.Arbitrary<Part> = fc.oneof(
  words.map((text): Part => ({ type: "text", text })),
  words.map((text): Part => ({ type: "reasoning", text })),
  input.map((text): Part => ({ type: "call", id: "", name: "weather", arguments: text })),
);
const responses: fc.Arbitrary<Answer> = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => ({
  id: "id-1",
  choices: [
    { parts: parts.map((each, at) => (each.type === "call" ? { ...each, id: `call_${at}` } : each)), finish: "end" },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 5 },
}));

describe.each(SHAPES.flatMap((to) => Object.entries(ORACLES).map(([from, oracle]) => [from, to, oracle] as const)))(
  "a stream of %s to a client of %s",
  (from, to, oracle) => {
    test("is heard whole, in whatever order its parts come", () =>
      assertProperty(
        fc.asyncProperty(responses, fc.integer({ min: 1, max: 9 }), async (response, size) => {
          const translation = new StreamTranslation(optionsOf(from, to));
          const events = oracle.events(response, size).flatMap((event) => translation.event(event));
          const { parts } = response.choices[0]!;
          const calls = parts.flatMap((each) =>
            each.type === "call" ? [{ id: each.id, name: each.name, input: JSON.parse(each.arguments) }] : [],
          );
          const said = (type: Part["type"]) =>
            parts.map((each) => (each.type === type && "text" in each ? each.text : "")).join("");
          // The SDK's provider for chat completions reads no reasoning.
          const reasoning = to === "chat-completions" ? "" : said("reasoning");
          const heardParts = await heard(to, [...events, ...translation.close()].map(eventText).join(""));
          expect(heardParts).toEqual({
            text: said("text"),
            ...(reasoning && { reasoning }),
            calls,
            finish: calls.length > 0 ? "tool-calls" : "stop",
            in: 11,
            out: 5,
          });
        }),
        { numRuns: 15 },
      ));
  },
);

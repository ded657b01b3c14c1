import { describe, expect, test } from "bun:test";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import { readWhole, StreamTranslation, translateRequest } from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";

const shape = SHAPES["generate-content"]!;
const chat = SHAPES["chat-completions"]!;
const messages = SHAPES["messages"]!;
const said = { role: "user", content: "Hi" };

const reply = { id: "r", model: "m", created: 1, prompt: chat.readRequest!({ messages: [said], stream: true }) };
const options = (to = chat) => ({ from: shape, to, names: new ToolNames(undefined), issuer: "google", reply });
const read = (body: Json) => readWhole(body, options()).answer;
const candidate = (parts: Json[], finishReason = "STOP") => ({
  candidates: [{ content: { role: "model", parts }, finishReason }],
});

describe("responses", () => {
  test.each([
    ["STOP", "end"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "filter"],
    ["RECITATION", "filter"],
    ["BLOCKLIST", "filter"],
    ["PROHIBITED_CONTENT", "filter"],
    ["SPII", "filter"],
    ["NEW_WORD", "end"],
  ] as const)("%s ends with %s", (word, finish) => {
    expect(read(candidate([{ text: "x" }], word)).choices[0]!.finish).toBe(finish);
  });

  test("quirk 6: a call makes the finish reason `calls`, though Gemini sends STOP", () => {
    expect(read(candidate([{ text: "x" }, { functionCall: { name: "f" } }])).choices[0]!.finish).toBe("calls");
  });

  test("a blocked prompt is a response that a filter ended, whole and in a stream", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 4 } };
    expect(read(blocked)).toEqual({ choices: [{ parts: [], finish: "filter" }], usage: { prompt_tokens: 4 } });
    const stream = new StreamTranslation(options());
    const events = [...stream.event({ data: blocked }), ...stream.close()];
    expect(events.at(-2)!.data.choices[0].finish_reason).toBe("content_filter");
    expect(stream.error).toBeUndefined();
  });

  test("quirk 44: a call that Google could not read is a failure, not an empty success", () => {
    const malformed = candidate([], "MALFORMED_FUNCTION_CALL");
    expect(read(malformed).choices[0]).toEqual({ parts: [], finish: "malformed" });
    const stream = new StreamTranslation(options());
    stream.event({ data: malformed });
    expect(stream.error?.code).toBe("upstream_malformed");
  });

  test("quirks 9, 10: signatures of calls and of texts are state, and ids stay ids", () => {
    const { answer, states } = readWhole(
      {
        responseId: "r1",
        ...candidate([
          { text: "Hm", thought: true },
          { text: "Hello", thoughtSignature: "s1" },
          { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "s2" },
        ]),
      },
      options(),
    );
    const [thought, text, signature, call] = answer.choices[0]!.parts as Json[];
    expect(thought).toEqual({ type: "reasoning", text: "Hm" });
    expect(text).toEqual({ type: "text", text: "Hello" });
    expect(signature).toEqual({
      type: "reasoning",
      text: "",
      state: { issuer: "google", kind: "signature", value: "s1" },
    });
    expect(call.id).toMatch(/^call_[A-Za-z0-9]{24}$/);
    expect(states.get(call.id)).toEqual({ name: "f", state: { issuer: "google", kind: "signature", value: "s2" } });
  });

  test("a second turn by way of any client gets its signatures back", () => {
    const answer = read({
      responseId: "r1",
      ...candidate([
        { text: "Hello", thoughtSignature: "s1" },
        { functionCall: { name: "f", args: {} }, thoughtSignature: "s2" },
      ]),
    });
    for (const [name, to] of [
      ["chat-completions", chat],
      ["messages", messages],
    ] as const) {
      const prompt = to.readRequest!({
        messages: [said],
        max_tokens: 9,
        thinking: { type: "enabled", budget_tokens: 1024 },
      });
      const written = to.writeAnswer!(answer, { ...reply, prompt });
      const turn = name === "messages" ? { role: "assistant", content: written.content } : written.choices[0].message;
      const call = { model: "gemini", facts: { needsSignatures: true }, issuer: "google" };
      const { body } = translateRequest(to.readRequest!({ messages: [said, turn], max_tokens: 9 }), shape, call);
      expect(body.contents[1].parts.map((part: Json) => part.thoughtSignature)).toEqual(["s1", "s2"]);
    }
  });

  test("usage: output is candidates and thoughts", () => {
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 20,
      cachedContentTokenCount: 4,
      totalTokenCount: 35,
    };
    expect(read({ ...candidate([{ text: "x" }]), usageMetadata }).usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 25,
      total_tokens: 35,
      prompt_cache_read_tokens: 4,
      reasoning_tokens: 20,
    });
  });

  test("pictures, sources and log probabilities arrive", () => {
    const { parts, logprobs } = read({
      candidates: [
        {
          content: { parts: [{ text: "é is new" }, { inlineData: { mimeType: "image/png", data: "iVBO" } }] },
          groundingMetadata: {
            groundingChunks: [{ web: { uri: "https://a.test", title: "A" } }],
            groundingSupports: [
              { segment: { startIndex: 3, endIndex: 9, text: "is new" }, groundingChunkIndices: [0] },
            ],
          },
          logprobsResult: {
            chosenCandidates: [{ token: "é", logProbability: -0.5 }],
            topCandidates: [{ candidates: [{ token: "é", logProbability: -0.5 }] }],
          },
        },
      ],
    }).choices[0]!;
    expect(parts).toEqual([
      {
        type: "text",
        text: "é is new",
        citations: [{ url: "https://a.test", title: "A", quote: "is new", start: 2, end: 8 }],
      },
      { type: "image", source: { bytes: "iVBO", mediaType: "image/png" } },
    ]);
    const token = { token: "é", logprob: -0.5, bytes: [195, 169] };
    expect(logprobs).toEqual({ content: [{ ...token, top_logprobs: [token] }] });
  });

  test("quirk 4: all calls of one chunk are read, each with its own index", () => {
    const stream = new StreamTranslation(options());
    const data = candidate([
      { functionCall: { name: "f", args: {} } },
      { functionCall: { name: "g", args: { a: 1 } } },
    ]);
    const calls = stream.event({ data }).flatMap(({ data: chunk }) => chunk.choices?.[0]?.delta.tool_calls ?? []);
    expect(
      calls.filter(({ id }: Json) => id !== undefined).map(({ index, function: { name } }: Json) => `${index} ${name}`),
    ).toEqual(["0 f", "1 g"]);
  });
});

test.each([
  [
    "its words",
    429,
    { error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } },
    { status: 429, message: "slow", type: "RESOURCE_EXHAUSTED" },
  ],
  [
    "in a list",
    400,
    [{ error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } }],
    { status: 400, message: "bad", type: "INVALID_ARGUMENT" },
  ],
  [
    "in a stream",
    0,
    { error: { code: 503, message: "busy", status: "UNAVAILABLE" } },
    { status: 503, message: "busy", type: "UNAVAILABLE" },
  ],
])("an error, %s", (_name, status, body: Json, expected) => {
  expect(shape.readError(status, body)).toEqual(expected);
});

test("an error of the gateway is written in Google's words", () => {
  expect(shape.writeError!({ status: 404, message: "no such model" })).toEqual({
    error: { code: 404, message: "no such model", status: "NOT_FOUND" },
  });
});

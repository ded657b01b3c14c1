import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { SHAPES as CLIENTS, MODELS, recorder, type Shape } from "./ai-sdk.ts";
import { hello } from "./ai-sdk-prompts.ts";
import { send } from "./translation.ts";

/** Sources of a response, as clients that check each member accept them. */

const REQUESTS: Readonly<Record<Shape, Json>> = {
  "chat-completions": { model: "m", messages: [{ role: "user", content: "Hi" }] },
  responses: { model: "m", input: "Hi" },
  messages: { model: "m", max_tokens: 900, messages: [{ role: "user", content: "Hi" }] },
};

const cited = (url: string) => ({
  type: "web_search_result_location",
  url,
  title: null,
  cited_text: "quoted",
  encrypted_index: "e",
});
const [A, B] = ["https://a.test/", "https://b.test/"];

/** Two text blocks, each with a source. Anthropic's sources have no range. */
const CLAUDE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [
    { type: "text", text: "Plain. " },
    { type: "text", text: "One é.", citations: [cited(A)] },
    { type: "text", text: "Two!", citations: [cited(B)] },
  ],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 5 },
};
const CLAUDE_EVENTS: readonly Json[] = [
  { type: "message_start", message: { ...CLAUDE, content: [], stop_reason: null } },
  ...CLAUDE.content.flatMap(({ text, citations = [] }, index) => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index, delta: { type: "text_delta", text } },
    ...citations.map((citation) => ({
      type: "content_block_delta",
      index,
      delta: { type: "citations_delta", citation },
    })),
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

const sourcesIn = (parts: readonly Json[]) => parts.filter(({ type }) => type === "source").map(({ url }) => url);

async function sourcesOf(shape: Shape, body: Json): Promise<Json> {
  const { content } = await MODELS[shape](recorder(body).fetch).doGenerate({ prompt: [hello] });
  return sourcesIn(content);
}

async function sourcesOfStream(shape: Shape, events: readonly Json[]): Promise<Json> {
  const text = events.map((data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`).join("");
  const { stream } = await MODELS[shape](recorder(text).fetch).doStream({ prompt: [hello] });
  const parts: Json[] = [];
  for await (const part of stream as unknown as AsyncIterable<Json>) {
    if (part.type === "error") throw part.error;
    parts.push(part);
  }
  return sourcesIn(parts);
}

const FOREIGN = ["chat-completions", "responses"] as const;

describe.each(FOREIGN)("Claude's sources to a client of %s", (from) => {
  const sent = send(REQUESTS[from], { from, to: "messages" });

  test("the AI SDK reads them in a whole response", async () => {
    expect(await sourcesOf(from, sent.answer(CLAUDE))).toEqual([A, B]);
  });
  test("the AI SDK reads them in a stream", async () => {
    const data = sent.stream(CLAUDE_EVENTS);
    expect(await sourcesOfStream(from, data)).toEqual([A, B]);
  });
});

describe("a source without a range covers its text part", () => {
  const chat = send(REQUESTS["chat-completions"], { from: "chat-completions", to: "messages" });
  const ranges = (annotations: readonly Json[]) =>
    annotations.map(({ url_citation: { url, title, start_index, end_index } }) => [url, title, start_index, end_index]);
  const wanted = [
    [A, "", 7, 13],
    [B, "", 13, 17],
  ];

  test("chat: offsets into the whole content", () => {
    const { message } = chat.answer(CLAUDE).choices[0];
    expect(message.content.slice(7, 13)).toBe("One é.");
    expect(ranges(message.annotations)).toEqual(wanted);
  });
  test("chat, streamed", () => {
    const chunks = chat.stream(CLAUDE_EVENTS);
    expect(ranges(chunks.flatMap((chunk) => chunk.choices?.[0]?.delta.annotations ?? []))).toEqual(wanted);
  });
  const responses = send(REQUESTS.responses, { from: "responses", to: "messages" });
  const rangesIn = (output: readonly Json[]) =>
    output
      .flatMap(({ content }) => content.flatMap((part: Json) => part.annotations))
      .map(({ start_index, end_index }) => [start_index, end_index]);
  const wantedIn = [
    [0, 6],
    [0, 4],
  ];

  test("responses: offsets into the part", () => {
    expect(rangesIn(responses.answer(CLAUDE).output)).toEqual(wantedIn);
  });

  // Anthropic sends the sources of a text first.
  const isSource = ({ delta }: Json) => delta?.type === "citations_delta";
  const first = CLAUDE.content.flatMap((_, index) => {
    const [start, ...events] = CLAUDE_EVENTS.filter((event) => event.index === index);
    return [start, ...events.filter(isSource), ...events.filter((event) => !isSource(event))];
  });
  const sourcesFirst = [CLAUDE_EVENTS[0], ...first, ...CLAUDE_EVENTS.slice(-2)];
  const withoutStops = sourcesFirst.filter(({ type }) => type !== "content_block_stop");

  test.each([
    ["before their text", sourcesFirst],
    ["in blocks without an end", withoutStops],
  ])("streamed %s", (_name, events) => {
    const chunks = chat.stream(events);
    expect(ranges(chunks.flatMap((chunk) => chunk.choices?.[0]?.delta.annotations ?? []))).toEqual(wanted);
    expect(rangesIn(responses.stream(events).at(-1)!.response.output)).toEqual(wantedIn);
  });
});

describe("ranges in all texts together become ranges in the parts", () => {
  const [first, second] = ["Hé😀 one. ", "Two 😀!"];
  const sizes = [first, first + second].map((text) => Buffer.byteLength(text));
  const code = { executableCode: { language: "PYTHON", code: "1" } };
  const thought = { text: "so", thought: true };
  const grounding = {
    groundingChunks: [{ web: { uri: A } }, { web: { uri: B } }],
    groundingSupports: [
      { segment: { endIndex: sizes[0]! - 1 }, groundingChunkIndices: [0] },
      { segment: { startIndex: sizes[0], endIndex: sizes[1] }, groundingChunkIndices: [1] },
    ],
  };
  const gemini = (parts: readonly Json[], more: Json = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
  });
  const parts = [{ text: first }, code, thought, { text: second }];
  const done = { groundingMetadata: grounding, finishReason: "STOP" };
  const chunks = [...parts.map((part) => gemini([part])), gemini([], done)];
  const cut = (text: string, annotations: readonly Json[]) =>
    annotations.map((given) => {
      const { url, start_index, end_index } = given.url_citation ?? given;
      return [url, text.slice(start_index, end_index)];
    });
  const cutOf = (response: Json) =>
    response.output.flatMap(({ content = [] }: Json) =>
      content.flatMap((each: Json) => cut(each.text, each.annotations)),
    );
  const wanted = [
    [A, first.trim()],
    [B, second],
  ];

  test("Gemini's, to a client of chat", () => {
    const sent = send(REQUESTS["chat-completions"], { from: "chat-completions", to: "generate-content" });
    const { message } = sent.answer(gemini(parts, done)).choices[0];
    expect(cut(message.content, message.annotations)).toEqual(wanted);
    const deltas = sent.stream(chunks).map((chunk) => chunk.choices?.[0]?.delta ?? {});
    const text = deltas.map(({ content }) => content ?? "").join("");
    const annotations = deltas.flatMap(({ annotations = [] }) => annotations);
    expect(cut(text, annotations)).toEqual(wanted);
  });
  test("Gemini's, to a client of Responses", () => {
    const sent = send(REQUESTS.responses, { from: "responses", to: "generate-content" });
    expect(cutOf(sent.answer(gemini(parts, done)))).toEqual(wanted);
    const events = sent.stream(chunks);
    expect(cutOf(events.at(-1)!.response)).toEqual(wanted);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const texts = new Map(
      events.filter(({ type }) => type === "response.output_text.done").map((each) => [each.item_id, each.text]),
    );
    const added = events.filter(({ type }) => type === "response.output_text.annotation.added");
    expect(added.flatMap(({ item_id, annotation }) => cut(texts.get(item_id)!, [annotation]))).toEqual(wanted);
  });
  test("Gemini's, to a client of Messages: an ended block gets no more", async () => {
    const sent = send(REQUESTS.messages, { from: "messages", to: "generate-content" });
    const events = sent.stream(chunks);
    const cited = events.filter(({ delta }) => delta?.type === "citations_delta");
    expect(cited.map(({ index, delta }) => [index, delta.citation.url])).toEqual([
      [1, A],
      [1, B],
    ]);
  });
  test.each(FOREIGN)("those of chat, to a client of %s", (from) => {
    const sent = send(REQUESTS[from], { from, to: "chat-completions" });
    const [start_index, end_index] = [first.length, first.length + second.length];
    const annotations = [{ type: "url_citation", url_citation: { url: B, start_index, end_index } }];
    const content = [first, second].map((text) => ({ type: "text", text }));
    const message = { role: "assistant", content, annotations };
    const whole = sent.answer({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    const delta = (given: Json, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta: given, finish_reason }],
    });
    const deltas = [{ content: first }, { reasoning_content: "so" }, { content: second }, { annotations }];
    const events = sent.stream([...deltas.map((given) => delta(given)), delta({}, "stop")]);
    if (from === "responses") {
      expect(cutOf(whole)).toEqual([[B, second]]);
      expect(cutOf(events.at(-1)!.response)).toEqual([[B, second]]);
      return;
    }
    expect(cut(whole.choices[0].message.content, whole.choices[0].message.annotations)).toEqual([[B, second]]);
    const streamed = events.flatMap((chunk) => chunk.choices?.[0]?.delta.annotations ?? []);
    expect(cut(first + second, streamed)).toEqual([[B, second]]);
  });
});

test.each(CLIENTS)("Gemini's sources in the chunk of a signature reach a client of %s", async (from) => {
  const chunk = (part: Json, more: Json = {}) => ({
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...more }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
  });
  const groundingMetadata = { groundingChunks: [{ web: { uri: A, title: "A" } }] };
  const data = send(REQUESTS[from], { from, to: "generate-content" }).stream([
    chunk({ text: "Sunny." }),
    chunk({ text: "", thoughtSignature: "c2lnbg==" }, { finishReason: "STOP", groundingMetadata }),
  ]);
  expect(await sourcesOfStream(from, data)).toEqual([A]);
});

describe.each(CLIENTS)("sources after a function call, in a stream to a client of %s", (from) => {
  const tools = {
    "chat-completions": [{ type: "function", function: { name: "now", parameters: { type: "object" } } }],
    responses: [{ type: "function", name: "now", parameters: { type: "object" } }],
    messages: [{ name: "now", input_schema: { type: "object" } }],
  };
  const request = { ...REQUESTS[from], tools: tools[from] };
  // Messages has no place for them: an ended block takes no more, and an empty one could not be sent back.
  const wanted = from === "messages" ? [] : [A];
  const cutIn = (events: readonly Json[]) =>
    events.flatMap((each) => {
      const [given] = each.choices?.[0]?.delta.annotations ?? [];
      const { start_index, end_index } = given?.url_citation ?? each.annotation ?? {};
      return start_index === undefined ? [] : ["Sunny.".slice(start_index, end_index)];
    });

  test("of Gemini", async () => {
    const chunk = (part: Json, more: Json = {}) => ({
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, ...more }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    });
    const segment = { startIndex: 0, endIndex: 5, text: "Sunny" };
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: A, title: "A" } }],
      groundingSupports: [{ segment, groundingChunkIndices: [0] }],
    };
    const data = send(request, { from, to: "generate-content" }).stream([
      chunk({ text: "Sunny." }),
      chunk({ functionCall: { name: "now", args: {} } }),
      chunk({ text: "" }, { finishReason: "STOP", groundingMetadata }),
    ]);
    expect(await sourcesOfStream(from, data)).toEqual(wanted);
    expect(cutIn(data)).toEqual(wanted.map(() => "Sunny"));
    const texts = data.filter((each) => (each.content_block ?? each.part)?.text === "");
    expect(texts).toHaveLength(from === "chat-completions" ? 0 : 1);
  });

  test("of chat completions and Responses, while the call is open", async () => {
    const chunk = (delta: Json, finish_reason: string | null = null) => ({
      ...{ id: "c", created: 1, model: "m", usage: { prompt_tokens: 11, completion_tokens: 5 } },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const part = (text: string, more: Json = {}) => ({
      tool_calls: [{ index: 0, function: { arguments: text }, ...more }],
    });
    const call = { id: "call_1", type: "function", function: { name: "now", arguments: "" } };
    const annotations = [{ type: "url_citation", url_citation: { url: A, title: "A", start_index: 0, end_index: 5 } }];
    const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "now", arguments: "" };
    const text = { item_id: "m", output_index: 0, content_index: 0 };
    const response = { id: "r", object: "response", status: "completed", output: [], usage: null };
    const of = (type: string, members: Json) => ({ type: `response.${type}`, ...members });
    const [{ url_citation: annotation }] = annotations as [Json];
    const chat = [
      ...[chunk({ content: "Sunny." }), chunk({ tool_calls: [{ index: 0, ...call }] }), chunk(part('{"a":'))],
      ...[chunk({ annotations }), chunk(part("1}")), chunk({}, "tool_calls"), "[DONE]"],
    ];
    const responses = [
      of("created", { response: { ...response, status: "in_progress" } }),
      of("output_text.delta", { ...text, delta: "Sunny." }),
      of("output_item.added", { output_index: 1, item }),
      of("function_call_arguments.delta", { item_id: "fc_1", output_index: 1, delta: '{"a":' }),
      of("output_text.annotation.added", { ...text, annotation: { type: "url_citation", ...annotation } }),
      of("function_call_arguments.delta", { item_id: "fc_1", output_index: 1, delta: "1}" }),
      of("output_item.done", { output_index: 1, item: { ...item, arguments: '{"a":1}' } }),
      of("completed", { response }),
    ];
    const to = from === "chat-completions" ? "responses" : "chat-completions";
    const data = send(request, { from, to }).stream(to === "responses" ? responses : chat);
    expect(await sourcesOfStream(from, data)).toEqual(wanted);
    expect(cutIn(data)).toEqual(wanted.map(() => "Sunny"));
    const pieces = data.flatMap(({ type, delta, choices }) => {
      const called = choices?.[0]?.delta.tool_calls?.[0].function.arguments ?? delta?.partial_json ?? [];
      return type === "response.function_call_arguments.delta" ? [delta] : called;
    });
    expect(pieces.join("")).toBe('{"a":1}');
  });
});

describe.each(["responses", "messages"] as const)(
  "Perplexity's sources beside the choices to a client of %s",
  (from) => {
    const listed = { search_results: [{ title: "A", url: A, snippet: "a" }, { url: B }], citations: [A, B] };
    const head = { id: "c", created: 1, model: "sonar", usage: { prompt_tokens: 11, completion_tokens: 5 } };
    const choice = { index: 0, finish_reason: "stop" };
    const sent = send(REQUESTS[from], { from, to: "chat-completions" });

    test.each([
      ["search results", listed],
      ["addresses", { citations: listed.citations }],
    ])("%s of a whole response", async (_name, sources) => {
      const choices = [{ ...choice, message: { role: "assistant", content: "Sunny." } }];
      const body = sent.answer({ ...head, object: "chat.completion", choices, ...sources });
      expect(await sourcesOf(from, body)).toEqual([A, B]);
    });
    test("of a stream, which repeats them", async () => {
      const chunk = (content: string, finish_reason: string | null) => ({
        ...head,
        ...listed,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason }],
      });
      const data = sent.stream([chunk("Sun", null), chunk("ny.", null), chunk("", "stop"), "[DONE]"]);
      expect(await sourcesOfStream(from, data)).toEqual([A, B]);
    });
  },
);

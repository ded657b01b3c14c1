import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Answer, StreamEvent } from "../../../../src/plugin-host/contract.ts";
import { cohereOracle } from "../../../mapping/shapes/cohere-oracle.ts";
import { converseOracle } from "../../../mapping/shapes/converse-oracle.ts";
import { geminiOracle } from "../../../mapping/shapes/gemini-oracle.ts";
import { ollamaOracle } from "../../../mapping/shapes/ollama-oracle.ts";
import type { Oracle } from "../../../mapping/shapes/oracle.ts";
import { encodeEventStream } from "../../../providers/eventstream.ts";
import { at, json, KEY, standIn, startUnified } from "../house.ts";

/** The response of every provider here: it thinks, speaks and calls a tool. */
const ANSWER: Answer = {
  id: "answer-1",
  model: "m-1",
  choices: [
    {
      parts: [
        { type: "reasoning", text: "Let me see." },
        { type: "text", text: "I look. ✓" },
        { type: "call", id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
      ],
      finish: "calls",
    },
  ],
  usage: { prompt_tokens: 11, completion_tokens: 7 },
};

const lines = (list: readonly StreamEvent[], line: (event: StreamEvent) => string, type: string) =>
  new Response(list.map(line).join(""), { headers: { "content-type": type } });
const text = (data: StreamEvent["data"]) => (typeof data === "string" ? data : JSON.stringify(data));

const sse = (list: readonly StreamEvent[]) =>
  lines(list, ({ data }) => `data: ${text(data)}\r\n\r\n`, "text/event-stream");
const ndjson = (list: readonly StreamEvent[]) => lines(list, ({ data }) => `${text(data)}\n`, "application/x-ndjson");
const frames = (list: readonly StreamEvent[]) =>
  new Response(new Uint8Array(encodeEventStream(list.map(({ name, data }) => ({ event: name!, payload: data })))), {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  });

interface Row {
  readonly provider: string;
  readonly model: string;
  readonly oracle: Oracle;
  readonly stream: (events: readonly StreamEvent[]) => Response;
  /** Paths of a whole and of a streamed call. */
  readonly paths: readonly [string, string];
  readonly settings?: Readonly<Record<string, string>>;
}

const ROWS: readonly Row[] = [
  {
    provider: "GOOGLE",
    model: "gemini-3-flash",
    oracle: geminiOracle,
    stream: sse,
    paths: [
      "/v1beta/models/gemini-3-flash:generateContent",
      "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse",
    ],
  },
  {
    provider: "AWS",
    model: "amazon.nova-2-lite-v1:0",
    oracle: converseOracle,
    stream: frames,
    paths: ["/model/amazon.nova-2-lite-v1%3A0/converse", "/model/amazon.nova-2-lite-v1%3A0/converse-stream"],
    settings: { region: "eu-central-1" },
  },
  {
    provider: "COHERE",
    model: "command-a-reasoning-08-2025",
    oracle: cohereOracle,
    stream: sse,
    paths: ["/v2/chat", "/v2/chat"],
  },
  { provider: "OLLAMA", model: "qwen3", oracle: ollamaOracle, stream: ndjson, paths: ["/api/chat", "/api/chat"] },
];

const parameters = { type: "object", properties: { city: { type: "string" } } };

describe.each(ROWS)("$provider", ({ provider, model, oracle, stream, paths, settings }) => {
  const start = async () => {
    const upstream = standIn(({ path, json: body }) =>
      path === paths[1] && (paths[0] !== paths[1] || body.stream === true)
        ? stream(oracle.events(ANSWER, 4))
        : json(oracle.answer(ANSWER)),
    );
    const credentials = [at(provider, upstream.origin, settings === undefined ? {} : { settings })];
    return { upstream, gateway: await startUnified({ credentials }) };
  };

  test("serves OpenAI's SDK, whole and streamed", async () => {
    const { upstream, gateway } = await start();
    await using _upstream = upstream;
    await using _gateway = gateway;
    const client = new OpenAI({ baseURL: `${gateway.origin}/v1`, apiKey: KEY, maxRetries: 0 });
    const body = {
      model: `${provider.toLowerCase()}/${model}`,
      messages: [{ role: "user" as const, content: "Weather?" }],
      tools: [{ type: "function" as const, function: { name: "weather", parameters } }],
    };
    const whole = await client.chat.completions.create(body);
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: "I look. ✓", reasoning_content: "Let me see." },
    });
    const [call] = whole.choices[0]!.message.tool_calls!;
    expect(call).toMatchObject({ id: "call_1", function: { name: "weather", arguments: '{"city":"Oslo"}' } });
    expect(whole.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });

    const streamed = await client.chat.completions
      .stream({ ...body, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(streamed.choices[0]!.message.content).toBe("I look. ✓");
    expect(streamed.choices[0]!.message.tool_calls).toMatchObject([
      { id: "call_1", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
    ]);
    expect(streamed.choices[0]!.finish_reason).toBe("tool_calls");
    expect(streamed.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
    expect(upstream.received.map(({ path }) => path)).toEqual([...paths]);
  });

  test("serves Anthropic's SDK, streamed", async () => {
    const { upstream, gateway } = await start();
    await using _upstream = upstream;
    await using _gateway = gateway;
    const client = new Anthropic({ baseURL: gateway.origin, apiKey: KEY, maxRetries: 0 });
    const message = await client.messages
      .stream({
        model: `${provider.toLowerCase()}/${model}`,
        max_tokens: 4096,
        thinking: { type: "enabled", budget_tokens: 2048 },
        messages: [{ role: "user", content: "Weather?" }],
        tools: [{ name: "weather", input_schema: { type: "object" } }],
      })
      .finalMessage();
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Let me see." },
      { type: "text", text: "I look. ✓" },
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } },
    ]);
    expect(message.stop_reason).toBe("tool_use");
    expect(message.usage).toMatchObject({ input_tokens: 11, output_tokens: 7 });
  });
});

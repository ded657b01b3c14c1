import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type LanguageModel, streamText, type ToolSet } from "ai";
import { SENTENCE, TOOL_ARGUMENTS } from "./responses/openai.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
let ids: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const keepId = Object.assign(
  async (url: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(url, init);
    ids.push(response.headers.get("gateway-id") ?? "");
    return response;
  },
  { preconnect: fetch.preconnect },
);

const settings = (provider: string) => ({
  apiKey: "sk-provider-ai-0001",
  baseURL: `${weir.gateway}/v1`,
  headers: gatewayHeaders(upstream.origin, { "Gateway-Target-Provider": provider }),
  fetch: keepId,
});

const MODELS: Readonly<Record<string, { model: () => LanguageModel; record: object }>> = {
  "openai chat": {
    model: () => createOpenAI(settings("openai")).chat("gpt-4o-mini"),
    record: { provider: "OPENAI", model: "gpt-4o-mini-2026-03-01", prompt_tokens: 31, completion_tokens: 17 },
  },
  "openai responses": {
    model: () => createOpenAI(settings("openai")).responses("gpt-4o-mini"),
    record: { provider: "OPENAI", model: "gpt-4o-mini-2026-03-01", prompt_tokens: 44, completion_tokens: 23 },
  },
  "anthropic messages": {
    model: () => createAnthropic(settings("anthropic"))("claude-sonnet-4-5"),
    record: { provider: "ANTHROPIC", model: "claude-sonnet-4-5-20260301", prompt_tokens: 62, completion_tokens: 19 },
  },
};
const WEATHER: ToolSet = {
  get_weather: {
    inputSchema: jsonSchema({
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" } },
      required: ["city", "days"],
    }),
  },
};
const CASES = Object.keys(MODELS).flatMap((name) =>
  [false, true].flatMap((stream) => [false, true].map((tools) => [name, stream, tools] as const)),
);

test.each(CASES)("the ai package through Weir: %s, streamed %p, tools %p", async (name, stream, tools) => {
  const { model, record } = MODELS[name]!;
  ids = [];
  const request = {
    model: model(),
    prompt: "How much does the weir hold?",
    maxRetries: 0,
    ...(tools ? { tools: WEATHER } : {}),
  };
  const result = stream ? streamText(request) : await generateText(request);
  const [text, calls] = [await result.text, await result.toolCalls];
  if (!tools) expect(text).toBe(SENTENCE);
  expect(calls.map(({ toolName, input }) => ({ toolName, input }))).toEqual(
    tools ? [{ toolName: "get_weather", input: TOOL_ARGUMENTS }] : [],
  );
  expect(ids).toHaveLength(1);
  const found = await recordOf(weir, ids[0]!);
  expect(found).toMatchObject({ ...record, response_status: 200, streamed: stream });
  const { messages, responses } = found["llmSchema"].response;
  const said = JSON.stringify(responses ?? messages);
  if (tools) expect(said).toContain('"get_weather"');
  else expect(said).toContain(JSON.stringify(SENTENCE).slice(1, -1));
});

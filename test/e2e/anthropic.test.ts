import { afterAll, beforeAll, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { SENTENCE, TOOL_ARGUMENTS } from "./responses/openai.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
let client: Anthropic;
let ids: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
  client = new Anthropic({
    apiKey: "sk-ant-provider-0001",
    baseURL: weir.gateway,
    maxRetries: 0,
    defaultHeaders: gatewayHeaders(upstream.origin, { "Gateway-Target-Provider": "anthropic" }),
    fetch: async (url, init) => {
      const response = await fetch(url as string, init as RequestInit);
      ids.push(response.headers.get("gateway-id") ?? "");
      return response;
    },
  });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const MODEL = "claude-sonnet-4-6";
const BODY = {
  model: MODEL,
  max_tokens: 256,
  system: "You know rivers.",
  messages: [{ role: "user" as const, content: "How much does the weir hold?" }],
  metadata: { user_id: "user-from-body" },
};
const TOOLS = [
  {
    name: "get_weather",
    description: "Weather of a city",
    input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
  },
];
const RECORD = {
  provider: "ANTHROPIC",
  request_model: MODEL,
  response_model: `${MODEL}-20260301`,
  model: `${MODEL}-20260301`,
  response_status: 200,
  prompt_tokens: 62,
  prompt_cache_read_tokens: 30,
  prompt_cache_write_tokens: 20,
  completion_tokens: 19,
  total_tokens: 81,
  request_user_id: "user-from-body",
  request_path: "/v1/messages",
};

async function recorded(act: () => Promise<unknown>) {
  ids = [];
  await act();
  expect(ids).toHaveLength(1);
  return recordOf(weir, ids[0]!);
}

test.each([
  [false, false],
  [false, true],
  [true, false],
  [true, true],
])("the @anthropic-ai/sdk package through Weir: streamed %p, tools %p", async (stream, tools) => {
  const record = await recorded(async () => {
    const body = tools ? { ...BODY, tools: TOOLS } : BODY;
    const message = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    expect(message.content[0]).toMatchObject({ type: "text", text: SENTENCE });
    if (tools)
      expect(message.content[1]).toMatchObject({ type: "tool_use", name: "get_weather", input: TOOL_ARGUMENTS });
    expect(message.usage.output_tokens).toBe(19);
  });
  expect(record).toMatchObject({ ...RECORD, streamed: stream });
  expect(record["response_body"].content[0].text).toBe(SENTENCE);
  if (tools) expect(record["response_body"].content[1].input).toEqual(TOOL_ARGUMENTS);
  const messages: { content?: string; tool_calls?: unknown[] }[] = record["llmSchema"].response.messages;
  expect(messages.map(({ content }) => content ?? "").join("")).toContain(SENTENCE);
  expect(messages.flatMap(({ tool_calls }) => tool_calls ?? [])).toEqual(
    tools ? [{ id: "toolu_1", name: "get_weather", arguments: TOOL_ARGUMENTS }] : [],
  );
});

test("the client's own credential reaches the provider and no Gateway header does", () => {
  expect(upstream.seen.length).toBeGreaterThan(0);
  for (const { headers } of upstream.seen) {
    expect(headers.authorization).toBe("Bearer sk-ant-provider-0001");
    expect(Object.keys(headers).filter((name) => name.startsWith("gateway-"))).toEqual([]);
  }
});

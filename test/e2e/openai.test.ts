import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { CHAT_USAGE, datedName, RESPONSES_USAGE, SENTENCE, TOOL_ARGUMENTS } from "./responses/openai.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { bodyPart, gatewayHeaders, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
let client: OpenAI;
let ids: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
  client = new OpenAI({
    apiKey: "sk-provider-openai-0001",
    baseURL: `${weir.gateway}/v1`,
    maxRetries: 0,
    defaultHeaders: gatewayHeaders(upstream.origin, { ...OWNERS, "Gateway-Target-Provider": "openai" }),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      ids.push(response.headers.get("gateway-id") ?? "");
      return response;
    },
  });
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const OWNERS = { "Gateway-Property-Team": "rivers", "Gateway-User-Id": "user-7" };
const MODEL = "gpt-4o-mini";
const ask = [{ role: "user" as const, content: "How much does the weir hold?" }];
const chatTools = [
  {
    type: "function" as const,
    function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];
const responseTools = [
  {
    type: "function" as const,
    name: "get_weather",
    strict: null,
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
];

const CHAT = {
  provider: "OPENAI",
  request_model: MODEL,
  response_model: datedName(MODEL),
  model: datedName(MODEL),
  response_status: 200,
  prompt_tokens: CHAT_USAGE.prompt_tokens,
  completion_tokens: CHAT_USAGE.completion_tokens,
  total_tokens: CHAT_USAGE.total_tokens,
  prompt_cache_read_tokens: 8,
  reasoning_tokens: 5,
  request_path: "/v1/chat/completions",
  request_user_id: "user-7",
  properties: { team: "rivers" }, // the package hands over lower-case names
  truncated: false,
};
const RESPONSES = {
  ...CHAT,
  prompt_tokens: RESPONSES_USAGE.input_tokens,
  completion_tokens: RESPONSES_USAGE.output_tokens,
  total_tokens: RESPONSES_USAGE.total_tokens,
  prompt_cache_read_tokens: 12,
  reasoning_tokens: 7,
  request_path: "/v1/responses",
};

/** The record of the only call that `act` makes. */
async function recorded(act: () => Promise<unknown>) {
  ids = [];
  await act();
  expect(ids).toHaveLength(1);
  return recordOf(weir, ids[0]!);
}

describe("the openai package through Weir", () => {
  test("chat completion: the client gets the response, the record holds it", async () => {
    const record = await recorded(async () => {
      const response = await client.chat.completions.create({ model: MODEL, messages: ask });
      expect(response.choices[0]!.message.content).toBe(SENTENCE);
      expect(response.usage).toEqual(CHAT_USAGE);
    });
    expect(record).toMatchObject({
      ...CHAT,
      streamed: false,
      time_to_first_token: null,
    });
    expect(record["target_url"]).toStartWith(upstream.origin);
    expect(record["request_body"]).toEqual({ model: MODEL, messages: ask });
    expect(record["response_body"].choices[0].message.content).toBe(SENTENCE);
    expect(record["llmSchema"].request).toMatchObject({
      messages: [{ role: "user", content: ask[0]!.content }],
    });
    expect(record["llmSchema"].response.messages[0]).toMatchObject({ role: "assistant", content: SENTENCE });
    expect(record["cost"]).toBeGreaterThan(0);
    expect(record["costUSD"]).toBe(record["cost"]);
  });

  test("streamed chat completion: text, usage and raw events are recorded", async () => {
    const record = await recorded(async () => {
      const stream = await client.chat.completions.create({
        model: MODEL,
        messages: ask,
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = "";
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      expect(text).toBe(SENTENCE);
    });
    expect(record).toMatchObject({ ...CHAT, streamed: true, usage_estimated: false });
    expect(record["time_to_first_token"]).toBeGreaterThanOrEqual(0);
    expect(record["delay_ms"]).toBeGreaterThanOrEqual(record["time_to_first_token"]);
    expect(record["response_body"].object).toBe("chat.completion");
    expect(record["response_body"].choices[0].message.content).toBe(SENTENCE);
    expect(record["llmSchema"].response.messages[0].content).toBe(SENTENCE);
    const raw = (await bodyPart(weir, record["request_id"], "response&raw=true")).toString();
    expect(raw).toEndWith("data: [DONE]\n\n");
  });

  test.each([false, true])("chat tool call, streamed %p: name and arguments are recorded", async (stream) => {
    const record = await recorded(async () => {
      const body = { model: MODEL, messages: ask, tools: chatTools };
      if (!stream) {
        const response = await client.chat.completions.create(body);
        expect(response.choices[0]!.message.tool_calls).toHaveLength(1);
        return;
      }
      const runner = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
      const [call] = (await runner.finalMessage()).tool_calls ?? [];
      expect(call).toMatchObject({ function: { name: "get_weather" } });
    });
    expect(record).toMatchObject({ ...CHAT, streamed: stream });
    expect(record["llmSchema"].response.messages[0].tool_calls).toEqual([
      { id: "call_1", name: "get_weather", arguments: TOOL_ARGUMENTS },
    ]);
    expect(record["llmSchema"].request.tools[0]).toMatchObject({ name: "get_weather" });
  });

  test.each([false, true])("responses, streamed %p: text and tokens are recorded", async (stream) => {
    const record = await recorded(async () => {
      const body = { model: MODEL, input: "How much does the weir hold?", instructions: "Be brief." };
      if (!stream) {
        expect((await client.responses.create(body)).output_text).toBe(SENTENCE);
        return;
      }
      const runner = client.responses.stream(body);
      expect((await runner.finalResponse()).output_text).toBe(SENTENCE);
    });
    expect(record).toMatchObject({ ...RESPONSES, streamed: stream });
    expect(record["response_body"].object).toBe("response");
    expect(JSON.stringify(record["llmSchema"].response.responses)).toContain(JSON.stringify(SENTENCE).slice(1, -1));
  });

  test.each([false, true])(
    "responses with a tool call, streamed %p: name and arguments are recorded",
    async (stream) => {
      const record = await recorded(async () => {
        const body = { model: MODEL, input: "Weather in Ålesund?", tools: responseTools };
        const response = stream
          ? await client.responses.stream(body).finalResponse()
          : await client.responses.create(body);
        expect(response.output[0]).toMatchObject({ type: "function_call", name: "get_weather" });
      });
      expect(record).toMatchObject({ ...RESPONSES, streamed: stream });
      const calls = record["llmSchema"].response.responses.flatMap(
        (item: { tool_calls?: unknown[] }) => item.tool_calls ?? [],
      );
      expect(calls).toMatchObject([{ name: "get_weather", arguments: TOOL_ARGUMENTS }]);
    },
  );

  test("embeddings: input tokens are recorded, output tokens are unknown or none", async () => {
    const record = await recorded(async () => {
      const response = await client.embeddings.create({ model: "text-embedding-3-small", input: ["one", "two"] });
      expect(response.data.map(({ embedding }) => [...embedding])).toEqual([
        [0.25, -0.5, 0.125],
        [0.25, -0.5, 0.125],
      ]);
    });
    expect(record).toMatchObject({ model: "text-embedding-3-small", prompt_tokens: 12, total_tokens: 12 });
  });

  test("a target that no provider knows is read by its shape and called CUSTOM", async () => {
    const record = await recorded(async () => {
      const other = client.withOptions({ defaultHeaders: gatewayHeaders(upstream.origin, OWNERS) });
      await other.chat.completions.create({ model: MODEL, messages: ask });
    });
    expect(record).toMatchObject({ ...CHAT, provider: "CUSTOM" });
    expect(record["llmSchema"].response.messages[0].content).toBe(SENTENCE);
  });

  test("the provider gets the client's own key and no Gateway header", () => {
    expect(upstream.seen.length).toBeGreaterThan(0);
    for (const { headers } of upstream.seen) {
      expect(headers.authorization).toBe("Bearer sk-provider-openai-0001");
      expect(Object.keys(headers).filter((name) => name.startsWith("gateway-"))).toEqual([]);
      expect(headers["user-agent"]).toContain("OpenAI/JS");
    }
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { GoogleGenAI, Type } from "@google/genai";
import { SENTENCE, TOOL_ARGUMENTS } from "./responses/openai.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, queryIds, recordOf, startWeir, until, type Weir } from "./weir.ts";

let upstream: Upstream;
let weir: Weir;
let client: GoogleGenAI;

beforeAll(async () => {
  upstream = await startUpstream();
  weir = await startWeir();
});
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
});

const MODEL = "gemini-2.5-flash";
const RECORD = {
  provider: "GOOGLE",
  request_model: MODEL,
  response_model: `${MODEL}-001`,
  model: `${MODEL}-001`,
  response_status: 200,
  prompt_tokens: 25,
  prompt_cache_read_tokens: 9,
  completion_tokens: 20,
  reasoning_tokens: 6,
  total_tokens: 45,
};
const TOOLS = [
  {
    functionDeclarations: [
      { name: "get_weather", parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } } },
    ],
  },
];

/** A client whose every request carries the id that its record will have: this package hides response headers. */
function clientFor(id: string): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: "google-provider-key-0001",
    httpOptions: {
      baseUrl: weir.gateway,
      headers: gatewayHeaders(upstream.origin, { "Gateway-Target-Provider": "google", "Gateway-Request-Id": id }),
    },
  });
}

test.each([
  [false, false],
  [false, true],
  [true, false],
  [true, true],
])("the @google/genai package through Weir: streamed %p, tools %p", async (stream, tools) => {
  const id = crypto.randomUUID();
  client = clientFor(id);
  const request = {
    model: MODEL,
    contents: "How much does the weir hold?",
    config: { temperature: 0, ...(tools ? { tools: TOOLS } : {}) },
  };
  let text = "";
  const calls: unknown[] = [];
  if (stream) {
    for await (const chunk of await client.models.generateContentStream(request)) {
      text += chunk.candidates?.[0]?.content?.parts?.[0]?.text ?? "";
      calls.push(...(chunk.functionCalls ?? []));
    }
  } else {
    const response = await client.models.generateContent(request);
    text = response.candidates?.[0]?.content?.parts?.[0]?.text ?? "";
    calls.push(...(response.functionCalls ?? []));
  }
  expect(text).toBe(tools ? "" : SENTENCE);
  expect(calls).toHaveLength(tools ? 1 : 0);

  await until(
    async () => (await queryIds(weir, [id])).length === 1,
    180_000,
    () => "no record",
  );
  const record = await recordOf(weir, id);
  expect(record).toMatchObject({ ...RECORD, streamed: stream });
  const [message] = record["llmSchema"].response.messages;
  if (tools) expect(message.tool_calls).toMatchObject([{ name: "get_weather", arguments: TOOL_ARGUMENTS }]);
  else expect(message.content).toBe(SENTENCE);
});

test("a stream as one JSON array is passed on and recorded as the stream that it is", async () => {
  const response = await fetch(
    `${weir.gateway}/v1beta/models/${MODEL}:streamGenerateContent?key=google-provider-key-0001`,
    {
      method: "POST",
      headers: gatewayHeaders(upstream.origin, { "Gateway-Target-Provider": "google" }),
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] }),
    },
  );
  expect(await response.json()).toHaveLength(4);
  const record = await recordOf(weir, response.headers.get("gateway-id")!);
  expect(record).toMatchObject({ ...RECORD, streamed: true });
  expect(record["llmSchema"].response.messages[0].content).toBe(SENTENCE);
  expect(JSON.stringify(record)).not.toContain("google-provider-key-0001");
  expect(record["request_path"]).toStartWith(`/v1beta/models/${MODEL}:streamGenerateContent?key=`);
});

test("the credential in x-goog-api-key reaches the provider", () => {
  expect(upstream.seen.length).toBeGreaterThan(0);
  const headers = upstream.seen.map((seen) => seen.headers["x-goog-api-key"]).filter(Boolean);
  expect(new Set(headers)).toEqual(new Set(["google-provider-key-0001"]));
});

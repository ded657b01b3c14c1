import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

/** What a provider is sent because of the facts in its own file. */

const provider = standIn(({ path }) => json(path.endsWith("/messages") ? messagesResponse("hi") : chatResponse("hi")));
const PROVIDERS = ["DEEPSEEK", "MOONSHOT", "ZAI", "TOGETHER"];
let it: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  it = await startUnified({ credentials: PROVIDERS.map((name) => at(name, provider.origin)) });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** The provider's body, and the warnings, for a Responses request. */
async function sent(model: string, more: Json): Promise<{ readonly body: Json; readonly warning: string | null }> {
  const before = provider.received.length;
  const response = await fetch(`${it.origin}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input: "Hi", ...more }),
  });
  expect([response.status, provider.received.length]).toEqual([200, before + 1]);
  return { body: provider.received.at(-1)!.json, warning: response.headers.get("gateway-warning") };
}

// Sources: https://api-docs.deepseek.com/guides/thinking_mode, https://docs.z.ai/guides/capabilities/thinking-mode,
// https://platform.kimi.ai/docs/guide/use-thinking-effort.
test.each([
  ["deepseek/deepseek-flash", "none", { thinking: { type: "disabled" } }, null],
  ["deepseek/deepseek-flash", "max", { reasoning_effort: "max" }, null],
  ["zai/glm-4.6", "none", { thinking: { type: "disabled" } }, null],
  ["zai/glm-5.3", "none", { reasoning_effort: "low" }, "approximated reasoning"],
  ["zai/glm-5.3", "medium", { reasoning_effort: "low" }, "approximated reasoning"],
  ["moonshot/kimi-k2.6", "none", { thinking: { type: "disabled" } }, null],
  ["moonshot/kimi-k3", "none", { reasoning_effort: "low" }, "approximated reasoning"],
  ["together/any", "none", { reasoning_effort: "none" }, null],
])("%s gets the effort %s as its API takes it", async (model, effort, expected, warning) => {
  const { body, warning: said } = await sent(model, { reasoning: { effort } });
  expect({ thinking: body.thinking, reasoning_effort: body.reasoning_effort }).toEqual({
    thinking: undefined,
    reasoning_effort: undefined,
    ...expected,
  });
  expect(said).toBe(warning);
});

const look = { type: "function", name: "look", parameters: { type: "object", properties: {} } };
const one = { type: "function", name: "look" };
const chatOne = { type: "function", function: { name: "look" } };
const off = { type: "disabled" };

// Sources: https://github.com/deepseek-ai/DeepSeek-V3/issues/1376, https://github.com/can1357/oh-my-pi/issues/1077,
// https://github.com/vectorize-io/hindsight/issues/4246.
test.each([
  ["deepseek/deepseek-flash", { tool_choice: "required" }, { tool_choice: "required", thinking: off }, null],
  ["deepseek/deepseek-flash", { tool_choice: one }, { tool_choice: chatOne, thinking: off }, null],
  [
    "deepseek/deepseek-flash",
    { tool_choice: one, reasoning: { effort: "high" } },
    { tool_choice: chatOne, thinking: off },
    "approximated reasoning",
  ],
  ["deepseek/deepseek-flash", { tool_choice: "auto" }, { tool_choice: "auto" }, null],
  ["moonshot/kimi-k2.6", { tool_choice: one }, { tool_choice: chatOne, thinking: off }, null],
  ["moonshot/kimi-k2.7-code", { tool_choice: one }, {}, "approximated tool_choice"],
  ["moonshot/kimi-k3", { tool_choice: one }, { tool_choice: chatOne }, null],
  ["zai/glm-4.6", { tool_choice: "required" }, {}, "approximated tool_choice"],
  [
    "zai/glm-4.6",
    { tool_choice: one, reasoning: { effort: "high" } },
    { reasoning_effort: "high" },
    "approximated tool_choice",
  ],
  ["together/any", { tool_choice: one }, { tool_choice: chatOne }, null],
])(
  "%s gets %j as its API takes it: a tool is forced only where the model can be",
  async (model, more, expected, warning) => {
    const { body, warning: said } = await sent(model, { tools: [look], ...more });
    const { model: _model, messages: _messages, tools, ...rest } = body;
    expect(tools.map((tool: Json) => tool.function.name)).toEqual(["look"]);
    expect([rest, said]).toEqual([expected, warning]);
  },
);

test("of several tools, the only one that may be called is all that Z.ai gets", async () => {
  const { body } = await sent("zai/glm-4.6", { tools: [look, { ...look, name: "run" }], tool_choice: one });
  expect([body.tools.length, body.tool_choice]).toEqual([1, undefined]);
});

test.each(["deepseek/deepseek-flash", "zai/glm-4.6"])(
  "%s gets a schema in its system text, and is not forced to call a tool that holds the response",
  async (model) => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    const { body, warning } = await sent(model, { text: { format: { type: "json_schema", name: "x", schema } } });
    expect([body.response_format, body.tools, warning]).toEqual([
      { type: "json_object" },
      undefined,
      "approximated text.format",
    ]);
    expect(body.messages[0].content).toContain(JSON.stringify(schema));
  },
);

// Source: https://github.com/BerriAI/litellm/pull/29687.
test("sampling that is fixed for Kimi's models is left out, and for others it is not", async () => {
  const kimi = await sent("moonshot/kimi-k2.6", { temperature: 0.2, top_p: 0.5 });
  expect([kimi.body.temperature, kimi.body.top_p, kimi.warning]).toEqual([
    undefined,
    undefined,
    "dropped temperature, dropped top_p",
  ]);
  expect((await sent("moonshot/moonshot-v1-8k", { temperature: 0.2 })).body.temperature).toBe(0.2);
});

// Source: https://github.com/danny-avila/LibreChat/issues/16235.
test("DeepSeek, which reads no PDF, is left out for the next target", async () => {
  const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" };
  const { body } = await sent("deepseek/deepseek-flash,together/any", { input: [{ role: "user", content: [file] }] });
  expect(body.model).toBe("any");
});

// Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html.
test("Claude at Bedrock gets the betas of the client's header as a member of the body", async () => {
  await using bedrock = standIn(() => json(messagesResponse("hi")));
  await using gateway = await startUnified({
    credentials: [at("AWS", bedrock.origin, { settings: { region: "eu-central-1" } })],
  });
  const { status } = await fetch(`${gateway.origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY, "anthropic-beta": "effort-2025-11-24, interleaved-thinking-2025-05-14" },
    body: JSON.stringify({
      model: "aws/anthropic.claude-sonnet-4-6",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  const [received] = bedrock.received;
  expect([status, received!.json.anthropic_beta]).toEqual([
    200,
    ["effort-2025-11-24", "interleaved-thinking-2025-05-14"],
  ]);
  expect(received!.headers.get("anthropic-beta")).toBeNull();
});

test("AI Studio has no Claude, which Vertex has: it is neither called for one nor lists it", async () => {
  await using there = standIn(() => json(messagesResponse("hi")));
  const vertex = { name: "vertex", settings: { project: "p-1" } };
  const listed = async (gateway: { readonly origin: string }) => {
    const response = await fetch(`${gateway.origin}/v1/models?limit=1000`, { headers: { "x-api-key": KEY } });
    return (await response.json()).data.some(({ id }: Json) => id === "google/claude-sonnet-4-5");
  };
  await using studio = await startUnified({ credentials: [at("GOOGLE", there.origin), at("ANTHROPIC", there.origin)] });
  const response = await fetch(`${studio.origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY },
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }),
  });
  expect([response.status, response.headers.get("gateway-provider")]).toEqual([200, "ANTHROPIC"]);
  expect(there.received.map(({ path }) => path)).toEqual(["/v1/messages"]);
  expect(await listed(studio)).toBe(false);
  await using both = await startUnified({
    credentials: [at("GOOGLE", there.origin), at("GOOGLE", there.origin, vertex)],
  });
  expect(await listed(both)).toBe(true);
});

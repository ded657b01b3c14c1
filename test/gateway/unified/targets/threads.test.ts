import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const CLAUDE = "claude-sonnet-4-5";
const CONTINUE = { type: "continue", previous_message_id: "msg_1" };

async function ask(origin: string, model: string, thread: Json, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "and now?" }], thread }),
  });
  return { status: response.status, warning: response.headers.get("gateway-warning"), body: await response.json() };
}

const NOT_FOUND = {
  status: 404,
  body: { type: "error", error: { type: "not_found_error", details: { error_code: "thread_not_found" } } },
};

test("a thread is continued only at a provider that stores it", async () => {
  await using anthropic = standIn(() => json(messagesResponse("hi")));
  await using openai = standIn(() => json(chatResponse("hi")));
  await using deepseek = standIn(() => json(messagesResponse("hi")));
  await using gateway = await startUnified({
    credentials: [
      at("ANTHROPIC", anthropic.origin),
      at("TOGETHER", openai.origin),
      at("DEEPSEEK", deepseek.origin),
      at("AWS", openai.origin, { settings: { region: "eu-central-1" } }),
    ],
  });
  const models = ["together/llama", "deepseek/deepseek-chat", `aws/anthropic.${CLAUDE}-v1:0`];
  for (const model of models) expect(await ask(gateway.origin, model, CONTINUE)).toMatchObject(NOT_FOUND);
  expect([openai.received, deepseek.received]).toEqual([[], []]);
  expect(await ask(gateway.origin, `together/llama,anthropic/${CLAUDE}`, CONTINUE)).toMatchObject({ status: 200 });
  expect(anthropic.received.map((sent) => sent.json.thread)).toEqual([CONTINUE]);
});

test("a thread begins everywhere, because the request has the whole conversation", async () => {
  const create = { type: "create" };
  await using anthropic = standIn(() => json(messagesResponse("hi")));
  await using openai = standIn(() => json(chatResponse("hi")));
  await using claude = standIn(() => json(messagesResponse("hi")));
  await using gateway = await startUnified({
    credentials: [
      at("ANTHROPIC", anthropic.origin),
      at("TOGETHER", openai.origin),
      at("AWS", claude.origin, { settings: { region: "eu-central-1" } }),
    ],
  });
  for (const model of [`anthropic/${CLAUDE}`, "together/llama", `aws/anthropic.${CLAUDE}-v1:0`])
    expect(await ask(gateway.origin, model, create, { "Gateway-Unsupported": "refuse" })).toMatchObject({
      status: 200,
      warning: null,
    });
  const threads = [anthropic, openai, claude].map(({ received }) => received.map((sent) => sent.json.thread));
  expect(threads).toEqual([[create], [undefined], [undefined]]);
});

test("a thread that has ended at its provider is not continued at a fallback", async () => {
  const ended = { type: "error", error: { type: "not_found_error", details: { error_code: "thread_not_found" } } };
  await using anthropic = standIn(() => json(ended, 404));
  await using openai = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({
    credentials: [at("ANTHROPIC", anthropic.origin), at("TOGETHER", openai.origin)],
  });
  const { status, body } = await ask(gateway.origin, `anthropic/${CLAUDE},together/llama`, CONTINUE);
  expect([status, body, openai.received]).toEqual([404, ended, []]);
});

test("the tool runner of Anthropic's SDK, which uses threads, runs over any model", async () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
  await using openai = standIn(({ json: { messages } }) =>
    json(messages.at(-1).role === "tool" ? chatResponse("Sunny.") : chatResponse("", { tool_calls: [call] })),
  );
  await using gateway = await startUnified({ credentials: [at("TOGETHER", openai.origin)] });
  const weather = betaTool({
    name: "weather",
    description: "The weather.",
    inputSchema: { type: "object", properties: { city: { type: "string" } } },
    run: () => "sun",
  });
  const client = new Anthropic({ baseURL: gateway.origin, apiKey: KEY, maxRetries: 0 });
  const { content } = await client.beta.messages.toolRunner({
    model: "together/llama",
    max_tokens: 99,
    messages: [{ role: "user", content: "How is Oslo?" }],
    tools: [weather],
  });
  expect(content).toMatchObject([{ type: "text", text: "Sunny." }]);
  expect(openai.received.map((sent) => sent.json.messages.length)).toEqual([1, 3]);
});

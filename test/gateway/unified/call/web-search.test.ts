import { expect, test } from "bun:test";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

test("Groq's Responses have none either", async () => {
  await using provider = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({ credentials: [at("GROQ", provider.origin)] });
  const tools = [
    { name: "look", input_schema: { type: "object", properties: {} } },
    { type: "web_search_20250305", name: "web_search" },
  ];
  const response = await fetch(`${gateway.origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY },
    body: JSON.stringify({ model: "groq/m", max_tokens: 99, messages: [{ role: "user", content: "hello" }], tools }),
  });
  expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, "dropped tools[1]"]);
  expect(provider.received.map(({ path }) => path)).toEqual(["/openai/v1/chat/completions"]);
});

const FUNCTION = { type: "function", name: "look", parameters: { type: "object", properties: {} } };

/** What Codex declares beside its functions. */
const SEARCH = { type: "web_search" };

test.each([
  ["MISTRAL", "/v1/chat/completions"],
  ["TOGETHER", "/v1/chat/completions"],
  // It has Messages as well, without a search there.
  ["DEEPSEEK", "/v1/chat/completions"],
])("%s, which has no web search, gets one request without it", async (name, path) => {
  await using provider = standIn(({ path: called }) =>
    json(called.endsWith("/messages") ? messagesResponse("hi") : chatResponse("hi")),
  );
  await using gateway = await startUnified({ credentials: [at(name, provider.origin)] });
  const send = (tools: readonly object[]) =>
    fetch(`${gateway.origin}/v1/responses`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: `${name.toLowerCase()}/m`, input: "hello", tools }),
    });
  const response = await send([FUNCTION, SEARCH]);
  expect(response.status).toBe(200);
  expect(response.headers.get("gateway-warning")).toBe("dropped tools[1]");
  expect(provider.received.map((each) => each.path)).toEqual([path]);
  expect(provider.received[0]!.text).not.toContain("web_search");
  const alone = await send([SEARCH]);
  expect([alone.status, (await alone.json()).error]).toMatchObject([
    400,
    { code: "untranslatable", param: "tools[0]" },
  ]);
  expect(provider.received).toHaveLength(1);
});

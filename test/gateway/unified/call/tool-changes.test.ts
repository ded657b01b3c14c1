import { expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const post = (origin: string, path: string, body: Json) =>
  fetch(`${origin}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const tool = (name: string) => ({ name, input_schema: { type: "object", properties: {} } });
const change = (type: string, changed: object) => ({ role: "system", content: [{ type, tool: changed }] });
const named = (name: string) => ({ type: "tool_reference", name });
const TURNS = [
  { role: "user", content: "hi" },
  change("tool_addition", { type: "tool_definition", definition: tool("later") }),
  change("tool_removal", named("early")),
  change("tool_removal", named("back")),
  { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "" }] },
  change("tool_addition", named("back")),
  { role: "user", content: "go on" },
];
const REQUEST = { max_tokens: 9, tools: ["early", "back", "kept"].map(tool), messages: TURNS };

test("tools that a conversation of Messages adds and removes are those of a translated request", async () => {
  await using provider = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({ credentials: [at("TOGETHER", provider.origin)] });
  const response = await post(gateway.origin, "messages", { model: "together/llama", ...REQUEST });
  expect([response.status, response.headers.get("gateway-warning")]).toEqual([200, "dropped messages[4].content[0]"]);
  const { tools, messages } = provider.received[0]!.json;
  expect(tools.map((each: Json) => each.function.name)).toEqual(["back", "kept", "later"]);
  expect(messages.map(({ role }: Json) => role)).not.toContain("system");
});

test("a rewritten request keeps them where they are at Anthropic", async () => {
  await using provider = standIn(() => json(messagesResponse("hi")));
  await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const response = await post(gateway.origin, "messages", { model: "anthropic/claude-opus-5", ...REQUEST });
  expect(response.status).toBe(200);
  const { tools, messages } = provider.received[0]!.json;
  expect(tools.map(({ name }: Json) => name)).toEqual(["early", "back", "kept"]);
  expect(JSON.stringify(messages)).toContain('{"type":"tool_removal","tool":{"type":"tool_reference","name":"early"}}');
});

test("tools that items of Responses add are those of a translated request", async () => {
  await using provider = standIn(() => json(chatResponse("hi")));
  await using gateway = await startUnified({ credentials: [at("TOGETHER", provider.origin)] });
  const fn = (name: string) => ({ type: "function", name, parameters: { type: "object", properties: {} } });
  const response = await post(gateway.origin, "responses", {
    model: "together/llama",
    tools: [fn("kept")],
    input: [
      { role: "user", content: "hi" },
      { type: "additional_tools", role: "developer", tools: [fn("later")] },
      {
        type: "tool_search_output",
        call_id: "c",
        execution: "client",
        tools: [{ type: "namespace", name: "n", tools: [fn("found")] }],
      },
    ],
  });
  expect(response.status).toBe(200);
  const { tools } = provider.received[0]!.json;
  expect(tools.map((each: Json) => each.function.name)).toEqual(["kept", "later", "n__found"]);
});

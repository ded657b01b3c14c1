import { expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { at, json, KEY, messagesAnswer, standIn, startUnified } from "./house.ts";

const post = (origin: string, body: object) =>
  fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const tool = (name: string, parameters: object) => ({ type: "function", function: { name, parameters } });
const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });
const user = { role: "user", content: "go" };

test("chat tools that are written flat, as Cursor does beside others, keep their names and schemas over two turns", async () => {
  await using provider = standIn(() => json(messagesAnswer("done")));
  await using it = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const patch = { id: "c3", type: "custom", custom: { name: "patch", input: "*** Begin" } };
  const answered = ["c1", "c2", "c3"].map((id) => ({ role: "tool", tool_call_id: id, content: "ok" }));
  const assistant = { role: "assistant", content: null, tool_calls: [call("c1", "look"), call("c2", "find"), patch] };
  for (const messages of [[user], [user, assistant, ...answered]]) {
    const answer = await post(it.origin, {
      model: "anthropic/claude-sonnet-4-5",
      messages,
      tools: [
        tool("look", schema),
        { type: "function", name: "find", description: "Finds.", parameters: schema },
        { type: "custom", name: "patch", description: "Patches.", format: { type: "text" } },
      ],
    });
    expect([answer.status, ((await answer.json()) as Json).choices[0].message.content]).toEqual([200, "done"]);
  }
  const [first, second] = provider.asked;
  expect(first!.json.tools).toMatchObject([
    { name: "look", input_schema: schema },
    { name: "find", description: "Finds.", input_schema: schema },
    { name: "patch", input_schema: { properties: { input: { type: "string" } }, required: ["input"] } },
  ]);
  expect(second!.json.tools).toEqual(first!.json.tools);
  expect(second!.json.messages[1].content).toMatchObject([
    { type: "tool_use", id: "c1", name: "look", input: {} },
    { type: "tool_use", id: "c2", name: "find", input: {} },
    { type: "tool_use", id: "c3", name: "patch", input: { input: "*** Begin" } },
  ]);
});

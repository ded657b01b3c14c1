import { describe, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, events, json, KEY, messagesResponse, standIn, startUnified } from "../house.ts";

const thinking = { type: "thinking", thinking: "Hm, f.", signature: "sig" };
const redacted = { type: "redacted_thinking", data: "secret" };
const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const text = { type: "text", text: "Let me look." };

/** The blocks of a response as Anthropic streams them. */
const streamed = (blocks: readonly Json[]) =>
  events([
    { event: "message_start", data: { type: "message_start", message: { ...messagesResponse(""), content: [] } } },
    ...blocks.flatMap((block, index) => [
      { event: "content_block_start", data: { type: "content_block_start", index, content_block: opened(block) } },
      ...deltas(block).map((delta) => ({
        event: "content_block_delta",
        data: { type: "content_block_delta", index, delta },
      })),
      { event: "content_block_stop", data: { type: "content_block_stop", index } },
    ]),
    { event: "message_delta", data: { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} } },
    { event: "message_stop", data: { type: "message_stop" } },
  ]);

const opened = (block: Json) =>
  block.type === "thinking"
    ? { ...block, thinking: "", signature: "" }
    : block.type === "text"
      ? { ...block, text: "" }
      : block;

function deltas({ type, thinking: thought, signature, text: said }: Json): Json[] {
  if (type === "text") return [{ type: "text_delta", text: said }];
  if (type !== "thinking") return [];
  return [
    { type: "thinking_delta", thinking: thought.slice(0, 2) },
    { type: "thinking_delta", thinking: thought.slice(2) },
    { type: "signature_delta", signature },
  ];
}

const TOOLS = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const user = { role: "user", content: "go" };
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "ok" });

async function ask(origin: string, model: string, messages: Json[], more: object = {}) {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model, messages, tools: TOOLS, reasoning_effort: "high", max_tokens: 20_000, ...more }),
  });
  return {
    status: response.status,
    text: await response.text(),
    warning: response.headers.get("gateway-warning") ?? "",
  };
}

/** Blocks of the assistant's turn, as a provider was sent it last. */
const turn = ({ json: body }: { json: Json }) => body.messages[1].content;

describe.each([[false], [true]])("what Claude thought before a call (stream: %p)", (stream) => {
  const CLAUDE = "anthropic/claude-sonnet-4-5";

  test.each<[string, Json[], object, Json[]]>([
    ["is put back", [thinking, text, use("c1")], { content: text.text }, [thinking, text, use("c1")]],
    [
      "is put back where only its text was kept",
      [thinking, use("c1")],
      { reasoning_content: "Hm, f." },
      [thinking, use("c1")],
    ],
    [
      "is put back, what was withheld of it as well",
      [thinking, redacted, use("c1"), use("c2")],
      {},
      [thinking, redacted, use("c1"), use("c2")],
    ],
    [
      "is put back where it stood, between calls",
      [thinking, use("c1"), { ...thinking, signature: "two" }, use("c2")],
      {},
      [thinking, use("c1"), { ...thinking, signature: "two" }, use("c2")],
    ],
  ])("%s", async (_name, blocks, kept, expected) => {
    await using provider = standIn(({ json: body }) =>
      body.stream ? streamed(blocks) : json({ ...messagesResponse(""), content: blocks, stop_reason: "tool_use" }),
    );
    await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
    await ask(gateway.origin, CLAUDE, [user], { stream });
    const ids = blocks.flatMap(({ id }) => id ?? []);
    const assistant = { role: "assistant", tool_calls: ids.map(call), ...kept };
    const second = await ask(gateway.origin, CLAUDE, [user, assistant, ...ids.map(result)]);
    expect(turn(provider.received[1]!)).toEqual(expected);
    expect(provider.received[1]!.json.thinking.type).toBe("enabled");
    expect(second).toMatchObject({ status: 200, warning: "" });
  });

  test("is for Claude alone, and nothing warns of what the client did not send", async () => {
    await using provider = standIn(({ path, json: body }) => {
      if (path.endsWith("/chat/completions")) return json(chatResponse("hi"));
      const blocks = [thinking, use("c1")];
      return body.stream
        ? streamed(blocks)
        : json({ ...messagesResponse(""), content: blocks, stop_reason: "tool_use" });
    });
    await using gateway = await startUnified({
      credentials: [at("ANTHROPIC", provider.origin), at("COHERE", provider.origin), at("GOOGLE", provider.origin)],
    });
    await ask(gateway.origin, CLAUDE, [user], { stream });
    const second = await ask(gateway.origin, "google/gemini-2.5-pro", [
      user,
      { role: "assistant", tool_calls: [call("c1")] },
      result("c1"),
    ]);
    expect(provider.received[1]!.text).not.toContain("sig");
    expect(second.warning).not.toContain("dropped messages");
  });
});

test("reasoning that OpenAI encrypted goes back to the credential that it is of", async () => {
  const output = [
    { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "enc" },
    { id: "fc_1", type: "function_call", call_id: "c1", name: "f", arguments: "{}", status: "completed" },
  ];
  await using provider = standIn(() =>
    json({ id: "resp_1", object: "response", status: "completed", model: "m", output }),
  );
  await using gateway = await startUnified({
    credentials: ["first", "second"].map((name) => at("OPENAI", provider.origin, { name, secrets: { api_key: name } })),
  });
  const model = "openai/gpt-5.4";
  await ask(gateway.origin, model, [user]);
  const key = provider.received[0]!.headers.get("authorization");
  for (const _ of [1, 2, 3]) {
    await ask(gateway.origin, model, [user, { role: "assistant", tool_calls: [call("c1")] }, result("c1")]);
    const { json: body, headers } = provider.received.at(-1)!;
    expect(headers.get("authorization")).toBe(key);
    expect(body.input.map(({ type, role }: Json) => type ?? role)).toEqual([
      ...["user", "reasoning", "function_call", "function_call_output"],
    ]);
    expect(body.input[1]).toMatchObject({ id: "rs_1", encrypted_content: "enc" });
  }
});

test("a call of another tool that has the same id, as in another conversation, gets nothing", async () => {
  const blocks = [thinking, use("c1")];
  await using provider = standIn(() => json({ ...messagesResponse(""), content: blocks, stop_reason: "tool_use" }));
  await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const model = "anthropic/claude-sonnet-4-5";
  await ask(gateway.origin, model, [user]);
  const other = { id: "c1", type: "function", function: { name: "g", arguments: "{}" } };
  const tools = [{ type: "function", function: { name: "g", parameters: { type: "object" } } }];
  await ask(gateway.origin, model, [user, { role: "assistant", tool_calls: [other] }, result("c1")], { tools });
  expect(turn(provider.received[1]!)).toEqual([{ ...use("c1"), name: "g" }]);
});

describe.each([[false], [true]])("what DeepSeek thought before a call, which has no state (stream: %p)", (stream) => {
  const called = { index: 0, ...call("c1") };
  const chunk = (delta: Json, finish_reason: string | null = null) => ({
    data: { id: "1", model: "m", choices: [{ index: 0, delta, finish_reason }] },
  });
  const respond = ({ json: body }: { json: Json }) =>
    body.stream
      ? events([
          chunk({ reasoning_content: "Hm, " }),
          chunk({ reasoning_content: "f." }),
          chunk({ tool_calls: [called] }),
          chunk({}, "tool_calls"),
          "[DONE]",
        ])
      : json(chatResponse("", { reasoning_content: "Hm, f.", tool_calls: [called] }));
  const callItem = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
  const reasoning = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm, f." }] };

  /** The assistant's turn that the second target gets, and the warning. */
  async function second(model: string, items: Json[]) {
    await using provider = standIn(respond);
    await using gateway = await startUnified({
      credentials: [at("DEEPSEEK", provider.origin), at("TOGETHER", provider.origin)],
    });
    const respondTo = async (to: string, input: Json[]) => {
      const response = await fetch(`${gateway.origin}/v1/responses`, {
        method: "POST",
        headers: { Authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ model: to, input, tools: [{ type: "function", name: "f", parameters: {} }], stream }),
      });
      await response.text();
      return response.headers.get("gateway-warning");
    };
    await respondTo("deepseek/deepseek-v4-pro", [user]);
    const warning = await respondTo(model, [
      user,
      ...items,
      { type: "function_call_output", call_id: "c1", output: "ok" },
    ]);
    return { turn: provider.received[1]!.json.messages[1], warning };
  }

  test.each([
    ["which dropped it", [callItem]],
    ["which kept its text", [reasoning, callItem]],
  ])("is put back for a client of Responses, %s", async (_name, items) => {
    expect(await second("deepseek/deepseek-v4-pro", items)).toEqual({
      turn: { role: "assistant", content: null, reasoning_content: "Hm, f.", tool_calls: [call("c1")] },
      warning: null,
    });
  });

  test("is for DeepSeek alone", async () => {
    const { turn: sent, warning } = await second("together/m", [callItem]);
    expect([sent, warning]).toEqual([{ role: "assistant", content: null, tool_calls: [call("c1")] }, null]);
  });
});

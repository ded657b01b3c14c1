import { expect, test } from "bun:test";
import { at, events, json, KEY, messagesEvents, messagesResponse, standIn, startUnified } from "../house.ts";

const post = (origin: string, body: object) =>
  fetch(`${origin}/v1/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ max_tokens: 9, ...body }),
  });

test("older completions pass where the provider has them, unchanged but for the model", async () => {
  const COMPLETION = { id: "cmpl-1", object: "text_completion", choices: [{ text: "yes", index: 0 }] };
  await using provider = standIn(() => json(COMPLETION));
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
  const body = { prompt: ["a", "b"], suffix: "x", echo: true, best_of: 2, logprobs: 1 };
  const response = await post(gateway.origin, { model: "openai/gpt-3.5-turbo-instruct", ...body });
  expect([response.status, await response.json()]).toEqual([200, COMPLETION]);
  expect(provider.received[0]).toMatchObject({
    path: "/v1/completions",
    json: { model: "gpt-3.5-turbo-instruct", ...body },
  });
});

test.each([["one text"], [["one text"]]])("elsewhere the prompt %j is one message of the user", async (prompt) => {
  await using provider = standIn(() => json(messagesResponse("yes")));
  await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const response = await post(gateway.origin, { model: "anthropic/claude-test", prompt });
  expect([response.status, await response.json()]).toMatchObject([
    200,
    {
      object: "text_completion",
      choices: [{ text: "yes", index: 0, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    },
  ]);
  expect(provider.received[0]!.json).toEqual({
    ...{ model: "claude-test", max_tokens: 9 },
    messages: [{ role: "user", content: "one text" }],
  });
});

test("a stream of another API comes as older completions", async () => {
  await using provider = standIn(() => events(messagesEvents("yes")));
  await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const response = await post(gateway.origin, { model: "anthropic/claude-test", prompt: "one text", stream: true });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  expect(lines.at(-1)).toBe("data: [DONE]");
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice("data: ".length)));
  expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe("yes");
  expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["text_completion"]));
});

test.each<[string, object, string, string]>([
  ["several prompts", { prompt: ["a", "b"] }, "untranslatable", "prompt"],
  ["tokens", { prompt: [1, 2] }, "untranslatable", "prompt"],
  ["no prompt", {}, "invalid_body", "prompt"],
  ["suffix", { prompt: "a", suffix: "x" }, "untranslatable", "suffix"],
  ["echo", { prompt: "a", echo: true }, "untranslatable", "echo"],
  ["best_of", { prompt: "a", best_of: 2 }, "untranslatable", "best_of"],
  ["logprobs", { prompt: "a", logprobs: 0 }, "untranslatable", "logprobs"],
])("members that a message cannot express are refused by their path: %s", async (_name, body, code, param) => {
  await using provider = standIn(() => json(messagesResponse("yes")));
  await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const response = await post(gateway.origin, { model: "anthropic/claude-test", ...body });
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code, param } }]);
  expect(provider.received).toEqual([]);
});

import { expect, test } from "bun:test";
import { estimateUsage } from "../../src/mapping/estimate.ts";

const chat = (model: string | null, content: string) =>
  estimateUsage({
    model,
    wireSchema: "chat-completions",
    requestBody: { messages: [{ role: "user", content }] },
    responseBody: {
      choices: [{ index: 0, message: { role: "assistant", content: "Hello! How can I help you today?" } }],
    },
  });

test("a stream of a model with a known tokenizer gets a guess", async () => {
  // "Say hello" is 2 tokens, a message's frame 3, the answer's frame 3; the answer's text is 9.
  expect(await chat("gpt-4o-mini", "Say hello")).toEqual({ prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 });
});

test.each([["llama-3"], ["claude-4"], [null]])("a stream of %s gets none", async (model) => {
  expect(await chat(model, "Say hello")).toBeUndefined();
});

test("text made to be slow, and text that looks like the tokenizer's marks, are counted quickly", async () => {
  const started = performance.now();
  const usage = await chat("gpt-4o", "<|endoftext|>".repeat(100) + "a".repeat(3_000_000));
  expect(usage?.prompt_tokens).toBeGreaterThan(100_000);
  expect(performance.now() - started).toBeLessThan(3000);
});

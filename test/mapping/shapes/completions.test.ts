import { expect, test } from "bun:test";
import { send } from "./translation.ts";

const way = { from: "completions", to: "messages" };

test("one prompt becomes one text of the user, and the response's text is returned", () => {
  const sent = send({ model: "m", prompt: "Once", max_tokens: 9, stop: "." }, way);
  expect(sent.body).toEqual({
    model: "m",
    max_tokens: 9,
    messages: [{ role: "user", content: "Once" }],
    stop_sequences: ["."],
  });
  const response = {
    content: [{ type: "text", text: " upon" }],
    stop_reason: "max_tokens",
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  expect(sent.answer(response)).toMatchObject({
    object: "text_completion",
    choices: [{ text: " upon", index: 0, logprobs: null, finish_reason: "length" }],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  });
});

test("a stream is chunks of text", () => {
  const sent = send({ model: "m", prompt: "Once", stream: true, stream_options: { include_usage: true } }, way).stream([
    { type: "message_start", message: { id: "a", usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " upon" } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ]);
  expect(sent.map((chunk) => chunk.choices?.[0]?.text ?? chunk.usage?.total_tokens ?? chunk)).toEqual([
    " upon",
    "",
    3,
    "[DONE]",
  ]);
});

test.each([
  ["suffix", { suffix: "end" }],
  ["echo", { echo: true }],
  ["best_of", { best_of: 3 }],
  ["logprobs", { logprobs: 2 }],
  ["prompt", { prompt: ["a", "b"] }],
  ["prompt", { prompt: [1, 2] }],
])("%s is refused by its path: %p", (path, members) => {
  expect(send({ model: "m", prompt: "Once", ...members }, way).losses).toEqual([`refused ${path}`]);
});

test("a setting without effect is no loss, and conversations are never written as completions", () => {
  expect(send({ model: "m", prompt: ["Once"], echo: false, best_of: 1, logprobs: null }, way).losses).toEqual([]);
  expect(send({ model: "m", messages: [] }, { from: "chat-completions", to: "completions" }).losses).toContain(
    "refused messages",
  );
});

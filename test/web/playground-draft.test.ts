import { expect, test } from "bun:test";
import { bodyFor } from "../../src/web/pages/playground/body-for.ts";
import {
  type Draft,
  EMPTY,
  type FormPrompt,
  formPrompt,
  jsonPrompt,
  promptBody,
} from "../../src/web/pages/playground/draft.ts";

const CHAT = {
  messages: [
    { role: "system", content: "be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "3" },
  ],
  tools: [{ type: "function", function: { name: "f" } }],
  temperature: 0,
  stop: ["a", "b"],
  response_format: { type: "json_object" },
  n: 1,
};

test("a chat body that is taken into the form is sent as it was", () => {
  expect(promptBody(formPrompt({ model: "m", stream: true, ...CHAT })!)).toEqual(CHAT);
});

test.each<[string, object]>([
  ["a text where a number belongs", { temperature: "warm" }],
  ["a stop text with a line break", { stop: ["a\nb"] }],
  ["an effort that is no text", { reasoning_effort: 3 }],
])("%s keeps its place among the other members", (_what, members) => {
  const body = { messages: [{ role: "user", content: "hello" }], ...members };
  expect(promptBody(formPrompt(body)!)).toEqual(body);
});

test("a body without a list of messages does not fit the form", () => {
  expect(formPrompt({ input: "hello" })).toBeUndefined();
});

const form = (change: Partial<FormPrompt> = {}): FormPrompt => ({
  ...(EMPTY.prompt as FormPrompt),
  messages: [{ role: "user", text: "hello" }],
  ...change,
});
const draft = (change: Partial<Draft>): Draft => ({ ...EMPTY, prompt: form(), stream: false, ...change });
const MESSAGES = [{ role: "user", content: "hello" }];

const LISTED = [
  { id: "fast", supported_parameters: ["max_completion_tokens", "stop"] },
  { id: "either", supported_parameters: ["stop"] },
  { id: "groq/llama-3.3-70b", supported_parameters: ["max_tokens"] },
  { id: "azure/gpt-4o", supported_parameters: ["max_completion_tokens"] },
  { id: "openai/gpt-5-mini", supported_parameters: ["max_completion_tokens", "tools"] },
  { id: "openai/gpt-new", supported_parameters: null },
];

test.each([
  ["openai/gpt-5-mini", "max_completion_tokens"],
  ["OpenAI/gpt-5-mini:nitro", "max_completion_tokens"],
  ["gpt-5-mini", "max_completion_tokens"],
  ["gpt-5-mini, groq/llama-3.3-70b", "max_completion_tokens"],
  ["azure:eu/gpt-4o", "max_completion_tokens"],
  ["fast", "max_completion_tokens"],
  ["groq/llama-3.3-70b", "max_tokens"],
  ["either", "max_tokens"],
  ["openai/gpt-new", "max_tokens"],
  ["gpt-unlisted", "max_tokens"],
])("%s gets the limit of its response as %s", (model, name) => {
  const settings = { ...form().settings, max_tokens: "50" };
  expect(bodyFor(draft({ prompt: form({ settings }) }), model, LISTED)).toEqual({
    model,
    messages: MESSAGES,
    [name]: 50,
  });
});

test("a streamed chat asks for its usage; what is written as JSON stays as it is written", () => {
  const streamed = bodyFor(draft({ stream: true }), "m", []);
  expect(streamed).toEqual({ model: "m", messages: MESSAGES, stream: true, stream_options: { include_usage: true } });
  const own = jsonPrompt("chat-completions", { messages: MESSAGES, max_tokens: 5, stream_options: {} });
  expect(bodyFor(draft({ prompt: own, stream: true }), "openai/o3", LISTED)).toEqual({
    ...{ model: "openai/o3", messages: MESSAGES, max_tokens: 5 },
    ...{ stream: true, stream_options: {} },
  });
  const messages = jsonPrompt("messages", { model: "x", stream: true, max_tokens: 5, messages: MESSAGES });
  expect(bodyFor(draft({ prompt: messages }), "m", [])).toEqual({ model: "m", max_tokens: 5, messages: MESSAGES });
});

test("a tool may be written as its function alone", () => {
  const prompt = form({ tools: '[{"name": "f"}, {"type": "function", "function": {"name": "g"}}]' });
  expect(promptBody(prompt)["tools"]).toEqual(["f", "g"].map((name) => ({ type: "function", function: { name } })));
});

test.each<[string, Partial<FormPrompt>, string, string]>([
  ["no message", { messages: [{ role: "user", text: " " }] }, "messages", "write a message"],
  ["a message that is not JSON", { messages: [{ json: "{" }] }, "messages.0", "this is not JSON"],
  ["tools that are no list", { tools: "{}" }, "tools", "give a JSON list of tools"],
  ["members that are no object", { rest: "[]" }, "rest", "give a JSON object"],
  ["a setting that is no number", { settings: { ...form().settings, seed: "x" } }, "seed", "give a number"],
])("%s is said at its field", (_what, change, field, message) => {
  expect(() => promptBody(form(change))).toThrow(
    expect.objectContaining({ field, message: expect.stringContaining(message) }),
  );
});

import fc from "fast-check";
import type { Json } from "../../../src/plugin-host/contract.ts";

/** Prompts in the form of the SDK's models, which its own providers write for their APIs. */

const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: "weather",
  input: { city: "Oslo" },
});
const result = (id: string) => ({
  type: "tool-result" as const,
  toolCallId: id,
  toolName: "weather",
  output: { type: "text" as const, value: `sun ${id}` },
});
export const tool = {
  type: "function" as const,
  name: "weather",
  description: "Weather of a city.",
  inputSchema: {
    type: "object" as const,
    properties: { city: { type: "string" as const } },
    required: ["city"],
    additionalProperties: false,
  },
};
const system = { role: "system" as const, content: "Be brief." };
export const hello = { role: "user" as const, content: [text("Hello")] };
const base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const PROMPTS: readonly (readonly [string, Json])[] = [
  ["a question", { prompt: [hello] }],
  ["with a system text", { prompt: [system, hello] }],
  ["settings", { prompt: [hello], maxOutputTokens: 300, temperature: 0.4 }],
  [
    "turns",
    { prompt: [hello, { role: "assistant", content: [text("Hi")] }, { role: "user", content: [text("And?")] }] },
  ],
  ["tools", { prompt: [hello], tools: [tool] }],
  ["a forced tool", { prompt: [hello], tools: [tool], toolChoice: { type: "required" } }],
  ["one forced tool", { prompt: [hello], tools: [tool], toolChoice: { type: "tool", toolName: "weather" } }],
  [
    "parallel calls and their results",
    {
      prompt: [
        system,
        hello,
        { role: "assistant", content: [text("Let me see."), call("a"), call("b")] },
        { role: "tool", content: [result("a"), result("b")] },
      ],
      tools: [tool],
    },
  ],
  [
    "a call without arguments, a result of JSON, and a question after it",
    {
      prompt: [
        hello,
        { role: "assistant", content: [{ ...call("a"), input: {} }] },
        { role: "tool", content: [{ ...result("a"), output: { type: "json", value: { sun: [1, "é"], "": null } } }] },
        { role: "assistant", content: [text("Sun.")] },
        { role: "user", content: [text("And "), text("there?")] },
      ],
      tools: [tool],
    },
  ],
  [
    "images and a file over two turns, with tools and settings",
    {
      prompt: [
        system,
        { role: "user", content: [text("One"), { type: "file", mediaType: "image/jpeg", data: base64 }] },
        { role: "assistant", content: [text("Yes.")] },
        {
          role: "user",
          content: [
            { type: "file", mediaType: "image/png", data: base64 },
            { type: "file", mediaType: "application/pdf", filename: "b.pdf", data: "JVBERi0=" },
            text("And two?"),
          ],
        },
      ],
      tools: [tool],
      maxOutputTokens: 900,
      topP: 0.5,
    },
  ],
  [
    "an image",
    { prompt: [{ role: "user", content: [text("What?"), { type: "file", mediaType: "image/png", data: base64 }] }] },
  ],
  [
    "an image by address",
    {
      prompt: [
        {
          role: "user",
          content: [text("What?"), { type: "file", mediaType: "image/png", data: new URL("https://x.test/a.png") }],
        },
      ],
    },
  ],
  [
    "a file",
    {
      prompt: [
        {
          role: "user",
          content: [{ type: "file", mediaType: "application/pdf", filename: "a.pdf", data: "JVBERi0=" }, text("Read.")],
        },
      ],
    },
  ],
  [
    "an answer by schema",
    { prompt: [hello], responseFormat: { type: "json", schema: tool.inputSchema, name: "reply" } },
  ],
];

/** Conversations of any length: questions with pictures, parallel calls with their results, answers. */
const word = fc.stringMatching(/^[a-zé日"\\{]{1,8}$/);
const picture = fc
  .constantFrom("image/png", "image/jpeg")
  .map((mediaType) => ({ type: "file", mediaType, data: base64 }));
const exchange = fc.record({
  asked: fc.array(fc.oneof(word.map(text), picture), { minLength: 1, maxLength: 3 }),
  called: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  said: word,
});
export const conversations = fc
  .record({ first: fc.boolean(), exchanges: fc.array(exchange, { maxLength: 4 }), last: word })
  .map(({ first, exchanges, last }): Json => {
    const prompt = exchanges.flatMap(({ asked, called, said }, at): Json[] => {
      const ids = called.map((id) => `${id}${at}`);
      const uses = { role: "assistant", content: [text(said), ...ids.map(call)] };
      const turns = ids.length === 0 ? [] : [uses, { role: "tool", content: ids.map(result) }];
      return [{ role: "user", content: asked }, ...turns, { role: "assistant", content: [text(said)] }];
    });
    return {
      prompt: [...(first ? [system] : []), ...prompt, { role: "user", content: [text(last)] }],
      tools: [tool],
    };
  });

import { expect, test } from "bun:test";
import type { LlmSchema } from "../../src/record/llm-schema.ts";
import { conversationJson, conversationMarkdown } from "../../src/web/pages/request/conversation-text.ts";

const SCHEMA: LlmSchema = {
  request: {
    instructions: "Be brief.",
    messages: [
      { role: "user", content: "Weather in Paris?" },
      { role: "assistant", tool_calls: [{ name: "get_weather", arguments: { city: "```Paris" }, id: "c1" }] },
      { role: "tool", content: "18 °C" },
    ],
  },
  response: { messages: [{ role: "assistant", reasoning: "It is 18.\nSay so.", content: "18 °C." }] },
};

test("a conversation is copied as Markdown, whole and in its order", () => {
  expect(conversationMarkdown(SCHEMA)).toBe(
    [
      ...["## system", "", "Be brief.", "", "## user", "", "Weather in Paris?", "", "## assistant", ""],
      ...["Calls `get_weather`:", "", "````json", '{\n  "city": "```Paris"\n}', "````", "", "## tool", "", "18 °C", ""],
      ...["## assistant", "", "> It is 18.\n> Say so.", "", "18 °C.", ""],
    ].join("\n"),
  );
});

test("a prompt without messages is copied too, once", () => {
  const text = conversationMarkdown({ request: { prompt: "Once", input: "Once" }, response: {} });
  expect(text).toBe("## user\n\nOnce\n");
});

test("as JSON it is what the API returns", () => {
  expect(JSON.parse(conversationJson(SCHEMA))).toEqual(SCHEMA);
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chatCompletionsShape as chat } from "../../../src/mapping/wire/chat-completions/shape.ts";
import type { Call, Message, Part, Prompt } from "../../../src/plugin/contract.ts";
import { assertProperty } from "../../chance.ts";
import { essence, prompts } from "./prompts.ts";

const call: Call = { model: "m", facts: { reasoningMember: "reasoning_content" }, issuer: "acme" };

describe("a prompt to chat completions", () => {
  test("is read back as it was written", () => {
    assertProperty(
      fc.property(prompts, (prompt) => {
        const fitting = within(prompt);
        const { body } = chat.writeRequest(fitting, call);
        expect(essence(chat.readRequest!(JSON.parse(JSON.stringify(body))))).toEqual(essence(fitting));
      }),
    );
  });

  test.each([
    ["a message that is none", { messages: [1] }, "invalid", "messages[0]"],
    ["no messages", { model: "m" }, "invalid", "messages"],
    [
      "a part of an unknown type",
      { messages: [{ role: "user", content: [{ type: "hologram" }] }] },
      "refused",
      "messages[0].content[0]",
    ],
    ["a member that no shape knows", { messages: [], top_a: 1 }, "dropped", "top_a"],
    ["a setting of another type", { messages: [], temperature: "warm" }, "invalid", "temperature"],
  ])("loses %s by its path", (_name, body, kind, path) => {
    expect(chat.readRequest!(body).losses).toMatchObject([{ kind, path }]);
  });
});

/** What chat completions have no words for is the business of the step before. */
function within(prompt: Prompt): Prompt {
  const { topK: _, thinking, ...settings } = prompt.settings;
  const messages = prompt.messages.map((message): Message => ({ ...message, parts: message.parts.map(plain) }));
  const effort = thinking?.effort === undefined ? {} : { thinking };
  return { ...prompt, messages, settings: { ...settings, ...effort } };
}

function plain(part: Part): Part {
  if (part.type !== "result") return part.type === "reasoning" ? { type: "reasoning", text: part.text } : part;
  const { error: _, ...result } = part;
  return result;
}

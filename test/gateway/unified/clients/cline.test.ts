import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, chatResponse, events, json, KEY, messagesEvents, standIn, startUnified } from "../house.ts";

/**
 * What Cline sends: tools are XML in the texts of both sides, each turn is a stream, and the environment follows the user's words
 * as a part of its own. As an OpenAI-compatible client it asks for usage; as an Anthropic client it marks the last two user turns.
 */

const SYSTEM = "You are Cline.\n\nTOOL USE\n<read_file>\n<path>File path here</path>\n</read_file>";
const CALL = "<read_file>\n<path>src/a.ts</path>\n</read_file>";
const ENVIRONMENT = "<environment_details>\n# Current Mode\nACT MODE\n</environment_details>";
const RESULT = "[read_file for 'src/a.ts'] Result:\nexport const a = '<b>';\n";
const parts = (...texts: string[]) => texts.map((text) => ({ type: "text" as const, text }));
const mark = { cache_control: { type: "ephemeral" as const } };

const chunk = (delta: object, more: object = {}) => ({
  data: {
    ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m" },
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  },
});
const chatEvents = (content: string) => [
  chunk({ role: "assistant", content: "" }),
  ...content.split(/(?<=\n)/).map((line) => chunk({ content: line })),
  chunk({}, { finish_reason: "stop" }),
  { data: { ...chunk({}).data, choices: [], usage: chatResponse("").usage } },
  "[DONE]",
];

const provider = standIn(({ path }) => {
  if (path.includes("streamGenerateContent"))
    return events([
      {
        data: {
          candidates: [{ content: { role: "model", parts: [{ text: CALL }] }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3 },
        },
      },
    ]);
  if (path.endsWith("/messages")) return events(messagesEvents(CALL));
  return path.endsWith("/chat/completions") ? events(chatEvents(CALL)) : json({}, 404);
});
let it: Awaited<ReturnType<typeof startUnified>>;
beforeAll(async () => {
  it = await startUnified({
    credentials: [
      at("ANTHROPIC", provider.origin),
      at("GOOGLE", provider.origin),
      at("CUSTOM", provider.origin, { settings: { shape: "chat-completions" } }),
    ],
  });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** The texts of the provider's request, in order, whatever its API. */
function textsSent(): readonly string[] {
  const { system, systemInstruction, messages, contents }: Json = provider.received.at(-1)!.json;
  const texts = (value: Json): string[] =>
    typeof value === "string"
      ? [value]
      : Array.isArray(value)
        ? value.flatMap(texts)
        : value === undefined
          ? []
          : said(value);
  const said = (value: Json): string[] => texts(value.text ?? value.content ?? value.parts);
  return [system, systemInstruction, messages, contents].flatMap(texts);
}
const FIRST = [SYSTEM, "<task>\nWhat is a?\n</task>", ENVIRONMENT];
const SECOND = [...FIRST, CALL, RESULT, ENVIRONMENT];

describe("Cline as an OpenAI-compatible client", () => {
  test.each(["anthropic/claude-sonnet-4-5", "google/gemini-3-flash", "custom/m"])(
    "keeps its texts at %s",
    async (model) => {
      const client = new OpenAI({ baseURL: `${it.origin}/v1`, apiKey: KEY, maxRetries: 0 });
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: SYSTEM }];
      for (const [words, expected] of [[FIRST[1]!, FIRST] as const, [RESULT, SECOND] as const]) {
        messages.push({ role: "user", content: parts(words, ENVIRONMENT) });
        const more = { temperature: 0, stream: true, stream_options: { include_usage: true } } as const;
        let text = "";
        let usage: OpenAI.CompletionUsage | null | undefined;
        for await (const { choices, usage: counted } of await client.chat.completions.create({
          model,
          messages,
          ...more,
        })) {
          text += choices[0]?.delta.content ?? "";
          usage = counted ?? usage;
        }
        expect([text, usage?.prompt_tokens, usage?.completion_tokens]).toEqual([CALL, 5, 3]);
        expect(textsSent()).toEqual(expected);
        messages.push({ role: "assistant", content: text });
      }
    },
  );
});

describe("Cline as an Anthropic client", () => {
  test.each(["anthropic/claude-sonnet-4-5", "google/gemini-3-flash", "custom/m"])(
    "keeps its texts at %s",
    async (model) => {
      const client = new Anthropic({ baseURL: it.origin, apiKey: KEY, maxRetries: 0 });
      const messages: Anthropic.MessageParam[] = [];
      for (const [words, expected] of [[FIRST[1]!, FIRST] as const, [RESULT, SECOND] as const]) {
        messages.push({ role: "user", content: [...parts(words), { ...parts(ENVIRONMENT)[0]!, ...mark }] });
        const system = [{ ...parts(SYSTEM)[0]!, ...mark }];
        const body = { model, messages, system, max_tokens: 8_192, temperature: 0, stream: true } as const;
        let text = "";
        for await (const event of await client.messages.create(body))
          if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text;
        expect(text).toBe(CALL);
        expect(textsSent()).toEqual(expected);
        const marks = provider.received.at(-1)!.text.match(/"cache_control"/g) ?? [];
        expect(marks).toHaveLength(model.startsWith("anthropic") ? 1 + Math.ceil(expected.length / 3) : 0);
        messages.push({ role: "assistant", content: text });
      }
    },
  );
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Json, ModelFacts } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { CALLS, MODELS, PLAIN, recorder, SHAPES, type Shape } from "./ai-sdk.ts";
import { send } from "./translation.ts";

/**
 * The Vercel AI SDK as an oracle that is not ours. It has a provider for each API: the same prompt through its own provider and
 * through our shapes must ask the same thing, and the same answer must be understood alike.
 */

const FACTS: Readonly<Record<string, ModelFacts>> = {
  "chat-completions": {},
  responses: { reasoning: "none" },
  messages: { jsonSchema: true, maxOutput: 64_000 },
};

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
const tool = {
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
const hello = { role: "user" as const, content: [text("Hello")] };
const base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const PROMPTS: readonly (readonly [string, Json])[] = [
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
const conversations = fc
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

/** The body that the SDK's own provider writes. */
async function asked(shape: Shape, options: Json): Promise<Json> {
  const { seen, fetch } = recorder(PLAIN[shape]);
  await MODELS[shape](fetch).doGenerate(options);
  return seen.body;
}

/** What the SDK understands of an answer. */
async function understood(shape: Shape, answer: Json): Promise<Json> {
  const { fetch } = recorder(answer);
  const { content, finishReason, usage: counted } = await MODELS[shape](fetch).doGenerate({ prompt: [hello] });
  const said = content.map((part: Json) => pick(part, ["type", "text", "toolCallId", "toolName", "input"]));
  return {
    content: said.map((part) => (part.input === undefined ? part : { ...part, input: JSON.parse(part.input) })),
    finish: finishReason.unified,
    in: counted.inputTokens.total,
    out: counted.outputTokens.total,
  };
}

const pick = (value: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));

/** Two ways to say one thing that both APIs and we use are made one. */
const SAME: Readonly<Record<Shape, (body: Json) => Json>> = {
  "chat-completions": (body) => ({
    ...body,
    tools: body.tools?.map(looseTool),
    messages: body.messages.map(withoutNull),
  }),
  messages: (body) => ({
    ...body,
    tool_choice: body.tool_choice ?? (body.tools ? { type: "auto" } : undefined),
    messages: body.messages.map(({ role, content }: Json) => ({ role, content: blocks(content, "text") })),
  }),
  responses: ({ instructions, ...body }) => ({
    ...body,
    // Both hold in a request without it.
    tools: body.tools?.map(({ strict: _, ...each }: Json) => each),
    include: undefined,
    store: undefined,
    text: body.text?.format ? { format: { ...body.text.format, strict: undefined } } : undefined,
    input: [...(instructions ? [{ role: "system", content: instructions }] : []), ...body.input].map((item: Json) =>
      item.role === undefined || item.role === "system"
        ? item
        : { ...item, content: blocks(item.content, "input_text") },
    ),
  }),
};

const blocks = (content: Json, type: string) =>
  (typeof content === "string" ? [{ type, text: content }] : content).map((block: Json) =>
    block.type === "tool_result" ? { ...block, content: blocks(block.content, "text") } : block,
  );

const looseTool = ({ type, function: { strict: _, ...declared } }: Json) => ({ type, function: declared });
const withoutNull = ({ content, ...message }: Json) => ({ ...message, content: content === "" ? null : content });

function nameless(body: Json): Json {
  const { name: _, strict: __, ...format } = body.response_format?.json_schema ?? body.text?.format ?? {};
  const { response_format, text, ...rest } = body;
  return { ...rest, format };
}

const comparable = (shape: Shape, body: Json): Json => {
  const { model: _, ...rest } = JSON.parse(JSON.stringify(SAME[shape](body)));
  return rest;
};

describe.each(SHAPES.flatMap((from) => SHAPES.filter((to) => to !== from).map((to) => [from, to] as const)))(
  "%s → %s",
  (from, to) => {
    const asksTheSame = async (options: Json) => {
      const [client, wanted] = [await asked(from, options), await asked(to, options)];
      // A limit that the client did not choose is the SDK's own.
      if (options.maxOutputTokens === undefined) delete client.max_tokens;
      const sent = send(client, { from, to, facts: FACTS[to]!, issuer: "x" });
      // Messages has no name of a schema, and no word for strict.
      const named =
        from === "messages" ? (body: Json) => nameless(comparable(to, body)) : (body: Json) => comparable(to, body);
      expect(named(sent.body)).toEqual(named(wanted));
      expect(sent.losses).toEqual([]);
    };

    test.each(PROMPTS)("asks the same as the SDK's own provider: %s", (_name, options) => asksTheSame(options));

    test("asks the same as the SDK's own provider in any conversation", () =>
      assertProperty(fc.asyncProperty(conversations, asksTheSame), { numRuns: 40 }));

    test.each([
      ["text", PLAIN],
      ["calls", CALLS],
    ])("an answer is understood alike: %s", async (_name, answers) => {
      const options = { prompt: [hello], tools: [tool] };
      const translated = send(await asked(from, options), { from, to, facts: FACTS[to]!, issuer: "x" }).answer(
        answers[to],
      );
      expect(await understood(from, translated)).toEqual(await understood(to, answers[to]));
    });
  },
);

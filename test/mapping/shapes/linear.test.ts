import { expect, test } from "bun:test";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import { StreamTranslation, translateRequest } from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json } from "../../../src/plugin-host/contract.ts";
import { chatCall, chatChunk } from "./translation.ts";

const MANY = 20_000;
const repeated = (make: (at: number) => Json): Json[] => Array.from({ length: MANY }, (_, at) => make(at));
const clients = Object.values(SHAPES).filter(({ writeEvents }) => writeEvents !== undefined);

// Work that grows with the square of the length would take minutes here.
test.each<[string, (at: number) => Json]>([
  [
    "calls that never end",
    (index) => chatCall(index, { id: `c${index}`, function: { name: "f", arguments: '{"a":' } }),
  ],
  ["parts that alternate", (at) => chatChunk(at % 2 === 0 ? { content: "x" } : { refusal: "y" })],
  ["thoughts that alternate", (at) => chatChunk(at % 2 === 0 ? { content: "x" } : { reasoning_content: "y" })],
  [
    "log probabilities",
    () => ({ choices: [{ index: 0, delta: { content: "x" }, logprobs: { content: [{ token: "x" }] } }] }),
  ],
  [
    "arguments in single letters",
    (at) =>
      chatCall(0, at === 0 ? { id: "c", function: { name: "f", arguments: "{" } } : { function: { arguments: " " } }),
  ],
  ["ever new choices", (index) => ({ choices: [{ index, delta: { content: "x" } }] })],
])("a stream of %s takes time in proportion", (_name, make) => {
  const events = repeated(make);
  for (const to of clients) {
    const reply = { id: "r", model: "m", created: 1, prompt: SHAPES["chat-completions"]!.readRequest!({}) };
    const stream = new StreamTranslation({
      from: SHAPES["chat-completions"]!,
      to,
      names: new ToolNames(undefined),
      issuer: "x",
      reply,
    });
    for (const data of events) stream.event({ data });
    stream.close();
    expect(stream.ended).toBe(true);
  }
});

test.each<[string, Json]>([
  ["turns", { messages: repeated((at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: "x" })) }],
  ["parts", { messages: [{ role: "user", content: repeated(() => ({ type: "text", text: "x" })) }] }],
  [
    "calls and results",
    {
      messages: [
        {
          role: "assistant",
          tool_calls: repeated((at) => ({
            id: `c${at}`,
            type: "function",
            function: { name: "f.g", arguments: "{}" },
          })),
        },
        ...repeated((at) => ({ role: "tool", tool_call_id: `c${MANY - at}`, content: "r" })),
      ],
    },
  ],
  ["results without calls", { messages: repeated((at) => ({ role: "tool", tool_call_id: `c${at}`, content: "r" })) }],
  [
    "old function calls",
    {
      messages: repeated((at) =>
        at % 2 === 0
          ? { role: "assistant", function_call: { name: "f", arguments: "{}" } }
          : { role: "function", name: "f", content: "r" },
      ),
    },
  ],
  ["tools", { messages: [], tools: repeated((at) => ({ type: "function", function: { name: `f.${at}` } })) }],
])("a request of many %s takes time in proportion", (_name, body) => {
  const prompt = SHAPES["chat-completions"]!.readRequest!(body);
  for (const shape of Object.values(SHAPES))
    expect(translateRequest(prompt, shape, { model: "m", facts: {}, issuer: "x" }).body).toBeDefined();
});

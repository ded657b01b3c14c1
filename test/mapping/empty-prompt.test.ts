import { expect, test } from "bun:test";
import type { Mapping } from "../../src/mapping/mapping.ts";
import { readExchange, toLlmSchema } from "../../src/mapping/read-exchange.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { exchange } from "./exchange-input.ts";

const MAPPING: Mapping = {
  format: 1,
  request: { model: "/model", prompt: "/ask/words" },
  response: { text: "/said" },
};

/** What is read of a request whose response never came. */
function read(path: string, requestBody: Json, mapping?: Mapping) {
  const reading = readExchange({ ...exchange({ path, requestBody }), mappingOf: () => mapping });
  const { wireSchema, promptText } = reading;
  const schema = toLlmSchema({
    wireSchema,
    mapping,
    provider: "CUSTOM",
    model: "m",
    path,
    requestBody,
    responseBody: undefined,
    status: 200,
  });
  return { wireSchema, promptText, request: schema?.request };
}

test.each<[string, Json, string, Json]>([
  ["/v1/completions", { model: "m", prompt: "" }, "completions", { prompt: "" }],
  ["/v1/completions", { model: "m", prompt: [""] }, "completions", { prompt: "" }],
  ["/v1/chat/completions", { model: "m", messages: [], prompt: "" }, "chat-completions", { prompt: "" }],
  ["/v1/responses", { model: "m", input: "" }, "responses", {}],
  ["/v1/embeddings", { model: "m", input: "" }, "embeddings", { input: "" }],
  ["/v1/images/generations", { model: "m", prompt: "" }, "images", { prompt: "" }],
  ["/v1/audio/speech", { model: "m", input: "" }, "speech", { input: "" }],
  ["/v1/rerank", { model: "m", query: "", documents: [] }, "rerank", { input: "" }],
  ["/api/generate", { model: "m", prompt: "" }, "ollama-generate", { prompt: "" }],
  ["/v1/generate", { model: "m", prompt: "" }, "cohere-generate", { prompt: "" }],
  ["/generate", { inputs: "" }, "text-generation", { prompt: "" }],
])("at %s an empty prompt in %j is a prompt", (path, body, wireSchema, request) => {
  const found = read(path, body);
  expect([found.wireSchema as string, found.promptText]).toEqual([wireSchema, ""]);
  expect(found.request).toMatchObject(request);
});

test.each<[string, Json, string | undefined]>([
  [
    "is empty text",
    [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "" },
    ],
    "",
  ],
  [
    "has no text",
    [
      { role: "user", content: "a" },
      { role: "user", content: [{ type: "image_url", image_url: "b" }] },
    ],
    "a",
  ],
  ["has no content", [{ role: "user", content: null }], undefined],
])("the prompt of a conversation whose last message of the user %s", (_what, messages, prompt) => {
  expect(read("/v1/chat/completions", { model: "m", messages }).promptText).toBe(prompt as string);
});

test("of several members the one that says something is the prompt", () => {
  expect(read("/generate", { prompt: "", input: "a" }).promptText).toBe("a");
});

test("a request of a mapped model with an empty prompt is mapped, and one without is not", () => {
  const empty = read("/talk", { model: "m", ask: { words: "" } }, MAPPING);
  expect(empty).toMatchObject({ wireSchema: "mapped", promptText: "", request: { prompt: "" } });
  expect(read("/talk", { model: "m", ask: {} }, MAPPING)).toEqual({
    wireSchema: undefined,
    promptText: undefined,
    request: undefined,
  });
});

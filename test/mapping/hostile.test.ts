import { expect, test } from "bun:test";
import { readExchange, toLlmSchema } from "../../src/mapping/read-exchange.ts";
import type { Json, WireSchemaName } from "../../src/plugin-host/contract.ts";
import { cpuMsOf } from "../cpu-time.ts";

const MANY = 100_000;
const repeated = (event: (at: number) => Json) => Array.from({ length: MANY }, (_, at) => ({ data: event(at) }));

// Work that grows with the square of a stream's length would take minutes here.
test.each<[string, string, WireSchemaName, (at: number) => Json]>([
  [
    "calls under ever new indexes",
    "/v1/chat/completions",
    "chat-completions",
    (index) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index, id: `c${index}` }] } }] }),
  ],
  [
    "ever new choices",
    "/v1/chat/completions",
    "chat-completions",
    (index) => ({ choices: [{ index, delta: { content: "a" } }] }),
  ],
  [
    "parts that do not join",
    "/v1/chat/completions",
    "chat-completions",
    (at) => ({ choices: [{ index: 0, delta: { content: [{ type: `t${at}` }] } }] }),
  ],
  [
    "thoughts that do not join",
    "/v1/chat/completions",
    "chat-completions",
    (at) => ({ choices: [{ index: 0, delta: { content: [{ type: "thinking", thinking: [{ type: `t${at}` }] }] } }] }),
  ],
  [
    "log probabilities",
    "/v1/chat/completions",
    "chat-completions",
    () => ({ choices: [{ index: 0, delta: { content: "a" }, logprobs: { content: [{ token: "a" }] } }] }),
  ],
  [
    "annotations",
    "/v1/responses",
    "responses",
    () => ({ type: "response.output_text.annotation.added", output_index: 0, content_index: 0, annotation: {} }),
  ],
  [
    "ever new parts",
    "/v1/responses",
    "responses",
    (content_index) => ({ type: "response.output_text.delta", output_index: 0, content_index, delta: "a" }),
  ],
  [
    "citations",
    "/v1/messages",
    "messages",
    () => ({ type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation: {} } }),
  ],
  [
    "parts of a candidate",
    "/m:streamGenerateContent",
    "generate-content",
    () => ({ candidates: [{ content: { parts: [{ functionCall: { name: "f" } }] } }] }),
  ],
])("a stream of many %s is read in time", async (_name, path, schema, event) => {
  const events = repeated(event);
  const read = () => {
    const reading = readResponse(path, schema, { responseBody: undefined, events });
    toLlmSchema({
      wireSchema: schema,
      provider: "P",
      model: "m",
      path,
      requestBody: {},
      responseBody: reading.responseBody,
      status: 200,
    });
  };
  expect(await cpuMsOf(read)).toBeLessThan(20_000);
});

const LONG = Array.from({ length: 1_000_000 }, () => ({}));

test.each<[string, WireSchemaName, Json]>([
  ["passes", "messages", { type: "message", usage: { iterations: LONG.map(() => ({ input_tokens: 1 })) } }],
  [
    "modalities",
    "generate-content",
    { usageMetadata: { promptTokensDetails: LONG.map(() => ({ modality: "AUDIO" })) } },
  ],
  ["parts of a cache", "converse", { usage: { cacheDetails: LONG.map(() => ({ ttl: "1h", inputTokens: 1 })) } }],
  ["results", "text-generation", { results: LONG }],
  ["predictions", "embeddings", { predictions: LONG }],
])("a response with a million %s is read", (_name, schema, responseBody) => {
  const reading = readResponse("/m", schema, { responseBody, events: undefined });
  expect(reading.wireSchema).toBe(schema);
});

/** Reads the response of a provider that speaks `schema`. */
function readResponse(
  path: string,
  schema: WireSchemaName,
  response: Pick<Parameters<typeof readExchange>[0], "responseBody" | "events">,
) {
  return readExchange({
    method: "POST",
    path,
    host: "127.0.0.1",
    requestHeaders: new Headers(),
    requestBody: { model: "m" },
    status: 200,
    responseHeaders: new Headers(),
    provider: { apiVersion: 1, name: "P", wireSchemas: [{ path: /./, schema }] },
    modelOverride: undefined,
    ...response,
  });
}

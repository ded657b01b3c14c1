import { z } from "zod";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { ollamaOracle } from "../../../../mapping/shapes/ollama-oracle.ts";
import { type Api, bytes, first, problemIn } from "./api.ts";

const call = z.strictObject({
  id: z.string().optional(),
  type: z.literal("function").optional(),
  function: z.strictObject({ index: z.int().optional(), name: z.string(), arguments: z.looseObject({}) }),
});
const request = z.strictObject({
  model: z.string(),
  messages: z.array(
    z.strictObject({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.string(),
      thinking: z.string().optional(),
      images: z.array(z.base64()).optional(),
      tool_calls: z.array(call).optional(),
      tool_name: z.string().optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal("object") }),
        }),
      }),
    )
    .optional(),
  format: z.union([z.literal("json"), z.looseObject({})]).optional(),
  think: z.union([z.boolean(), z.enum(["low", "medium", "high"])]).optional(),
  options: z
    .strictObject({
      num_predict: z.int().optional(),
      temperature: z.number().optional(),
      top_p: z.number().optional(),
      top_k: z.int().optional(),
      stop: z.array(z.string()).optional(),
      seed: z.int().optional(),
      presence_penalty: z.number().optional(),
      frequency_penalty: z.number().optional(),
    })
    .optional(),
  stream: z.boolean().optional(),
});

const line = (data: Json) => bytes(`${JSON.stringify(data)}\n`);

/** Ollama's own chat. Source: Ollama's API documentation. */
export const ollamaApi: Api = {
  refuses: (body) => problemIn(request, body) ?? first(rules(body)),
  lines: ollamaOracle.lines,
  answer: ollamaOracle.answer,
  events: (answer) => ollamaOracle.events(answer, 4).map(({ data }) => line(data)),
  streamType: "application/x-ndjson",
  error: ({ message }) => ({ error: message }),
  streamError: ({ message }) => line({ error: message }),
};

/** Templates find a result's call by the tool's name. */
function* rules({ messages }: Json): Generator<string> {
  for (const [at, { role, tool_name }] of messages.entries())
    if (role === "tool" && tool_name === undefined) yield `messages.${at}: tool_name is missing`;
}

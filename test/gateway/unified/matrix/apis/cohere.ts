import { z } from "zod";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { cohereOracle } from "../../../../mapping/shapes/cohere-oracle.ts";
import { type Api, bytes, dataEvent, first, namedEvent, problemIn } from "./api.ts";

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const image = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: z.string(), detail: z.enum(["auto", "low", "high"]).optional() }),
});
const thought = z.strictObject({ type: z.literal("thinking"), thinking: z.string() });
const calls = z
  .array(
    z.strictObject({
      id: z.string(),
      type: z.literal("function"),
      function: z.strictObject({ name: z.string(), arguments: z.string() }),
    }),
  )
  .min(1);
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.union([z.string(), z.array(text).min(1)]) }),
  z.strictObject({ role: z.literal("user"), content: z.union([z.string(), z.array(z.union([text, image])).min(1)]) }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.union([text, thought])).min(1)]).optional(),
    tool_calls: calls.optional(),
    tool_plan: z.string().optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    tool_call_id: z.string(),
    content: z.union([z.string(), z.array(text).min(1)]),
  }),
]);
const request = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean(),
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
    .min(1)
    .optional(),
  strict_tools: z.boolean().optional(),
  tool_choice: z.enum(["REQUIRED", "NONE"]).optional(),
  response_format: z
    .strictObject({ type: z.enum(["text", "json_object"]), json_schema: z.looseObject({}).optional() })
    .optional(),
  logprobs: z.boolean().optional(),
  max_tokens: z.int().positive().optional(),
  temperature: z.number().optional(),
  p: z.number().min(0.01).max(0.99).optional(),
  k: z.int().optional(),
  stop_sequences: z.array(z.string()).max(5).optional(),
  seed: z.int().optional(),
  presence_penalty: z.number().min(0).max(1).optional(),
  frequency_penalty: z.number().min(0).max(1).optional(),
  thinking: z
    .strictObject({ type: z.enum(["enabled", "disabled"]), token_budget: z.int().positive().optional() })
    .optional(),
});

/** Cohere's chat, version 2. Source: Cohere's API reference. */
export const cohereApi: Api = {
  refuses: (body) => problemIn(request, body) ?? first(rules(body)),
  lines: cohereOracle.lines,
  answer: cohereOracle.answer,
  events: (answer) =>
    cohereOracle
      .events(answer, 4)
      .map(({ name, data }) => (name === undefined ? dataEvent(data) : namedEvent(name, data))),
  streamType: "text/event-stream",
  error: ({ message }) => ({ id: "e-1", message }),
  streamError: () => bytes(`data: ${JSON.stringify({ type: "message-end", delta: { finish_reason: "ERROR" } })}\n\n`),
};

function* rules({ messages, tools, tool_choice, response_format }: Json): Generator<string> {
  if (tool_choice !== undefined && tools === undefined) yield "tool_choice needs tools";
  if (response_format?.type === "json_object" && tools !== undefined)
    yield "response_format json_object is not supported with tools";
  let open = new Set<string>();
  for (const [at, each] of messages.entries()) {
    if (each.role === "tool") {
      if (!open.delete(each.tool_call_id)) yield `messages.${at}: a tool message without its call`;
      continue;
    }
    if (open.size > 0) yield `messages.${at}: calls ${[...open]} have no result`;
    open = new Set((each.tool_calls ?? []).map(({ id }: Json) => id));
    if (each.role === "assistant" && each.content === undefined && each.tool_calls === undefined)
      yield `messages.${at}: an assistant message without content`;
  }
}

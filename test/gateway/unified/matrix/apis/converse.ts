import { z } from "zod";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { converseOracle } from "../../../../mapping/shapes/converse-oracle.ts";
import { encodeEventStream } from "../../../../providers/eventstream.ts";
import { type Api, first, isSignedBy, problemIn } from "./api.ts";

const filled = z.string().regex(/\S/, "the text field is blank");
const cachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal("default"), ttl: z.enum(["5m", "1h"]).optional() }),
});
const text = z.strictObject({ text: filled });
const image = z.strictObject({
  image: z.strictObject({
    format: z.enum(["png", "jpeg", "gif", "webp"]),
    source: z.strictObject({ bytes: z.base64() }),
  }),
});
const document = z.strictObject({
  document: z.strictObject({
    format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
    name: z.string().regex(/^(?!.*\s\s)[A-Za-z0-9\s()[\]-]{1,200}$/),
    source: z.strictObject({ bytes: z.base64() }),
  }),
});
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const block = z.union([
  text,
  image,
  document,
  cachePoint,
  z.strictObject({ toolUse: z.strictObject({ toolUseId: id, name: toolName, input: z.looseObject({}) }) }),
  z.strictObject({
    toolResult: z.strictObject({
      toolUseId: id,
      content: z.array(z.union([text, image, document, z.strictObject({ json: z.any() })])).min(1),
      status: z.enum(["success", "error"]).optional(),
    }),
  }),
  z.strictObject({
    reasoningContent: z.union([
      z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
      z.strictObject({ redactedContent: z.base64() }),
    ]),
  }),
]);
const request = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(block).min(1) })).min(1),
  system: z
    .array(z.union([text, cachePoint]))
    .min(1)
    .optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().optional(),
      stopSequences: z.array(filled).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            cachePoint,
            z.strictObject({
              toolSpec: z.strictObject({
                name: toolName,
                description: filled.optional(),
                inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
                strict: z.boolean().optional(),
              }),
            }),
          ]),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name: z.string() }) }),
        ])
        .optional(),
    })
    .optional(),
  additionalModelRequestFields: z.looseObject({}).optional(),
  outputConfig: z.any().optional(),
});

const frame = (event: string, payload: Json) => new Uint8Array(encodeEventStream([{ event, payload }]));

/** Bedrock's converse. Source: the Bedrock API reference. */
export const converseApi: Api = {
  refuses: (body) => problemIn(request, body) ?? first(rules(body)),
  lines: converseOracle.lines,
  answer: converseOracle.answer,
  events: (answer) => converseOracle.events(answer, 4).map(({ name, data }) => frame(name!, data)),
  streamType: "application/vnd.amazon.eventstream",
  error: ({ message }) => ({ message }),
  streamError: ({ message }) =>
    new Uint8Array(encodeEventStream([{ exception: "modelStreamErrorException", payload: { message } }])),
};

function* rules({ messages, toolConfig }: Json): Generator<string> {
  if (messages[0].role !== "user") yield "a conversation must start with a user message";
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    if (role === messages[at - 1]?.role) yield `messages.${at}: roles must alternate`;
    const results = content.flatMap((each: Json) => (each.toolResult ? [each.toolResult.toolUseId] : []));
    if ([...results].sort().join() !== [...open].sort().join())
      yield `messages.${at}: toolResult blocks ${results} for toolUse blocks ${open}`;
    open = content.flatMap((each: Json) => (each.toolUse ? [each.toolUse.toolUseId] : []));
    if ((open.length > 0 || results.length > 0) && toolConfig === undefined) yield "toolConfig must be defined";
    if (content.some((each: Json) => each.document) && !content.some((each: Json) => each.text))
      yield `messages.${at}: a text block is required beside documents`;
    for (const { reasoningContent } of content)
      if (reasoningContent?.reasoningText && !isSignedBy("aws", reasoningContent.reasoningText.signature))
        yield `messages.${at}: invalid signature`;
  }
}

import { z } from "zod";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { geminiOracle } from "../../../../mapping/shapes/gemini-oracle.ts";
import { type Api, bytes, dataEvent, first, isSignedBy, problemIn } from "./api.ts";

const blob = z.strictObject({ mimeType: z.string(), data: z.base64(), displayName: z.string().optional() });
const part = z.strictObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: blob.optional(),
  functionCall: z
    .strictObject({ id: z.string().optional(), name: z.string().min(1), args: z.looseObject({}).optional() })
    .optional(),
  functionResponse: z
    .strictObject({
      id: z.string().optional(),
      name: z.string().min(1),
      response: z.looseObject({}),
      parts: z.array(z.strictObject({ inlineData: blob })).optional(),
    })
    .optional(),
});
const parts = z.array(part).min(1);
const declaration = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/),
  description: z.string().optional(),
  parameters: z.any().optional(),
  parametersJsonSchema: z.looseObject({}).optional(),
});
const request = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(["user", "model"]), parts })).min(1),
  systemInstruction: z.strictObject({ role: z.string().optional(), parts }).optional(),
  tools: z
    .array(
      z.union([
        z.strictObject({ functionDeclarations: z.array(declaration).min(1) }),
        z.strictObject({ googleSearch: z.strictObject({}) }),
      ]),
    )
    .min(1)
    .optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(["AUTO", "ANY", "NONE", "VALIDATED"]),
        allowedFunctionNames: z.array(z.string()).optional(),
      }),
    })
    .optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().positive().optional(),
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().optional(),
      topK: z.number().optional(),
      candidateCount: z.int().optional(),
      presencePenalty: z.number().min(-2).max(2).optional(),
      frequencyPenalty: z.number().min(-2).max(2).optional(),
      responseLogprobs: z.boolean().optional(),
      logprobs: z.int().max(20).optional(),
      responseModalities: z.array(z.enum(["TEXT", "IMAGE"])).optional(),
      stopSequences: z.array(z.string()).max(5).optional(),
      seed: z.int().optional(),
      responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
      responseSchema: z.any().optional(),
      responseJsonSchema: z.looseObject({}).optional(),
      thinkingConfig: z
        .strictObject({
          includeThoughts: z.boolean().optional(),
          thinkingBudget: z.int().optional(),
          thinkingLevel: z.enum(["minimal", "low", "medium", "high"]).optional(),
        })
        .optional(),
    })
    .optional(),
});

/** The Gemini API, third generation. Source: Google's API reference and its page on thought signatures. */
export const generateContentApi: Api = {
  refuses: (body) => problemIn(request, body) ?? first(rules(body)),
  lines: geminiOracle.lines,
  answer: geminiOracle.answer,
  events: (answer) => geminiOracle.events(answer, 4).map(({ data }) => dataEvent(data)),
  streamType: "text/event-stream",
  error: ({ message, status }) => ({ error: { code: status, message, status: "INVALID_ARGUMENT" } }),
  streamError: ({ message }) =>
    bytes(`data: ${JSON.stringify({ error: { code: 503, message, status: "UNAVAILABLE" } })}\n\n`),
};

const KINDS = ["text", "inlineData", "functionCall", "functionResponse"];

function* rules({ contents, generationConfig: config = {} }: Json): Generator<string> {
  if (contents[0].role !== "user") yield "contents: the first turn must be the user's";
  if (config.responseJsonSchema !== undefined && config.responseMimeType !== "application/json")
    yield "responseJsonSchema needs responseMimeType application/json";
  if (config.thinkingConfig?.thinkingBudget !== undefined && config.thinkingConfig.thinkingLevel !== undefined)
    yield "only one of thinkingBudget and thinkingLevel";
  const lastUser = contents.findLastIndex(
    ({ role, parts: said }: Json) => role === "user" && said.some((each: Json) => each.text !== undefined),
  );
  for (const [at, { role, parts: said }] of contents.entries()) {
    if (role === contents[at - 1]?.role) yield `contents.${at}: two turns of ${role}`;
    for (const each of said) {
      if (KINDS.filter((kind) => each[kind] !== undefined).length !== 1)
        yield `contents.${at}: a part must have exactly one kind of data`;
      const signed = each.thoughtSignature;
      if (signed !== undefined && !isSignedBy("google", signed) && signed !== "skip_thought_signature_validator")
        yield `contents.${at}: corrupted thought signature`;
    }
    const calls = said.filter((each: Json) => each.functionCall !== undefined);
    const [firstCall] = calls;
    if (firstCall === undefined) continue;
    if (role !== "model") yield `contents.${at}: a call of the user`;
    if (at > lastUser && firstCall.thoughtSignature === undefined)
      yield `contents.${at}: function call ${firstCall.functionCall.name} is missing a thought_signature`;
    const results = (contents[at + 1]?.parts ?? []).filter((each: Json) => each.functionResponse !== undefined);
    if (results.length !== calls.length) yield `contents.${at}: as many function responses as function calls`;
    for (const { functionResponse } of results)
      if (!calls.some((each: Json) => each.functionCall.name === functionResponse.name))
        yield `contents.${at + 1}: response of a function that was not called`;
  }
}

import type { Json } from "../../../plugin-host/contract.ts";
import type { LlmMessage, LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import { filledText, isObject, type JsonObject, listOf, numberOf, pickDefined } from "../../json.ts";
import { messagesOf, responseOf } from "../../llm/messages.ts";
import { lastUserText, plainText } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { annotationsOf, toolChoiceOf, toolsOf } from "../../llm/tools.ts";
import { geminiUsage } from "../../usage.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { foldGenerateContent } from "./fold.ts";

/** Gemini, on AI Studio and on Vertex. */
export const generateContent: WireSchema = {
  name: "generate-content",
  llmType: "chat",
  path: /:(?:generateContent|streamGenerateContent|countTokens)$/,
  fits: (request, response) =>
    Array.isArray(request?.contents) || isObject(request?.contents) || Array.isArray(response?.candidates),
  fold: foldGenerateContent,
  readResponse: (body) => {
    const usage = body?.usageMetadata ?? body?.usage_metadata;
    return pickDefined({
      id: filledText(body?.responseId),
      model: filledText(body?.modelVersion),
      usage: geminiUsage(usage),
      usageRaw: isObject(usage) ? withSearches(usage, body) : undefined,
    });
  },
  promptText: (request) => lastUserText(contentsOf(request), "parts"),
  completionText: (response) => plainText(listOf(response?.candidates)[0]?.content?.parts),
  llmRequest,
  llmResponse: (response): LlmResponse => ({
    messages: listOf(response?.candidates).filter(isObject).map(candidateMessage),
  }),
};

/** Grounding searches are charged in addition to the tokens. */
function withSearches(usage: JsonObject, body: Json): JsonObject {
  const queries = listOf(body.candidates).flatMap((candidate) =>
    listOf(candidate?.groundingMetadata?.webSearchQueries),
  );
  return queries.length === 0 ? usage : { ...usage, tool_usage: { web_search: { num_requests: queries.length } } };
}

const contentsOf = (request: Json): readonly Json[] =>
  isObject(request?.contents) ? [request.contents] : listOf(request?.contents);

function llmRequest(request: Json): LlmRequest {
  const config = request?.generationConfig ?? request?.generation_config;
  const system = request?.systemInstruction ?? request?.system_instruction;
  const calling = request?.toolConfig?.functionCallingConfig ?? request?.tool_config?.function_calling_config;
  const allowed = listOf(calling?.allowedFunctionNames);
  return pickDefined({
    ...settingsOf(settingNames(config)),
    messages: [
      ...(system === undefined || system === null ? [] : messagesOf("system", system.parts ?? system)),
      ...contentsOf(request)
        .filter(isObject)
        .flatMap((content) => messagesOf(content.role ?? "user", content.parts)),
    ],
    tools: toolsOf(request?.tools),
    tool_choice: toolChoiceOf(allowed.length === 1 ? { name: allowed[0] } : calling?.mode),
    response_format: responseFormat(config),
    reasoning_effort: thinkingLevel(config)?.toLowerCase(),
  });
}

function thinkingLevel(config: Json): string | undefined {
  const thinking = config?.thinkingConfig ?? config?.thinking_config;
  return filledText(thinking?.thinkingLevel) ?? filledText(thinking?.thinking_level);
}

function settingNames(config: Json): Json {
  return {
    max_tokens: config?.maxOutputTokens ?? config?.max_output_tokens,
    temperature: config?.temperature,
    top_p: config?.topP ?? config?.top_p,
    seed: config?.seed,
    presence_penalty: config?.presencePenalty,
    frequency_penalty: config?.frequencyPenalty,
    stop: config?.stopSequences ?? config?.stop_sequences,
    n: config?.candidateCount,
  };
}

function responseFormat(config: Json): LlmRequest["response_format"] {
  const schema = [
    config?.responseJsonSchema,
    config?.response_json_schema,
    config?.responseSchema,
    config?.response_schema,
  ].find((each) => each !== undefined && each !== null);
  if (schema !== undefined) return { type: "json_schema", json_schema: schema };
  const mime = filledText(config?.responseMimeType) ?? filledText(config?.response_mime_type);
  if (mime === undefined) return undefined;
  return { type: mime === "application/json" ? "json_object" : mime.toLowerCase() };
}

function candidateMessage(candidate: Json): LlmMessage {
  const grounding = listOf(candidate.groundingMetadata?.groundingChunks).map((chunk) => chunk?.web);
  return responseOf("model", candidate.content?.parts, {
    idx: numberOf(candidate.index) ?? 0,
    annotations: annotationsOf([...grounding, ...listOf(candidate.citationMetadata?.citationSources)]),
  });
}

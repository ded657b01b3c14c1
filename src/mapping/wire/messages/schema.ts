import type { Json } from "../../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import { statedCost } from "../../errors-and-costs.ts";
import { countOf, filledText, isObject, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { messagesOf, responseOf } from "../../llm/messages.ts";
import { lastUserText, plainText } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { toolChoiceOf, toolsOf } from "../../llm/tools.ts";
import { anthropicUsage, bedrockMetricsUsage } from "../../usage.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { foldMessages } from "./fold.ts";

/** Anthropic messages, also on Bedrock, Vertex and others; OpenRouter adds its cost. */
export const messages: WireSchema = {
  name: "messages",
  llmType: "chat",
  path: /\/v1\/messages(?:\/count_tokens)?$/,
  fits: (request, response) =>
    response?.type === "message" ||
    response?.type === "message_start" ||
    typeof request?.anthropic_version === "string" ||
    (Array.isArray(request?.messages) && !Array.isArray(response?.choices) && hasOwnMark(request, response)),
  fold: foldMessages,
  readResponse: (body) => {
    const metrics = body?.["amazon-bedrock-invocationMetrics"];
    const usage = anthropicUsage(body?.usage);
    return pickDefined({
      id: filledText(body?.id),
      model: filledText(body?.model),
      usage: usage?.prompt_tokens === undefined ? (bedrockMetricsUsage(metrics) ?? usage) : usage,
      usageRaw: [body?.usage, metrics].find(isObject),
      cost: statedCost(body?.usage),
    });
  },
  promptText: (request) => lastUserText(request?.messages),
  completionText: (response) => plainText(response?.content),
  llmRequest,
  llmResponse: (response): LlmResponse =>
    Array.isArray(response?.content) || typeof response?.content === "string"
      ? { messages: [responseOf(response.role, response.content, { id: response.id })] }
      : {},
  plainMessages: true,
  plainResponse,
};

/** The text of a response with a single part. */
function plainResponse(response: Json): string | undefined {
  const { length, 0: part } = listOf(response?.content);
  return length === 1 && part?.type === "text" ? filledText(part.text) : undefined;
}

/**
 * Distinguishes it from chat completions: a request has the required token limit; a token count has none, but its
 * response has `input_tokens`.
 */
const hasOwnMark = (request: Json, response: Json) =>
  numberOf(request.max_tokens) !== undefined || countOf(response?.input_tokens) !== undefined;

/** The system prompt is separate from the messages; in the neutral schema it is the first message. */
function llmRequest(request: Json): LlmRequest {
  const system = request?.system;
  return pickDefined({
    ...settingsOf(request),
    messages: [
      ...(system === undefined || system === null ? [] : messagesOf("system", system)),
      ...listOf(request?.messages)
        .filter(isObject)
        .flatMap((message) => messagesOf(message.role, message.content)),
    ],
    tools: toolsOf(request?.tools),
    tool_choice: toolChoiceOf(request?.tool_choice),
    reasoning_effort: textOf(request?.output_config?.effort)?.toLowerCase(),
  });
}

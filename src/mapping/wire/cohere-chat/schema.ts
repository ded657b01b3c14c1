import type { Json, Reading } from "../../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import { filledText, isObject, listOf, pickDefined, textOf } from "../../json.ts";
import { messagesOf, responseOf } from "../../llm/messages.ts";
import { lastUserText, plainText } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { annotationsOf, toolCall, toolCallsOf, toolChoiceOf, toolsOf } from "../../llm/tools.ts";
import { cohereUsage } from "../../usage.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { requestMessages } from "../chat-completions/schema.ts";
import { foldCohere } from "./fold.ts";

/** Cohere chat: version 2 with messages and content parts, version 1 with `message`, `chat_history` and `text`. */
export const cohereChat: WireSchema = {
  name: "cohere-chat",
  llmType: "chat",
  path: /\/v[12]\/chat$/,
  fits: (request, response) =>
    (Array.isArray(request?.messages) && (isObject(response?.message) || request?.model !== undefined)) ||
    typeof request?.message === "string" ||
    isObject(response?.message),
  fold: foldCohere,
  readResponse,
  promptText: (request) => textOf(request?.message) ?? lastUserText(request?.messages),
  completionText: (response) => plainText(response?.message?.content) ?? filledText(response?.text),
  llmRequest,
  llmResponse: (response): LlmResponse => {
    const message = response?.message;
    if (isObject(message)) {
      return {
        messages: [
          responseOf(message.role, message.content, {
            calls: toolCallsOf(message.tool_calls),
            annotations: citations(message.citations),
            reasoning: filledText(message.tool_plan),
            id: response.id,
          }),
        ],
      };
    }
    if (typeof response?.text !== "string" && !Array.isArray(response?.tool_calls)) return {};
    const calls = listOf(response.tool_calls)
      .filter(isObject)
      .map((call) => toolCall(call.name, call.parameters, call.id));
    return {
      messages: [responseOf("assistant", response.text, { calls, annotations: citations(response.citations) })],
    };
  },
};

function readResponse(body: Json): Reading {
  const usage = [body?.usage, body?.meta].find(isObject);
  return pickDefined({
    id: filledText(body?.id) ?? filledText(body?.generation_id) ?? filledText(body?.response_id),
    model: filledText(body?.model),
    usage: cohereUsage(usage),
    usageRaw: usage,
  });
}

const citations = (found: Json) =>
  annotationsOf(
    listOf(found)
      .filter(isObject)
      .map((citation) => ({ type: "citation", content: citation.text })),
  );

function llmRequest(request: Json): LlmRequest {
  const history = listOf(request?.chat_history).filter(isObject);
  const message = textOf(request?.message);
  return pickDefined({
    ...settingsOf(request),
    messages: [
      ...(filledText(request?.preamble) === undefined ? [] : messagesOf("system", request.preamble)),
      ...history.flatMap((turn) => messagesOf(turn.role, turn.message ?? turn.content)),
      ...listOf(request?.messages).filter(isObject).flatMap(requestMessages),
      ...(message === undefined ? [] : messagesOf("user", message)),
    ],
    tools: toolsOf(request?.tools),
    tool_choice: toolChoiceOf(request?.tool_choice),
  });
}

/** Cohere generate, also on Bedrock: a prompt in, `generations` out. */
export const cohereGenerate: WireSchema = {
  name: "cohere-generate",
  llmType: "completion",
  path: /(?<!\/api)\/v1\/(?:generate|summarize)$/,
  fits: (request, response) => typeof request?.prompt === "string" || Array.isArray(response?.generations),
  fold: foldCohere,
  readResponse,
  promptText: (request) => textOf(request?.prompt) ?? textOf(request?.text),
  completionText: (response) => filledText(listOf(response?.generations)[0]?.text) ?? filledText(response?.summary),
  llmRequest: (request) =>
    pickDefined({ ...settingsOf(request), prompt: textOf(request?.prompt) ?? textOf(request?.text) }),
  llmResponse: (response): LlmResponse => ({
    messages: listOf(response?.generations)
      .filter(isObject)
      .map((generation, idx) => responseOf("assistant", generation.text, { idx, id: generation.id })),
  }),
};

import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import {
  booleanOf,
  filledText,
  isObject,
  type JsonObject,
  listOf,
  mergeMembers,
  pickDefined,
  textOf,
} from "../../json.ts";
import { responseOf } from "../../llm/messages.ts";
import { lastUserText, plainText } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { toolCallsOf, toolsOf } from "../../llm/tools.ts";
import { ollamaUsage } from "../../usage.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { requestMessages } from "../chat-completions/schema.ts";
import { grown } from "../pieces.ts";

/** Ollama chat: lines of JSON; the last line has the counts. */
export const ollamaChat: WireSchema = {
  name: "ollama-chat",
  llmType: "chat",
  path: /\/api\/chat$/,
  fits: (request, response) =>
    Array.isArray(request?.messages) || (isObject(response?.message) && typeof response.done === "boolean"),
  fold: foldLines,
  readResponse,
  promptText: (request) => lastUserText(request?.messages),
  completionText: (response) => plainText(response?.message?.content),
  llmRequest: (request): LlmRequest =>
    pickDefined({
      ...settings(request),
      messages: listOf(request?.messages).filter(isObject).flatMap(requestMessages),
      tools: toolsOf(request?.tools),
    }),
  llmResponse: (response): LlmResponse => {
    const message = response?.message;
    if (!isObject(message)) return {};
    const beside = { reasoning: filledText(message.thinking), calls: toolCallsOf(message.tool_calls) };
    return { messages: [responseOf(message.role, message.content, beside)] };
  },
};

/** Ollama's `/api/generate`: a prompt without turns. */
export const ollamaGenerate: WireSchema = {
  name: "ollama-generate",
  llmType: "completion",
  path: /\/api\/generate$/,
  fits: (request, response) => typeof request?.prompt === "string" || typeof response?.response === "string",
  fold: foldLines,
  readResponse,
  promptText: (request) => textOf(request?.prompt),
  completionText: (response) => filledText(response?.response),
  llmRequest: (request): LlmRequest =>
    pickDefined({ ...settings(request), prompt: textOf(request?.prompt), instructions: filledText(request?.system) }),
  llmResponse: (response): LlmResponse =>
    typeof response?.response === "string"
      ? { messages: [responseOf("assistant", response.response, { reasoning: filledText(response.thinking) })] }
      : {},
};

function readResponse(body: Json) {
  const usage = ollamaUsage(body);
  const sent = Object.entries(isObject(body) ? body : {}).filter(([name]) => /_(?:count|duration)$/.test(name));
  return pickDefined({
    model: filledText(body?.model),
    usage,
    usageRaw: usage === undefined ? undefined : Object.fromEntries(sent),
  });
}

function settings(request: Json): LlmRequest {
  const options = request?.options;
  const names = { ...(isObject(options) ? options : {}), max_tokens: options?.num_predict };
  const format = isObject(request?.format) ? { type: "json_schema", json_schema: request.format } : request?.format;
  return pickDefined({
    ...settingsOf(names),
    stream: booleanOf(request?.stream),
    response_format: settingsOf({ response_format: format }).response_format,
    reasoning_effort: filledText(request?.think)?.toLowerCase(),
  });
}

function foldLines(events: readonly StreamEvent[]): Json {
  const whole: JsonObject = {};
  const message: JsonObject = {};
  const text: Record<"response" | "thinking", string> = { response: "", thinking: "" };
  let seen = false;
  for (const { data } of events) {
    if (!isObject(data)) continue;
    seen = true;
    mergeMembers(whole, data);
    text.response += textOf(data.response) ?? "";
    text.thinking += textOf(data.thinking) ?? "";
    if (isObject(data.message)) takeMessage(message, data.message);
  }
  if (!seen) return undefined;
  if (text.response !== "") whole.response = text.response;
  if (text.thinking !== "") whole.thinking = text.thinking;
  if (Object.keys(message).length > 0) whole.message = message;
  return whole;
}

function takeMessage(message: JsonObject, line: JsonObject): void {
  const { content, thinking, tool_calls: calls, ...rest } = line;
  mergeMembers(message, rest);
  message.content = grown(message.content, content);
  if (typeof thinking === "string") message.thinking = grown(message.thinking, thinking);
  if (!Array.isArray(calls)) return;
  message.tool_calls ??= [];
  for (const call of calls) message.tool_calls.push(call);
}

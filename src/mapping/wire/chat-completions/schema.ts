import type { Json } from "../../../plugin-host/contract.ts";
import type { LlmMessage, LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import { filledText, isObject, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { messagesOf, responseOf } from "../../llm/messages.ts";
import { lastUserText, plainText } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { annotationsOf, toolCall, toolCallsOf, toolChoiceOf, toolsOf } from "../../llm/tools.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { readOpenAi } from "../openai-reading.ts";
import { responses } from "../responses/schema.ts";
import { choicesOf } from "./answer.ts";
import { foldChatCompletions } from "./fold.ts";
import { hasInput } from "./input.ts";
import { reasoningText } from "./reasoning.ts";

/** OpenAI chat completions, and compatible APIs: Azure, Groq, Mistral, DeepSeek, vLLM, llama.cpp … */
export const chatCompletions: WireSchema = {
  name: "chat-completions",
  llmType: "chat",
  path: /\/chat\/completions(?:\/[^/]+)?$/,
  fits: (request, response) =>
    Array.isArray(request?.messages) || /^chat\.completion/.test(filledText(response?.object) ?? ""),
  fold: foldChatCompletions,
  readResponse: (body) => readOpenAi(body),
  promptText: (request) =>
    hasInput(request) ? responses.promptText(request) : (lastUserText(request?.messages) ?? textOf(request?.prompt)),
  completionText: (response) => {
    const choice = choicesOf(response)[0];
    return textOfMessage(choice?.message) ?? filledText(choice?.text);
  },
  llmRequest: (request) => (hasInput(request) ? responses.llmRequest(request) : llmRequest(request)),
  llmResponse: (response): LlmResponse => ({
    messages: choicesOf(response)
      .filter(isObject)
      .map((choice) => choiceMessage(choice, response)),
  }),
  plainMessages: true,
  plainResponse,
};

/** The first choice's text, if it has no tool call and no picture. */
function plainResponse(response: Json): string | undefined {
  const message = choicesOf(response).find(isObject)?.message;
  if (!isObject(message) || (message.tool_calls ?? message.function_call ?? message.images ?? null) !== null)
    return undefined;
  return filledText(message.content);
}

function llmRequest(request: Json): LlmRequest {
  return pickDefined({
    ...settingsOf(request),
    messages: listOf(request?.messages).filter(isObject).flatMap(requestMessages),
    prompt: textOf(request?.prompt),
    tools: toolsOf(request?.tools ?? listOf(request?.functions).map((declared) => ({ function: declared }))),
    tool_choice: toolChoiceOf(request?.tool_choice ?? request?.function_call),
  });
}

/** A message of the conversation; Ollama puts pictures beside the text. */
export function requestMessages(message: Json): LlmMessage[] {
  const images = listOf(message.images).map((data) => ({ type: "image", data, mime_type: "image/png" }));
  const refusal = filledText(message.refusal);
  const own = images.length > 0 ? [message.content, ...images] : (message.content ?? refusal);
  return messagesOf(message.role, own, {
    name: message.name ?? message.tool_name,
    id: message.id,
    toolCallId: message.tool_call_id,
    reasoning: reasoningText(message),
    calls: callsOf(message),
  });
}

/** OpenRouter puts generated pictures beside the text; xAI and Perplexity put sources beside the choices. */
function choiceMessage(choice: Json, response: Json): LlmMessage {
  const message = isObject(choice.message) ? choice.message : { role: "assistant", content: choice.text };
  const text = textOfMessage(message);
  const said = plainText(message.content) === undefined ? text : message.content;
  const images = listOf(message.images).filter(isObject);
  const llmMessage = responseOf(message.role, images.length > 0 ? [said, ...images] : said, {
    idx: numberOf(choice.index) ?? 0,
    reasoning: reasoningText(message),
    calls: callsOf(message),
    annotations: annotationsOf(message.annotations ?? response.search_results ?? response.citations),
    id: message.id,
  });
  return pickDefined({ ...llmMessage, audio_data: filledText(message.audio?.data) }) as LlmMessage;
}

/** The text is in the content, in a refusal, or only in the transcript of an audio response. */
function textOfMessage(message: Json): string | undefined {
  return plainText(message?.content) ?? filledText(message?.refusal) ?? filledText(message?.audio?.transcript);
}

function callsOf(message: Json) {
  const calls = toolCallsOf(message.tool_calls);
  if (calls.length > 0) return calls;
  const legacy = message.function_call;
  return isObject(legacy) ? [toolCall(legacy.name, legacy.arguments, undefined)] : [];
}

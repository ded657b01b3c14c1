import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../../record/llm-schema.ts";
import { isObject, type JsonObject, listOf, mergeMembers, parseJson, pickDefined, textOf } from "../../json.ts";
import { messagesOf, responseOf } from "../../llm/messages.ts";
import { lastUserText, plainText } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { toolChoiceOf, toolsOf } from "../../llm/tools.ts";
import { converseUsage } from "../../usage.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { grown, inOrder } from "../pieces.ts";

/** Bedrock converse, and Amazon's own models, which use its form also for direct invocations. */
export const converse: WireSchema = {
  name: "converse",
  llmType: "chat",
  path: /\/model\/[^/]+\/converse(?:-stream)?$/,
  fits: (request, response) =>
    isObject(response?.output?.message) ||
    isObject(response?.messageStart) ||
    isObject(request?.inferenceConfig) ||
    typeof request?.schemaVersion === "string",
  fold: foldConverse,
  readResponse: (body) => {
    const tier = textOf(body?.serviceTier?.type);
    const sent = isObject(body?.usage) ? body.usage : undefined;
    return pickDefined({
      usage: converseUsage(sent),
      usageRaw: sent && tier !== undefined ? { ...sent, service_tier: tier } : sent,
    });
  },
  promptText: (request) => lastUserText(request?.messages),
  completionText: (response) => plainText(response?.output?.message?.content),
  llmRequest,
  llmResponse: (response): LlmResponse => {
    const message = response?.output?.message;
    return isObject(message) ? { messages: [responseOf(message.role, message.content)] } : {};
  },
};

function llmRequest(request: Json): LlmRequest {
  const config = request?.inferenceConfig;
  const names = {
    max_tokens: config?.maxTokens ?? config?.max_new_tokens,
    temperature: config?.temperature,
    top_p: config?.topP ?? config?.top_p,
    stop: config?.stopSequences,
  };
  const system = listOf(request?.system);
  return pickDefined({
    ...settingsOf(names),
    messages: [
      ...(system.length === 0 ? [] : messagesOf("system", system)),
      ...listOf(request?.messages)
        .filter(isObject)
        .flatMap((message) => messagesOf(message.role, message.content)),
    ],
    tools: toolsOf(request?.toolConfig?.tools),
    tool_choice: toolChoiceOf(request?.toolConfig?.toolChoice),
  });
}

/** The event's name determines its content; in an invocation's stream the name is a member that wraps the content. */
const EVENTS = ["messageStart", "contentBlockStart", "contentBlockDelta", "messageStop", "metadata"] as const;

function foldConverse(events: readonly StreamEvent[]): Json {
  const message: JsonObject = {};
  const whole: JsonObject = {};
  const blocks = new Map<number, JsonObject>();
  for (const { data, name } of events) {
    if (!isObject(data)) continue;
    const wrapped = EVENTS.find((event) => isObject(data[event]));
    const event = wrapped ?? name;
    const inner = wrapped === undefined ? data : data[wrapped];
    if (event === "messageStart") message.role = textOf(inner.role) ?? "assistant";
    else if (event === "contentBlockStart") blockAt(blocks, inner, inner.start);
    else if (event === "contentBlockDelta") growBlock(blockAt(blocks, inner, undefined), inner.delta);
    else if (event === "messageStop" || event === "metadata") mergeMembers(whole, withoutPadding(inner));
    else if (event?.endsWith("Exception")) whole.error = { type: event, message: textOf(inner.message) ?? event };
  }
  if (message.role === undefined && blocks.size === 0 && Object.keys(whole).length === 0) return undefined;
  const content = inOrder(blocks).map(finished);
  return { output: { message: { role: "assistant", ...message, content } }, ...whole };
}

function withoutPadding({ p: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function blockAt(blocks: Map<number, JsonObject>, event: JsonObject, start: Json): JsonObject {
  const index = typeof event.contentBlockIndex === "number" ? event.contentBlockIndex : 0;
  const block = blocks.get(index) ?? {};
  blocks.set(index, block);
  if (isObject(start?.toolUse)) block.toolUse = { ...start.toolUse };
  return block;
}

function growBlock(block: JsonObject, delta: Json): void {
  if (!isObject(delta)) return;
  if (typeof delta.text === "string") block.text = grown(block.text, delta.text);
  if (isObject(delta.toolUse)) {
    block.toolUse ??= {};
    const piece = delta.toolUse.input;
    block.toolUse.input = typeof piece === "string" ? grown(block.toolUse.input, piece) : piece;
  }
  const reasoning = delta.reasoningContent;
  if (!isObject(reasoning)) return;
  const known = block.reasoningContent?.reasoningText ?? {};
  if (reasoning.redactedContent !== undefined) block.reasoningContent = { redactedContent: reasoning.redactedContent };
  else {
    block.reasoningContent = {
      reasoningText: pickDefined({
        text: grown(known.text, reasoning.text),
        signature: textOf(reasoning.signature) ?? known.signature,
      }),
    };
  }
}

function finished(block: JsonObject): JsonObject {
  const input = block.toolUse?.input;
  if (typeof input !== "string") return block;
  return { ...block, toolUse: { ...block.toolUse, input: input === "" ? {} : (parseJson(input) ?? input) } };
}

import type { Json } from "../../plugin-host/contract.ts";
import type { LlmMessage, LlmRequest, LlmResponse, LlmResponseItem, LlmToolCall } from "../../record/llm-schema.ts";
import type { Example } from "../../store/datasets/items.ts";

/**
 * The conversation of a record as an example, in the form of OpenAI's chat completions, whatever its provider.
 *
 * @param record - as the API shows it, with `llmSchema`.
 * @returns undefined if no message was recorded.
 */
export function exampleOf(record: Json): Example | undefined {
  const request: LlmRequest = record.llmSchema?.request ?? {};
  const response: LlmResponse = record.llmSchema?.response ?? {};
  const { messages = [], instructions, prompt, input, tools = [] } = request;
  const single = messages.length === 0 ? (prompt ?? input) : undefined;
  const said = [
    ...(instructions === undefined ? [] : [{ role: "system", content: instructions }]),
    ...messages.map(chatMessage),
    ...(single === undefined ? [] : [{ role: "user", content: single }]),
  ];
  if (said.length === 0) return undefined;
  return {
    request_id: record.request_id,
    input: {
      messages: said,
      ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    },
    output: outputOf(response),
    labels: [],
    note: "",
  };
}

function chatMessage(message: LlmMessage): Json {
  const { role = "user", tool_calls = [], tool_call_id, name } = message;
  return {
    role: role === "developer" ? "system" : role,
    content: contentOf(message, message.content),
    ...(tool_calls.length > 0 && { tool_calls: tool_calls.map(chatCall) }),
    ...(role === "tool" && { tool_call_id: tool_call_id ?? "", ...(name !== undefined && { name }) }),
  };
}

/** Texts stay texts; an image stays a part if its address is known. */
function contentOf(message: LlmMessage | LlmResponseItem, text: string | undefined): Json {
  const parts = ((message.contentArray ?? []) as Json[]).flatMap(contentPart);
  if (message.image_url !== undefined) parts.push({ type: "image_url", image_url: { url: message.image_url } });
  if (parts.some(({ type }) => type === "image_url")) {
    return text === undefined || parts.some((part) => part.text === text) ? parts : [{ type: "text", text }, ...parts];
  }
  return text ?? (parts.length > 0 ? parts.map((part) => part.text).join("\n") : null);
}

function contentPart(part: Json): Json[] {
  if (typeof part?.image_url === "string") return [{ type: "image_url", image_url: { url: part.image_url } }];
  const text = part?.content ?? part?.text;
  return typeof text === "string" ? [{ type: "text", text }] : [];
}

function chatCall({ id, name = "", arguments: given = {} }: LlmToolCall, index: number): Json {
  return { id: id ?? `call_${index}`, type: "function", function: { name, arguments: JSON.stringify(given) } };
}

/** Everything that the model said, as one message. */
function outputOf({ messages = [], responses = [] }: LlmResponse): Json {
  const texts: string[] = [];
  const calls: LlmToolCall[] = [];
  for (const message of messages) {
    if (message.content !== undefined) texts.push(message.content);
    calls.push(...(message.tool_calls ?? []));
  }
  for (const item of messages.length > 0 ? [] : responses) {
    if (item.text !== undefined) texts.push(item.text);
    calls.push(...(item.tool_calls ?? []));
  }
  if (texts.length === 0 && calls.length === 0) return null;
  return {
    role: "assistant",
    content: texts.length === 0 ? null : texts.join("\n"),
    ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
  };
}

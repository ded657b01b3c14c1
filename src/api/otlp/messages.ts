import { isObject, listOf, pickDefined, textOf } from "../../mapping/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { first, firstJson, spread } from "./attributes.ts";
import type { Attributes } from "./span.ts";

/** The input as chat-completions messages: the form in which records of models are read. */
export function inputMessages(attributes: Attributes): Json[] {
  const system = listOf(firstJson(attributes, "gen_ai.system_instructions"));
  const input =
    messagesIn(firstJson(attributes, "gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages")) ??
    messagesIn(spread(attributes, "llm.input_messages")) ??
    messagesIn(spread(attributes, "gen_ai.prompt")) ??
    plain(firstJson(attributes, "input.value", "traceloop.entity.input", "ai.prompt"));
  return [...(system.length === 0 ? [] : fromParts("system", system)), ...input];
}

/** The output: the first of the choices. */
export function outputMessage(attributes: Attributes): Json {
  const said =
    messagesIn(firstJson(attributes, "gen_ai.output.messages", "gen_ai.completion")) ??
    messagesIn(spread(attributes, "llm.output_messages")) ??
    messagesIn(spread(attributes, "gen_ai.completion"));
  if (said?.[0] !== undefined) return { ...said[0], role: "assistant" };
  const text = first(attributes, "ai.response.text", "output.value", "traceloop.entity.output");
  return text === undefined ? undefined : { role: "assistant", content: asText(text) };
}

function messagesIn(value: Json): Json[] | undefined {
  const list = Array.isArray(value) ? value : isObject(value) ? value["messages"] : undefined;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list
    .map((each) => (isObject(each) && isObject(each["message"]) ? each["message"] : each))
    .flatMap(fromMessage);
}

function plain(value: Json): Json[] {
  if (value === undefined) return [];
  return messagesIn(value) ?? [{ role: "user", content: asText(value) }];
}

function fromMessage(message: Json): Json[] {
  if (!isObject(message)) return [{ role: "user", content: asText(message) }];
  const role = textOf(message["role"]) ?? "user";
  if (Array.isArray(message["parts"])) return fromParts(role, message["parts"]);
  const calls = listOf(message["tool_calls"]).map(toolCall);
  const contents = listOf(message["contents"]).map((each) => each?.message_content ?? each);
  return [
    pickDefined({
      role,
      content: contents.length > 0 ? contents.map((part) => part?.text ?? asText(part)).join("\n") : contentOf(message),
      tool_calls: calls.length > 0 ? calls : undefined,
      tool_call_id: message["tool_call_id"],
      name: message["name"],
    }),
  ];
}

const contentOf = (message: Json) =>
  typeof message.content === "object" ? message.content : asTextOrNull(message.content);

/** A message in parts, as in the conventions for generative AI; a tool's response becomes a message of its own. */
function fromParts(role: string, parts: readonly Json[]): Json[] {
  const texts: string[] = [];
  const reasoning: string[] = [];
  const calls: Json[] = [];
  const toolResults: Json[] = [];
  for (const part of parts) {
    if (part?.type === "tool_call") calls.push(toolCall(part));
    else if (part?.type === "tool_call_response")
      toolResults.push({ role: "tool", tool_call_id: part.id, content: asText(part.response ?? part.result ?? "") });
    else if (part?.type === "reasoning") reasoning.push(asText(part.content ?? ""));
    else texts.push(asText(typeof part === "object" ? (part?.content ?? part?.text ?? part) : part));
  }
  const message = pickDefined({
    role,
    content: texts.length > 0 ? texts.join("\n") : null,
    reasoning_content: reasoning.length > 0 ? reasoning.join("\n") : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
  return texts.length + reasoning.length + calls.length > 0 ? [message, ...toolResults] : toolResults;
}

/** A tool call in any of the conventions. */
function toolCall(raw: Json): Json {
  const call = isObject(raw?.tool_call) ? raw.tool_call : raw;
  const named = isObject(call?.function) ? call.function : call;
  return {
    id: textOf(call?.id) ?? "",
    type: "function",
    function: { name: textOf(named?.name) ?? "", arguments: asText(named?.arguments ?? named?.input ?? "{}") },
  };
}

export const asText = (value: Json): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const asTextOrNull = (value: Json) => (value === undefined || value === null ? null : asText(value));

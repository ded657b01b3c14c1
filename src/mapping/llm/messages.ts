import type { Json } from "../../plugin-host/contract.ts";
import type { LlmAnnotation, LlmMessage, LlmToolCall } from "../../record/llm-schema.ts";
import { filledText, pickDefined, textOf } from "../json.ts";
import { type ContentPart, partsOf, textIn } from "./parts.ts";

/** Parts of a message outside its content, for formats that keep them separate. */
interface Beside {
  readonly name?: Json;
  readonly id?: Json;
  readonly idx?: number;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly LlmToolCall[];
  readonly annotations?: readonly LlmAnnotation[] | undefined;
  readonly toolCallId?: Json;
}

const ROLES: Readonly<Record<string, string>> = {
  model: "assistant",
  chatbot: "assistant",
  ai: "assistant",
  human: "user",
  function: "tool",
};

export function roleOf(role: Json): string | undefined {
  const name = filledText(role)?.toLowerCase();
  return name === undefined ? undefined : Object.hasOwn(ROLES, name) ? ROLES[name] : name;
}

/**
 * One message of a conversation in the neutral schema. Tool results among a user's content become
 * messages of their own, before the user's text.
 */
export function messagesOf(role: Json, content: Json, beside: Beside = {}): LlmMessage[] {
  const named = roleOf(role);
  const parts = partsOf(content);
  if (named === "tool") return [toolMessage(parts, content, beside)];
  const results = parts.filter((part) => part.kind === "result").map((part) => resultMessage(part));
  const rest = parts.filter((part) => part.kind !== "result");
  const silent = rest.length === 0 && beside.calls === undefined && beside.reasoning === undefined;
  return silent && results.length > 0 ? results : [...results, message(named, rest, beside)];
}

/** A response as one message, even if it is empty. */
export function responseOf(role: Json, content: Json, beside: Beside = {}): LlmMessage {
  const parts = partsOf(content).filter((part) => part.kind !== "result");
  return message(roleOf(role) ?? "assistant", parts, beside);
}

/** The parts of a message that are displayed. */
type Shown = Extract<ContentPart, { kind: "text" | "media" }>;

function message(role: string | undefined, parts: readonly ContentPart[], beside: Beside): LlmMessage {
  let reasoning = beside.reasoning ?? "";
  const calls = [...(beside.calls ?? [])];
  const annotations = [...(beside.annotations ?? [])];
  const shown: Shown[] = [];
  for (const part of parts) {
    if (part.kind === "reasoning") reasoning += part.text;
    else if (part.kind === "call") calls.push(part.call);
    else if (part.kind !== "result") shown.push(part);
    if (part.kind === "text") for (const annotation of part.annotations ?? []) annotations.push(annotation);
  }
  const mixed = shown.length > 1 || shown[0]?.kind === "media";
  return pickDefined({
    _type: calls.length > 0 ? "functionCall" : mixed ? "contentArray" : "message",
    role,
    content: textIn(parts) ?? (calls.length > 0 || mixed ? undefined : ""),
    contentArray: mixed ? shown.map((part) => partMessage(part, role)) : undefined,
    reasoning: filledText(reasoning),
    tool_calls: calls.length > 0 ? calls : undefined,
    annotations: annotations.length > 0 ? annotations : undefined,
    name: filledText(beside.name),
    id: filledText(beside.id),
    idx: beside.idx,
  }) as LlmMessage;
}

function partMessage(part: Shown, role: string | undefined): LlmMessage {
  if (part.kind === "media") return pickDefined({ ...part.media, role }) as LlmMessage;
  return pickDefined({
    _type: "message",
    type: "input_text",
    role,
    content: part.text,
  }) as LlmMessage;
}

function toolMessage(parts: readonly ContentPart[], content: Json, beside: Beside): LlmMessage {
  const result = parts.find((part) => part.kind === "result");
  const said = textIn(parts) ?? result?.text ?? textOf(content) ?? "";
  const media = parts.flatMap((part) => (part.kind === "media" ? [part.media] : []));
  return pickDefined({
    _type: "function",
    role: "tool",
    content: said,
    contentArray: media.length > 0 ? media : undefined,
    name: filledText(beside.name) ?? result?.name,
    tool_call_id: filledText(beside.toolCallId) ?? result?.id,
    id: filledText(beside.id),
  }) as LlmMessage;
}

function resultMessage(part: ContentPart): LlmMessage {
  if (part.kind !== "result") return {};
  return pickDefined({
    _type: "function",
    role: "tool",
    content: part.text,
    name: part.name,
    tool_call_id: part.id,
  }) as LlmMessage;
}

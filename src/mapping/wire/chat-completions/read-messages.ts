import type { CallPart, Json, Message, Part } from "../../../plugin-host/contract.ts";
import { filledText, isObject, jsonText, listOf, pickDefined, textOf } from "../../json.ts";
import { cacheMark, type PromptDraft } from "../../translate/draft.ts";
import { callId } from "../../translate/ids.ts";
import { readContent } from "./content.ts";
import { readReasoning, signatureOf } from "./reasoning.ts";

/** @param placeOf - returns the path of a message by its index. */
export function readMessages(draft: PromptDraft, messages: readonly Json[], placeOf: (index: number) => string): void {
  const calls = new Calls();
  for (const [index, message] of messages.entries()) {
    const at = placeOf(index);
    if (!isObject(message)) {
      draft.lose("invalid", at, "must be an object");
      continue;
    }
    const role = textOf(message.role) ?? "";
    draft.loseOthers(message, role === "assistant" ? RESULT_MEMBERS : MESSAGE_MEMBERS, at);
    if (role === "tool" || role === "function") addResult(draft, message, at, calls);
    else if (role === "assistant")
      addTurn(draft, message, { role, at, parts: assistantParts(draft, message, at, calls) });
    else if (role === "system" || role === "developer")
      addTurn(draft, message, { role: "system", at, parts: contentOf(draft, message, at) });
    else if (role === "user") addTurn(draft, message, { role, at, parts: contentOf(draft, message, at) });
    else draft.lose("invalid", `${at}.role`, "must be system, developer, user, assistant, tool or function");
  }
}

const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(["role", "content", "name", "tool_call_id", "cache_control"]);

/** Clients send responses back unchanged. Members that cannot be sent, such as annotations and images, are a loss. */
const RESULT_MEMBERS: ReadonlySet<string> = new Set([
  "role",
  "content",
  "name",
  "cache_control",
  "refusal",
  "tool_calls",
  "function_call",
  "audio",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "thinking",
  "thinking_blocks",
]);
const CALL_MEMBERS: ReadonlySet<string> = new Set(["id", "type", "index", "function", "custom", "extra_content"]);

const contentOf = (draft: PromptDraft, { content }: Json, at: string) => readContent(draft, content, `${at}.content`);

interface Turn {
  readonly role: Message["role"];
  readonly at: string;
  readonly parts: Part[];
}

function addTurn(draft: PromptDraft, message: Json, { role, at, parts }: Turn): void {
  const cache = cacheMark(message.cache_control);
  const last = parts.at(-1);
  if (cache !== undefined && last !== undefined) parts[parts.length - 1] = { cache, ...last };
  draft.messages.push(pickDefined({ role, parts, name: filledText(message.name), at }) as Message);
}

/** Generates ids for calls without one, so that their results can be matched. */
class Calls {
  #count = 0;
  readonly #pending = new Map<string, string[]>();

  /** The id of a call that is identified by its name only, as in the old `function_call`. */
  named(name: string): string {
    const id = callId(`${this.#count++} ${name}`);
    const open = this.#pending.get(name);
    if (open === undefined) this.#pending.set(name, [id]);
    else open.push(id);
    return id;
  }

  takeId(name: string): string {
    return this.#pending.get(name)?.shift() ?? callId(`${this.#count++} ${name}`);
  }
}

/** Consecutive results form one user turn. */
function addResult(draft: PromptDraft, message: Json, at: string, calls: Calls): void {
  const name = filledText(message.name);
  const id = filledText(message.tool_call_id) ?? calls.takeId(name ?? "");
  const parts = contentOf(draft, message, at);
  const result = pickDefined({ type: "result", id, name, parts, at, cache: cacheMark(message.cache_control) }) as Part;
  const last = draft.messages.at(-1);
  if (last?.role === "user" && last.parts.at(-1)?.type === "result") (last.parts as Part[]).push(result);
  else draft.messages.push({ role: "user", parts: [result], at });
}

/** Reasoning first, then text, then calls: the implied order of the members. */
function assistantParts(draft: PromptDraft, message: Json, at: string, calls: Calls): Part[] {
  const parts: Part[] = readReasoning(message, at);
  for (const part of contentOf(draft, message, at)) parts.push(part);
  const refusal = filledText(message.refusal);
  if (refusal !== undefined) parts.push({ type: "refusal", text: refusal, at: `${at}.refusal` });
  for (const [index, call] of listOf(message.tool_calls).entries()) {
    const place = `${at}.tool_calls[${index}]`;
    if (isObject(call)) {
      parts.push(readCall(call, place, calls));
      draft.loseOthers(call, CALL_MEMBERS, place);
    } else draft.lose("invalid", place, "must be a call");
  }
  const legacy = message.function_call;
  if (isObject(legacy)) parts.push(readCall({ function: legacy }, `${at}.function_call`, calls));
  if (isObject(message.audio)) draft.lose("dropped", `${at}.audio`, "spoken responses are not carried over");
  return parts;
}

function readCall(call: Json, at: string, calls: Calls): CallPart {
  const custom = isObject(call.custom) ? call.custom : undefined;
  const inner = custom ?? (isObject(call.function) ? call.function : call);
  const name = textOf(inner.name) ?? "";
  return pickDefined({
    type: "call",
    id: filledText(call.id) ?? calls.named(name),
    name,
    arguments: argumentsText(custom === undefined ? inner.arguments : custom.input),
    custom: custom === undefined ? undefined : true,
    state: signatureOf(call),
    at,
  }) as CallPart;
}

/** Arguments are text, but some clients send an object. */
export const argumentsText = (value: Json): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : jsonText(value);

import type { Json } from "../../plugin-host/contract.ts";
import type { LlmAnnotation, LlmMessage, LlmToolCall } from "../../record/llm-schema.ts";
import { filledText, isObject, jsonText, listOf, pickDefined, textOf } from "../json.ts";
import { mediaOf } from "./media.ts";
import { annotationsOf, hostedTool, toolCall } from "./tools.ts";

/** One part of a message's content, for all providers: the formats use different names for the same few parts. */
export type ContentPart =
  | { readonly kind: "text"; readonly text: string; readonly annotations?: LlmAnnotation[] }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly call: LlmToolCall }
  | { readonly kind: "result"; readonly id?: string; readonly name?: string; readonly text: string }
  | { readonly kind: "media"; readonly media: LlmMessage };

/** Maximum nesting of content: real messages stay below it, and hostile bodies must not overflow the stack. */
const DEPTH_MAX = 6;

/** The parts of a message's content: a string, a part, or a list of either. */
export function partsOf(content: Json, depth = 0): ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  if (Array.isArray(content)) return content.flatMap((part) => (depth < DEPTH_MAX ? partsOf(part, depth + 1) : []));
  return isObject(content) ? readPart(content, depth) : [];
}

/** All text of a content as one string; `undefined` if it has none. */
export function plainText(content: Json): string | undefined {
  if (typeof content === "string") return filledText(content);
  return textIn(partsOf(content));
}

export function textIn(parts: readonly ContentPart[]): string | undefined {
  return filledText(parts.map((part) => (part.kind === "text" ? part.text : "")).join(""));
}

type PartReader = (part: Json, depth: number) => ContentPart[];

const text: PartReader = (part) => {
  const annotations = annotationsOf(part.annotations ?? part.citations);
  const content = textOf(part.text) ?? textOf(part.content);
  if (content === undefined || (content === "" && annotations === undefined)) return [];
  return [pickDefined({ kind: "text", text: content, annotations }) as ContentPart];
};

const reasoning: PartReader = (part, depth) => {
  for (const inner of [part.thinking, part.text, part.reasoning, part.content, part.summary]) {
    const content = textOf(inner) ?? spoken(partsOf(inner, depth + 1));
    if (content !== "") return [{ kind: "reasoning", text: content }];
  }
  return [];
};
const spoken = (parts: readonly ContentPart[]) =>
  parts.map((part) => (part.kind === "text" || part.kind === "reasoning" ? part.text : "")).join("");

const call: PartReader = (part) => [
  { kind: "call", call: toolCall(part.name, part.input ?? part.args ?? part.arguments, part.id ?? part.toolUseId) },
];

const result: PartReader = (part, depth) => [
  pickDefined({
    kind: "result",
    id: textOf(part.tool_use_id) ?? textOf(part.toolUseId) ?? textOf(part.id),
    name: textOf(part.name),
    text: resultText(part.content ?? part.response ?? part.output ?? part.result, depth),
  }) as ContentPart,
];
function resultText(content: Json, depth: number): string {
  const plain = textOf(content) ?? textIn(partsOf(content, depth + 1));
  return plain ?? (content === undefined || content === null ? "" : jsonText(content));
}

/** Parts whose type is in `type`. Tools run by the provider are not calls: they appear beside the text. */
const BY_TYPE: Readonly<Record<string, PartReader>> = {
  text,
  input_text: text,
  output_text: text,
  summary_text: text,
  compaction: () => [],
  refusal: (part) => (filledText(part.refusal) === undefined ? [] : [{ kind: "text", text: part.refusal }]),
  thinking: reasoning,
  reasoning,
  reasoning_text: reasoning,
  redacted_thinking: () => [],
  tool_use: call,
  server_tool_use: (part) => hosted(part),
  mcp_tool_use: (part) => hosted(part),
  tool_result: result,
};

/** Parts whose type follows from a member, as in Gemini and Bedrock. */
const BY_MEMBER: readonly (readonly [string, PartReader])[] = [
  ["functionCall", (part, depth) => call(part.functionCall ?? {}, depth)],
  ["function_call", (part, depth) => call(part.function_call ?? {}, depth)],
  ["functionResponse", (part, depth) => result(part.functionResponse ?? {}, depth)],
  ["function_response", (part, depth) => result(part.function_response ?? {}, depth)],
  ["toolUse", (part, depth) => call(part.toolUse ?? {}, depth)],
  ["toolResult", (part, depth) => result(part.toolResult ?? {}, depth)],
  ["reasoningContent", (part, depth) => reasoning(part.reasoningContent?.reasoningText ?? {}, depth)],
  ["executableCode", (part) => beside("executable_code", part.executableCode?.code)],
  ["codeExecutionResult", (part) => beside("code_execution_result", part.codeExecutionResult?.output)],
];

/** Parts among the text that are not text. */
const beside = (type: string, content: Json, id?: Json): ContentPart[] => [
  { kind: "media", media: pickDefined({ _type: "message", type, content: filledText(content), id: filledText(id) }) },
];

/** A call or result of a tool that the provider runs: the client does not respond to it. */
function hosted(part: Json): ContentPart[] {
  return [{ kind: "media", media: hostedTool(part) }];
}

function readPart(part: Json, depth: number): ContentPart[] {
  const type = textOf(part.type)?.toLowerCase();
  if (type !== undefined) {
    if (Object.hasOwn(BY_TYPE, type)) return BY_TYPE[type]!(part, depth);
    if (type.endsWith("_tool_result")) return hosted(part);
  }
  const media = mediaOf(part, type);
  if (media !== undefined) return [{ kind: "media", media }];
  for (const [member, read] of BY_MEMBER) if (isObject(part[member])) return read(part, depth);
  if (typeof part.text === "string") return part.thought === true ? reasoning(part, depth) : text(part, depth);
  return type === undefined ? [] : beside(type, part.content, part.id);
}

/**
 * The last user message that is or contains text, even if empty, for the form of most formats: a list of `{ role, content
 * }`.
 */
export function lastUserText(messages: Json, contentMember = "content"): string | undefined {
  const list = listOf(messages);
  for (let at = list.length - 1; at >= 0; at--) {
    const message = list[at];
    const role = textOf(message?.role)?.toLowerCase();
    if (role !== undefined && role !== "user" && role !== "human") continue;
    const content = message?.[contentMember];
    const text = textOf(content) ?? plainText(content);
    if (text !== undefined) return text;
  }
  return undefined;
}

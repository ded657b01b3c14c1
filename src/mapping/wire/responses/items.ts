import type {
  FilePart,
  HostedPart,
  ImagePart,
  Json,
  Message,
  Part,
  ReasoningPart,
  ResultPart,
  Source,
  State,
} from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, pickDefined, textOf } from "../../json.ts";
import { withTools } from "../../translate/changed-tools.ts";
import { cacheMark, type PromptDraft } from "../../translate/draft.ts";
import { type MemberType, noteWrongTypes } from "../../translate/member-types.ts";
import { signedCalls } from "../../translate/signed-calls.ts";
import { addressOf, fileName, sourceOf } from "../../translate/source.ts";
import { stateOf, stateText } from "../../translate/state.ts";
import { fileSource } from "../chat-completions/content.ts";
import { argumentsText } from "../chat-completions/read-messages.ts";
import { readTool } from "./tools.ts";

/** The vendor whose state this API's own members hold. */
const MAKER = "openai";

/**
 * Reads items of the input as turns: consecutive model items form one turn, and so do the results that follow.
 *
 * @param placeOf - returns the path of an item by its index.
 */
export function readItems(draft: PromptDraft, items: readonly Json[], placeOf: (index: number) => string): void {
  const turns: { role: Message["role"]; parts: Part[]; at: string; open: "made" | "results" | undefined }[] = [];
  for (const [index, item] of items.entries()) {
    const place = placeOf(index);
    const read = isObject(item) ? readItem(draft, item, place) : undefined;
    if (read === undefined) {
      const type = textOf(item?.type);
      draft.lose("refused", place, unread(type));
      continue;
    }
    const last = turns.at(-1);
    const open = read.role === "assistant" ? "made" : read.parts[0]?.type === "result" ? "results" : undefined;
    if (open !== undefined && last?.open === open) for (const part of read.parts) last.parts.push(part);
    else turns.push({ ...read, at: place, open });
  }
  for (const { role, parts, at: place } of turns)
    draft.messages.push({ role, parts: role === "assistant" ? signedCalls(parts) : parts, at: place });
}

const unread = (type: string | undefined): string =>
  type === "item_reference"
    ? "it refers to an item that only its provider can look up: send the item itself"
    : type === undefined
      ? "must be an item"
      : `no item of type ${type} can be read`;

interface Read {
  readonly role: Message["role"];
  readonly parts: Part[];
}

const made = (part: Part): Read => ({ role: "assistant", parts: [part] });

function readItem(draft: PromptDraft, item: JsonObject, at: string): Read | undefined {
  const type = textOf(item.type) ?? (item.role === undefined ? "" : "message");
  const members = Object.hasOwn(ITEM_MEMBERS, type) ? ITEM_MEMBERS[type] : undefined;
  if (members !== undefined) draft.loseOthers(item, members, at);
  if (Object.hasOwn(ITEM_TYPES, type)) noteWrongTypes(draft, item, ITEM_TYPES[type]!, at);
  switch (type) {
    case "message":
      return readMessage(draft, item, at);
    case "function_call":
    case "custom_tool_call":
      return made({ ...readCall(item), at });
    case "function_call_output":
    case "custom_tool_call_output":
      return { role: "user", parts: [readResult(draft, item, at)] };
    case "reasoning":
      return made({ ...readReasoning(item), at });
    case "":
    case "item_reference":
      return undefined;
    default: {
      const part: HostedPart = { type: "hosted", shape: "responses", item, at };
      const hosted = Object.hasOwn(TOOL_ITEMS, type) ? withItemTools(draft, part, item) : part;
      return type.endsWith("_output") ? { role: "user", parts: [hosted] } : made(hosted);
    }
  }
}

/** Items that make tools available to the model. */
const TOOL_ITEMS: Readonly<Record<string, true>> = { additional_tools: true, tool_search_output: true };

const withItemTools = (draft: PromptDraft, part: HostedPart, { tools }: JsonObject) =>
  withTools(draft, part, () => {
    for (const [index, tool] of listOf(tools).entries()) readTool(draft, tool, `${part.at}.tools[${index}]`);
  });

/** Members of returned items that have no meaning for a model. */
const AROUND = ["type", "id", "status"];
const CALL = [...AROUND, "call_id", "name", "namespace"];
const OUTPUT = [...AROUND, "call_id", "output"];

/** Members of items that have a place in a prompt. */
const ITEM_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  message: new Set([...AROUND, "role", "content", "phase"]),
  function_call: new Set([...CALL, "arguments"]),
  custom_tool_call: new Set([...CALL, "input"]),
  function_call_output: new Set(OUTPUT),
  custom_tool_call_output: new Set(OUTPUT),
  reasoning: new Set([...AROUND, "summary", "content", "encrypted_content"]),
};

const CALL_TYPES: MemberType = { call_id: "text", id: "text", name: "name", namespace: "text" };
const OUTPUT_TYPES: MemberType = { call_id: "text", output: "textOrList" };

const ITEM_TYPES: Readonly<Record<string, MemberType>> = {
  message: { content: "textOrList" },
  function_call: { ...CALL_TYPES, arguments: "textOrObject" },
  custom_tool_call: { ...CALL_TYPES, input: "text" },
  function_call_output: OUTPUT_TYPES,
  custom_tool_call_output: OUTPUT_TYPES,
  reasoning: { summary: "list", content: "list", encrypted_content: "text" },
};

const ROLES: Readonly<Record<string, Message["role"]>> = {
  user: "user",
  assistant: "assistant",
  system: "system",
  developer: "system",
};

function readMessage(draft: PromptDraft, { role, content }: JsonObject, at: string): Read | undefined {
  const known = textOf(role) ?? "";
  if (!Object.hasOwn(ROLES, known)) return undefined;
  return { role: ROLES[known]!, parts: readContent(draft, content, `${at}.content`) };
}

/** The content of a message or a result: a text, or a list of parts. */
function readContent(draft: PromptDraft, content: Json, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content, at }];
  const parts: Part[] = [];
  for (const [index, part] of listOf(content).entries()) {
    const place = `${at}[${index}]`;
    const read = readPart(part);
    const cache = cacheMark(part?.cache_control);
    if (read === undefined) {
      draft.lose("refused", place, `no part of type ${textOf(part?.type) ?? "unknown"} can be read`);
      continue;
    }
    draft.loseOthers(part, PART_MEMBERS[read.type]!, place);
    parts.push(cache === undefined ? { ...read, at: place } : { ...read, at: place, cache });
  }
  return parts;
}

/** Members of parts that have a place in a prompt, by the part's kind there. */
const PART_MEMBERS: Readonly<Partial<Record<Part["type"], ReadonlySet<string>>>> = {
  text: new Set(["type", "text", "logprobs", "cache_control"]),
  refusal: new Set(["type", "refusal"]),
  image: new Set(["type", "image_url", "file_id", "detail", "cache_control"]),
  file: new Set(["type", "file_id", "file_data", "file_url", "filename", "cache_control"]),
  audio: new Set(["type", "input_audio"]),
};

function readPart(part: Json): Part | undefined {
  switch (part?.type) {
    case "input_text":
    case "output_text":
    case "text":
      return typeof part.text === "string" ? { type: "text", text: part.text } : undefined;
    case "refusal":
      return typeof part.refusal === "string" ? { type: "refusal", text: part.refusal } : undefined;
    case "input_image": {
      const source = imageSource(part);
      return source && (pickDefined({ type: "image", source, detail: textOf(part.detail) }) as ImagePart);
    }
    case "input_file": {
      const url = filledText(part.file_url);
      const source = url === undefined ? fileSource(part) : sourceOf(url);
      return source && (pickDefined({ type: "file", source, name: filledText(part.filename) }) as FilePart);
    }
    case "input_audio": {
      const bytes = textOf(part.input_audio?.data);
      const mediaType = `audio/${textOf(part.input_audio?.format) ?? "wav"}`;
      return bytes === undefined ? undefined : { type: "audio", source: { bytes, mediaType } };
    }
    default:
      return undefined;
  }
}

function imageSource(part: Json): Source | undefined {
  const fileId = filledText(part.file_id);
  if (fileId !== undefined) return { fileId };
  const url = textOf(part.image_url) ?? textOf(part.image_url?.url);
  return url === undefined ? undefined : sourceOf(url);
}

/** A call of a function or a free-text tool. */
export function readCall(item: Json): Part & { type: "call" } {
  const custom = item.type === "custom_tool_call";
  return pickDefined({
    type: "call",
    id: filledText(item.call_id) ?? filledText(item.id) ?? "",
    name: textOf(item.name) ?? "",
    namespace: filledText(item.namespace),
    arguments: argumentsText(custom ? item.input : item.arguments),
    custom: custom ? true : undefined,
  }) as Part & { type: "call" };
}

const readResult = (draft: PromptDraft, item: JsonObject, at: string): ResultPart =>
  pickDefined({
    type: "result",
    id: textOf(item.call_id) ?? "",
    parts: readContent(draft, item.output, `${at}.output`),
    custom: item.type === "custom_tool_call_output" ? true : undefined,
    at,
  }) as ResultPart;

/** Separator: the parts of a summary are paragraphs of one text. */
export const PARAGRAPH = "\n\n";

export function readReasoning(item: Json): ReasoningPart {
  const texts = (list: Json) => listOf(list).flatMap((part) => filledText(part?.text) ?? []);
  const summary = texts(item.summary);
  const text = (summary.length > 0 ? summary : texts(item.content)).join(PARAGRAPH);
  const state = reasoningState(item);
  return state === undefined ? { type: "reasoning", text } : { type: "reasoning", text, state };
}

export function reasoningState(item: Json): State | undefined {
  const encrypted = filledText(item?.encrypted_content);
  if (encrypted === undefined) return undefined;
  const state = stateOf(encrypted, MAKER, "encrypted");
  const id = filledText(item.id);
  // Only the API's own items keep the provider's id.
  return state.value === encrypted && id !== undefined ? { ...state, id } : state;
}

/** A turn as items; consecutive model texts form one message. */
export function writeTurn({ role, parts }: Message): JsonObject[] {
  if (parts.length === 0) return [{ role, content: writeContent(role, parts) }];
  const items: JsonObject[] = [];
  let said: Part[] = [];
  const flush = () => {
    if (said.length > 0) items.push({ role, content: writeContent(role, said) });
    said = [];
  };
  for (const part of parts) {
    const item = writeItem(part);
    if (item === undefined) said.push(part);
    else {
      flush();
      items.push(item);
    }
  }
  flush();
  return items;
}

function writeContent(role: Message["role"], parts: readonly Part[]): Json {
  const only = parts.length === 1 ? parts[0] : undefined;
  if (role !== "assistant" && only?.type === "text") return only.text;
  if (role !== "assistant" && parts.length === 0) return "";
  return parts.flatMap((part) => writePart(part, role === "assistant"));
}

/** Parts that become separate items. */
function writeItem(part: Part): JsonObject | undefined {
  if (part.type === "hosted") return part.item;
  if (part.type === "reasoning") {
    const { text, state } = part;
    const summary = text === "" ? [] : [{ type: "summary_text", text }];
    return pickDefined({ type: "reasoning", id: state?.id, summary, encrypted_content: state?.value });
  }
  if (part.type === "call") {
    const { id: call_id, name, namespace, custom, arguments: text } = part;
    if (custom) return pickDefined({ type: "custom_tool_call", call_id, name, namespace, input: text });
    return pickDefined({ type: "function_call", call_id, name, namespace, arguments: text === "" ? "{}" : text });
  }
  if (part.type !== "result") return undefined;
  const type = part.custom ? "custom_tool_call_output" : "function_call_output";
  const only = part.parts.length === 1 ? part.parts[0] : undefined;
  const plain = part.parts.length === 0 ? "" : only?.type === "text" ? only.text : undefined;
  return { type, call_id: part.id, output: plain ?? part.parts.flatMap((each) => writePart(each, false)) };
}

function writePart(part: Part, ours: boolean): JsonObject[] {
  if (part.type === "text") return [{ type: ours ? "output_text" : "input_text", text: part.text }];
  if (part.type === "refusal") return [{ type: "refusal", refusal: part.text }];
  if (part.type === "image") {
    const { source, detail } = part;
    const where = "fileId" in source ? { file_id: source.fileId } : { image_url: addressOf(source) };
    return [pickDefined({ type: "input_image", ...where, detail })];
  }
  if (part.type !== "file") return [];
  const { source, name } = part;
  if ("fileId" in source) return [{ type: "input_file", file_id: source.fileId }];
  if ("url" in source) return [pickDefined({ type: "input_file", file_url: source.url, filename: name })];
  return [{ type: "input_file", filename: name ?? fileName(source), file_data: addressOf(source) }];
}

/** State as `encrypted_content` for a client. */
export const encrypted = (state: State): string => stateText(state, MAKER);

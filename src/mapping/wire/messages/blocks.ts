import type { CacheMark, FilePart, ImagePart, Json, Part, ResultPart, Source } from "../../../plugin/contract.ts";
import { filledText, isObject, type JsonObject, jsonText, pickDefined, textOf } from "../../json.ts";
import { toolArguments } from "../../llm/tools.ts";
import { cacheMark, type PromptDraft } from "../../translate/draft.ts";
import { stateOf, stateText } from "../../translate/state.ts";

/** Whose state this API's own members hold. */
export const MAKER = "anthropic";

/** Content of a message: a text, or a list of blocks. What cannot be read is refused by its path. */
export function readBlocks(draft: PromptDraft, content: Json, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content, at }];
  if (!Array.isArray(content)) {
    draft.lose("invalid", at, "must be a text or a list of blocks");
    return [];
  }
  const parts: Part[] = [];
  for (const [index, block] of content.entries()) {
    const place = `${at}[${index}]`;
    const part = readBlock(block, draft, place);
    if (part === undefined) {
      draft.lose("refused", place, `no block of type ${textOf(block?.type) ?? "unknown"} can be read`);
      continue;
    }
    const cache = cacheMark(block.cache_control);
    parts.push(cache === undefined ? { ...part, at: place } : { ...part, at: place, cache });
  }
  return parts;
}

type BlockReader = (block: Json, draft: PromptDraft, at: string) => Part | undefined;

function readBlock(block: Json, draft: PromptDraft, at: string): Part | undefined {
  if (!isObject(block)) return undefined;
  const type = textOf(block.type) ?? "";
  if (Object.hasOwn(BLOCKS, type)) return BLOCKS[type]!(block, draft, at);
  return isHosted(type) ? { type: "hosted", shape: "messages", item: block } : undefined;
}

/** Calls of tools that Anthropic runs itself, their results, and what else only it can read. */
const isHosted = (type: string) =>
  /_tool_use$|_tool_result$/.test(type) ||
  type === "container_upload" ||
  type === "compaction" ||
  type === "search_result";

const BLOCKS: Readonly<Record<string, BlockReader>> = {
  text: ({ text }) => (typeof text === "string" ? { type: "text", text } : undefined),
  image: ({ source }) => {
    const read = readSource(source);
    return read && ({ type: "image", source: read } satisfies ImagePart);
  },
  document: (block, draft, at) => {
    const source = readSource(block.source);
    if (block.citations?.enabled === true) draft.lose("dropped", `${at}.citations`);
    if (filledText(block.context) !== undefined) draft.lose("dropped", `${at}.context`);
    return source && (pickDefined({ type: "file", source, name: filledText(block.title) }) as FilePart);
  },
  tool_use: ({ id, name, input }) => ({
    type: "call",
    id: textOf(id) ?? "",
    name: textOf(name) ?? "",
    arguments: input === undefined || input === null ? "" : typeof input === "string" ? input : jsonText(input),
  }),
  tool_result: (block, draft, at) =>
    pickDefined({
      type: "result",
      id: textOf(block.tool_use_id) ?? "",
      parts: readBlocks(draft, block.content, `${at}.content`),
      error: block.is_error === true ? true : undefined,
    }) as ResultPart,
  thinking: ({ thinking, signature }) => {
    const state = filledText(signature);
    const text = textOf(thinking) ?? "";
    return state === undefined
      ? { type: "reasoning", text }
      : { type: "reasoning", text, state: stateOf(state, MAKER, "signature") };
  },
  redacted_thinking: ({ data }) => {
    const state = filledText(data);
    return state === undefined ? undefined : { type: "reasoning", text: "", state: stateOf(state, MAKER, "redacted") };
  },
};

function readSource(source: Json): Source | undefined {
  if (source?.type === "url" && typeof source.url === "string") return { url: source.url };
  if (source?.type === "file" && typeof source.file_id === "string") return { fileId: source.file_id };
  const data = textOf(source?.data);
  if (data !== undefined) {
    const mediaType = textOf(source.media_type) ?? (source.type === "text" ? "text/plain" : "application/pdf");
    return source.type === "text" ? { text: data, mediaType } : { bytes: data, mediaType };
  }
  if (source?.type !== "content") return undefined;
  const text = textOf(source.content) ?? textOf(source.content?.[0]?.text);
  return text === undefined ? undefined : { text, mediaType: "text/plain" };
}

const marked = (block: JsonObject, cache: CacheMark | undefined): JsonObject => {
  if (cache !== undefined) block.cache_control = { type: "ephemeral", ...cache };
  return block;
};

/** A turn's parts as blocks for a provider, each with its cache mark. */
export const writeBlocks = (parts: readonly Part[]): JsonObject[] =>
  parts.flatMap((part) => writePart(part).map((block) => marked(block, part.cache)));

function writePart(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", text: part.text }];
    case "image":
      return [{ type: "image", source: writeSource(part.source) }];
    case "file":
      return [pickDefined({ type: "document", source: writeSource(part.source), title: part.name })];
    case "call":
      return [{ type: "tool_use", id: part.id, name: part.name, input: toolArguments(part.arguments) }];
    case "result":
      return [writeResult(part)];
    case "reasoning":
      return [writeThinking(part, true)];
    case "hosted":
      return [{ ...part.item }];
    case "audio":
      return [];
  }
}

function writeSource(source: Source): JsonObject {
  if ("url" in source) return { type: "url", url: source.url };
  if ("fileId" in source) return { type: "file", file_id: source.fileId };
  if ("text" in source) return { type: "text", media_type: "text/plain", data: source.text };
  if (!source.mediaType.startsWith("text/"))
    return { type: "base64", media_type: source.mediaType, data: source.bytes };
  return { type: "text", media_type: "text/plain", data: Buffer.from(source.bytes, "base64").toString("utf8") };
}

function writeResult({ id, parts, error }: ResultPart): JsonObject {
  const only = parts.length === 1 ? parts[0] : undefined;
  const content = only?.type === "text" && only.cache === undefined ? only.text : writeBlocks(parts);
  return pickDefined({
    type: "tool_result",
    tool_use_id: id,
    content: content.length === 0 ? undefined : content,
    is_error: error,
  });
}

/** A thought to a provider has state as it came, to a client packed where it is not Anthropic's. */
export function writeThinking({ text, state }: Part & { type: "reasoning" }, raw: boolean): JsonObject {
  const value = state === undefined ? "" : raw ? state.value : stateText(state, MAKER);
  if (state?.kind === "redacted") return { type: "redacted_thinking", data: value };
  return { type: "thinking", thinking: text, signature: value };
}

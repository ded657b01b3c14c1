import type { CacheMark, FilePart, ImagePart, Json, Part, ResultPart, Source } from "../../../plugin-host/contract.ts";
import { argumentsObject } from "../../exact-json.ts";
import { filledText, isObject, type JsonObject, jsonText, listOf, pickDefined, textOf } from "../../json.ts";
import { cacheMark, type Losing } from "../../translate/draft.ts";
import { type MemberType, noteWrongTypes } from "../../translate/member-types.ts";
import { stateOf, stateText } from "../../translate/state.ts";

/** The vendor whose state this API's own members hold. */
export const MAKER = "anthropic";

/** Content of a message: a text, or a list of blocks. An unreadable part is refused with its path. */
export function readBlocks(draft: Losing, content: Json, at: string): Part[] {
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
    if (block.type === "document") parts.push(...imagesIn(block.source, place));
  }
  return parts;
}

/** Whether all APIs can express a block of this type. */
export const isBlock = (type: string): boolean => Object.hasOwn(BLOCKS, type);

type BlockReader = (block: Json, draft: Losing, at: string) => Part | undefined;

export function readBlock(block: Json, draft: Losing, at: string): Part | undefined {
  if (!isObject(block)) return undefined;
  const type = textOf(block.type) ?? "";
  const members = Object.hasOwn(MEMBERS, type) ? MEMBERS[type] : undefined;
  if (members !== undefined) draft.loseOthers(block, members, at);
  if (Object.hasOwn(TYPES, type)) noteWrongTypes(draft, block, TYPES[type]!, at);
  if (Object.hasOwn(BLOCKS, type)) return BLOCKS[type]!(block, draft, at);
  if (!isHosted(type)) return undefined;
  const said = Object.hasOwn(SAID, type) ? SAID[type]!(block) : undefined;
  return { type: "hosted", shape: "messages", item: block, ...(said === undefined ? {} : { text: said }) };
}

/** Calls of tools that Anthropic runs, their results, and other blocks that only Anthropic can read. */
const isHosted = (type: string) =>
  /_tool_use$|_tool_result$/.test(type) ||
  type === "container_upload" ||
  type === "compaction" ||
  type === "search_result" ||
  type === "tool_reference" ||
  type === "tool_addition" ||
  type === "tool_removal" ||
  type === "mcp_tool_listing" ||
  type === "fallback";

/** Blocks that become text, because other APIs have no equivalent. */
const SAID: Readonly<Record<string, (block: Json) => string | undefined>> = {
  compaction: ({ content }) => filledText(content),
  // The result of a client's own tool search. The named tool is among the request's tools, which are all sent.
  tool_reference: ({ tool_name }) => `<tool_reference name=${JSON.stringify(textOf(tool_name) ?? "")} />`,
  search_result: ({ source, title, content }) =>
    `<search_result source=${JSON.stringify(textOf(source) ?? "")} title=${JSON.stringify(textOf(title) ?? "")}>\n${textsOf(content)}\n</search_result>`,
};

/**
 * Members of blocks with a place in a prompt, or without meaning for a model: clients send a model's turn back unchanged.
 */
const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control"]),
  image: new Set(["type", "source", "cache_control"]),
  document: new Set(["type", "source", "title", "citations", "cache_control"]),
  tool_use: new Set(["type", "id", "name", "input", "caller", "cache_control"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
};

const TYPES: Readonly<Record<string, MemberType>> = {
  tool_use: { id: "text", name: "name", input: "textOrObject" },
  tool_result: { tool_use_id: "text", is_error: "flag" },
  thinking: { thinking: "text", signature: "text" },
};

const BLOCKS: Readonly<Record<string, BlockReader>> = {
  text: ({ text }) => (typeof text === "string" ? { type: "text", text } : undefined),
  image: ({ source }) => {
    const read = readSource(source);
    return read && ({ type: "image", source: read } satisfies ImagePart);
  },
  document: ({ source: given, title, citations }, draft, at) => {
    const source = readSource(given);
    if (citations?.enabled === true) draft.lose("dropped", `${at}.citations`);
    return source && (pickDefined({ type: "file", source, name: filledText(title) }) as FilePart);
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
  const { content } = source;
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  return { text: textOf(content) ?? textsOf(content), mediaType: "text/plain" };
}

const textsOf = (content: Json): string =>
  listOf(content)
    .flatMap((block) => filledText(block?.text) ?? [])
    .join("\n\n");

/** Pictures in a document made of blocks follow the document. */
function imagesIn(source: Json, at: string): Part[] {
  if (source?.type !== "content") return [];
  return listOf(source.content).flatMap((block, index): Part[] => {
    const image = block?.type === "image" ? readSource(block.source) : undefined;
    return image === undefined ? [] : [{ type: "image", source: image, at: `${at}.source.content[${index}]` }];
  });
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
      return [{ type: "tool_use", id: part.id, name: part.name, input: argumentsObject(part.arguments) }];
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

/** For a provider, reasoning has its original state; for a client, state that is not Anthropic's is packed. */
export function writeThinking({ text, state }: Part & { type: "reasoning" }, raw: boolean): JsonObject {
  const value = state === undefined ? "" : raw ? state.value : stateText(state, MAKER);
  if (state?.kind === "redacted") return { type: "redacted_thinking", data: value };
  return { type: "thinking", thinking: text, signature: value };
}

import type { Json, StreamEvent } from "../../../plugin-host/contract.ts";
import { countOf, isObject, type JsonObject, mergeMembers, objectOf, parseJson, textOf } from "../../json.ts";
import { grown, inOrder } from "../pieces.ts";

/** A content block while it grows; `json` collects a tool's input until the block ends. */
interface Block {
  readonly block: JsonObject;
  json: string;
}

/**
 * Folds an Anthropic stream. `message_start` holds the message without content, `message_delta` the changed counts: each
 * later value replaces the earlier one. The output count of `message_start` is only a placeholder: it is left out of a stream
 * that was cut off before the real one came.
 */
export function foldMessages(events: readonly StreamEvent[]): Json {
  const message: JsonObject = {};
  const blocks = new Map<number, Block>();
  let error: Json;
  let isPlaceholder = false;
  for (const { data, name } of events) {
    if (!isObject(data)) continue;
    const metrics = data["amazon-bedrock-invocationMetrics"];
    if (isObject(metrics)) message["amazon-bedrock-invocationMetrics"] = metrics;
    const type = textOf(data.type) ?? name;
    if (type === "message_start") {
      startMessage(message, data.message);
      isPlaceholder = true;
    } else if (type === "message_stop") isPlaceholder = false;
    else if (type === "content_block_start") startBlock(blocks, data);
    else if (type === "content_block_delta") growBlock(blocks, data);
    else if (type === "message_delta") {
      takeMessageDelta(message, data);
      if (countOf(data.usage?.output_tokens) !== undefined) isPlaceholder = false;
    } else if (isObject(data.error) || type === "error") error = isObject(data.error) ? data.error : data;
    else if (type === "message") mergeMembers(message, data);
  }
  if (blocks.size > 0 || Array.isArray(message.content)) {
    const built = inOrder(blocks).map(finished);
    message.content = built.length > 0 ? built : message.content;
  }
  if (isPlaceholder && isObject(message.usage)) delete message.usage.output_tokens;
  if (error !== undefined) message.error = error;
  return Object.keys(message).length === 0 ? undefined : message;
}

function startMessage(message: JsonObject, start: Json): void {
  mergeMembers(message, start);
  // Our own copy, because `message_delta` is merged into it.
  if (isObject(message.usage)) message.usage = { ...message.usage };
}

function takeMessageDelta(message: JsonObject, data: JsonObject): void {
  mergeMembers(message, data.delta);
  if (isObject(data.usage)) message.usage = mergeMembers(objectOf(message.usage) ?? {}, data.usage);
  if (isObject(data.context_management)) message.context_management = data.context_management;
}

function startBlock(blocks: Map<number, Block>, { index, content_block: block }: JsonObject): void {
  if (typeof index !== "number" || !isObject(block)) return;
  const own = Array.isArray(block.citations) ? { ...block, citations: [...block.citations] } : { ...block };
  blocks.set(index, { block: own, json: "" });
}

/** The block member that each type of delta extends. */
const GROWS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  compaction_delta: "content",
};

function growBlock(blocks: Map<number, Block>, { index, delta }: JsonObject): void {
  if (typeof index !== "number" || !isObject(delta)) return;
  let state = blocks.get(index);
  if (state === undefined) {
    state = { block: { type: "text" }, json: "" };
    blocks.set(index, state);
  }
  const { block } = state;
  const type = textOf(delta.type) ?? "";
  const member = Object.hasOwn(GROWS, type) ? GROWS[type]! : undefined;
  if (member !== undefined) block[member] = grown(block[member], delta[member]);
  else if (type === "input_json_delta") state.json += textOf(delta.partial_json) ?? "";
  else if (type === "citations_delta") {
    if (Array.isArray(block.citations)) block.citations.push(delta.citation);
    else block.citations = [delta.citation];
  }
}

/** A truncated tool input is not valid JSON: it is kept as text. */
function finished({ block, json }: Block): JsonObject {
  if (json === "") return block;
  return { ...block, input: parseJson(json) ?? json };
}

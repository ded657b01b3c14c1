import { isObject } from "../mapping/json.ts";
import type { Json } from "../plugin/contract.ts";

/** Bytes of text for a token: few enough that prose and code come out above what they are. */
const TOKEN_BYTES = 3;
/** What the format of a conversation adds to each turn. */
const TURN_TOKENS = 4;
/** A picture or file of usual size. */
const MEDIA_TOKENS = 1_600;

/** They name or carry something that is no text. */
const SILENT = new Set([
  "type",
  "role",
  "id",
  "model",
  "signature",
  "encrypted_content",
  "tool_use_id",
  "tool_call_id",
]);

/** A guess at the input tokens of a request, system text and tools included, and not below what they are. */
export function estimateTokens(text: string): number {
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    return Math.ceil(Buffer.byteLength(text) / TOKEN_BYTES);
  }
  const counted = { bytes: 0, tokens: 0 };
  for (const [name, value] of Object.entries(isObject(body) ? body : {}))
    if (!SILENT.has(name)) add(value, name, counted);
  return counted.tokens + Math.ceil(counted.bytes / TOKEN_BYTES);
}

function add(value: Json, name: string, counted: { bytes: number; tokens: number }): void {
  if (typeof value === "string") {
    if (name === "data" || value.startsWith("data:")) counted.tokens += MEDIA_TOKENS;
    else counted.bytes += Buffer.byteLength(value);
  } else if (name === "tools" || name === "functions") counted.bytes += Buffer.byteLength(JSON.stringify(value));
  else if (Array.isArray(value)) for (const each of value) add(each, name, counted);
  else if (isObject(value)) {
    if (value["role"] !== undefined) counted.tokens += TURN_TOKENS;
    for (const [inner, each] of Object.entries(value)) if (!SILENT.has(inner)) add(each, inner, counted);
  }
}

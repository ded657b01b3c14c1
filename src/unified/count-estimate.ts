import { isObject, parseJson } from "../mapping/json.ts";
import { tokenizer } from "../mapping/tokenizer.ts";
import type { Json } from "../plugin-host/contract.ts";

/** Minimum bytes per token of prose. */
const TOKEN_BYTES = 3;
/** By which factor tokenizers of other vendors count more than OpenAI's. */
const OTHERS = 1.1;
/** Tokens that the format of a conversation adds per turn. */
const TURN_TOKENS = 4;
/** A picture or file of usual size. */
const MEDIA_TOKENS = 1_600;

/** Members that name or carry non-text content. */
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

/** The text of a request, and the tokens of its other content. */
interface Counted {
  readonly texts: string[];
  tokens: number;
}

/**
 * Estimates the input tokens of a request, including system text and tools; it errs on the high side. It loads the
 * tokenizer: do not call it in the gateway's thread.
 */
export async function estimateTokens(text: string): Promise<number> {
  const { texts, tokens } = countedIn(text);
  const count = await tokenizer("o200k_base");
  return tokens + Math.ceil(Math.max(count(texts) * OTHERS, wideBytesOf(texts) / TOKEN_BYTES));
}

/** The same without a tokenizer. */
export function roughTokens(text: string): number {
  const { texts, tokens } = countedIn(text);
  return tokens + Math.ceil(bytesOf(texts) / TOKEN_BYTES);
}

const bytesOf = (texts: readonly string[]) => texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);

/** Bytes of characters beyond ASCII: of scripts that OpenAI's tokenizer encodes in fewer tokens than others, such as Chinese. */
const wideBytesOf = (texts: readonly string[]) =>
  texts.reduce((sum, each) => sum + Buffer.byteLength(each.replace(/[\0-\x7f]+/g, "")), 0);

function countedIn(text: string): Counted {
  const body = parseJson(text);
  if (!isObject(body)) return { texts: [text], tokens: 0 };
  const counted: Counted = { texts: [], tokens: 0 };
  for (const [name, value] of Object.entries(body)) if (!SILENT.has(name)) add(value, name, counted);
  return counted;
}

function add(value: Json, name: string, counted: Counted): void {
  if (typeof value === "string") {
    if (name === "data" || value.startsWith("data:")) counted.tokens += MEDIA_TOKENS;
    else counted.texts.push(value);
  } else if (name === "tools" || name === "functions") counted.texts.push(JSON.stringify(value));
  else if (Array.isArray(value)) for (const each of value) add(each, name, counted);
  else if (isObject(value)) {
    if (value["role"] !== undefined) counted.tokens += TURN_TOKENS;
    for (const [inner, each] of Object.entries(value)) if (!SILENT.has(inner)) add(each, inner, counted);
  }
}

import { isObject, parseJson } from "../mapping/json.ts";
import { tokenizer } from "../mapping/tokenizer.ts";
import { type CountedContent, contentOf } from "./counted-content.ts";

/** Minimum bytes per token of prose. */
const TOKEN_BYTES = 3;
/** By which factor tokenizers of other vendors count more than OpenAI's. */
const OTHERS = 1.1;

/**
 * Estimates the input tokens of a request, including system text and tools; it errs on the high side. It loads the
 * tokenizer: do not call it in the gateway's thread.
 */
export async function estimateTokens(text: string): Promise<number> {
  const { texts, tokens } = countedIn(text);
  const count = await tokenizer("o200k_base");
  return tokens + Math.ceil(Math.max(count(texts) * OTHERS, wideBytesOf(texts) / TOKEN_BYTES));
}

/** Estimates the input tokens of a request from its bytes, without the tokenizer; it errs on the high side. */
export function roughTokens(text: string): number {
  const { texts, tokens } = countedIn(text);
  return tokens + Math.ceil(bytesOf(texts) / TOKEN_BYTES);
}

const bytesOf = (texts: readonly string[]) => texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);

/** Bytes of characters beyond ASCII: of scripts that OpenAI's tokenizer encodes in fewer tokens than others, such as Chinese. */
const wideBytesOf = (texts: readonly string[]) =>
  texts.reduce((sum, each) => sum + Buffer.byteLength(each.replace(/[\0-\x7f]+/g, "")), 0);

function countedIn(text: string): CountedContent {
  const body = parseJson(text);
  return isObject(body) ? contentOf(body) : { texts: [text], tokens: 0 };
}

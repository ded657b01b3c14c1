import type { Json } from "../../plugin-host/contract.ts";
import type { LlmMessage } from "../../record/llm-schema.ts";
import { isObject, listOf, numberOf, pickDefined, textOf } from "../json.ts";
import { plainText } from "../llm/parts.ts";
import { cohereUsage } from "../usage.ts";
import type { WireSchema } from "../wire-schema.ts";
import { promptOf } from "./completions/schema.ts";
import { lastWhole } from "./last-whole.ts";
import { readOpenAi } from "./openai-reading.ts";

const inputOf = (request: Json) => plainText(request?.input) ?? promptOf(request?.input);

/** Moderations: texts or pictures in, categories out. */
export const moderations: WireSchema = {
  name: "moderations",
  llmType: "moderation",
  path: /\/moderations$/,
  fits: (request, response) => request?.input !== undefined || Array.isArray(response?.results),
  fold: lastWhole,
  readResponse: (body) => readOpenAi(body),
  promptText: inputOf,
  completionText: () => undefined,
  llmRequest: (request) => pickDefined({ input: inputOf(request) }),
  llmResponse: (response) => ({ messages: listOf(response?.results).filter(isObject).map(verdict) }),
};

/** The matching categories as text: `flagged: harassment, violence` or `not flagged`. */
function verdict(result: Json, idx: number): LlmMessage {
  const found = isObject(result.categories)
    ? Object.keys(result.categories).filter((name) => result.categories[name] === true)
    : [];
  const flagged = result.flagged === true || found.length > 0;
  const names = found.length > 0 ? `: ${found.join(", ")}` : "";
  return { _type: "message", role: "assistant", content: flagged ? `flagged${names}` : "not flagged", idx };
}

/** Rerank of Cohere, Jina, Voyage and others: a query and documents in, their order out. */
export const rerank: WireSchema = {
  name: "rerank",
  llmType: "rerank",
  path: /\/rerank$/,
  fits: (request, response) => Array.isArray(request?.documents) || Array.isArray(response?.results),
  fold: lastWhole,
  readResponse: (body) => {
    const read = readOpenAi(body);
    return pickDefined({
      ...read,
      usage: read.usage ?? cohereUsage(body?.meta),
      usageRaw: read.usageRaw ?? body?.meta,
    });
  },
  promptText: (request) => textOf(request?.query),
  completionText: () => undefined,
  llmRequest: (request) =>
    pickDefined({
      input: textOf(request?.query),
      n: numberOf(request?.top_n) ?? numberOf(request?.top_k),
      messages: listOf(request?.documents).map(
        (document, idx) => pickDefined({ _type: "message", content: documentText(document) ?? "", idx }) as LlmMessage,
      ),
    }),
  llmResponse: (response, request) => ({
    messages: [...listOf(response?.results), ...listOf(response?.data)]
      .filter(isObject)
      .map((result) => ranked(result, request)),
  }),
};

const documentText = (document: Json) => textOf(document) ?? textOf(document?.text);

/** A document at its new position; `detail` has its relevance. */
function ranked(result: Json, request: Json): LlmMessage {
  const index = numberOf(result.index);
  const own = documentText(result.document);
  const content = own ?? (index === undefined ? undefined : documentText(listOf(request?.documents)[index]));
  return pickDefined({
    _type: "message",
    content: content ?? "",
    detail: numberOf(result.relevance_score)?.toString(),
    idx: index,
  }) as LlmMessage;
}

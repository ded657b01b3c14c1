import type {
  Answer,
  CallPart,
  Choice,
  Citation,
  Finish,
  Json,
  Part,
  Reply,
  Usage,
  Wants,
} from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { addCitations } from "../../translate/citation-ranges.ts";
import { addressOf, sourceOf } from "../../translate/source.ts";
import { readOpenAi } from "../openai-reading.ts";
import { argumentsText } from "./read-messages.ts";
import { readReasoning, signatureOf, writeDetails, writeSignature } from "./reasoning.ts";

/** A complete response of a provider. */
export function readAnswer(body: Json): Answer {
  const { id, model, usage } = readOpenAi(body);
  return pickDefined({
    id,
    model,
    choices: choicesOf(body)
      .filter(isObject)
      .map((choice) => readChoice(choice, body)),
    usage,
  }) as Answer;
}

/** Meta's Llama API responds with one message instead of choices, Cloudflare with a response wrapped in `result`. */
export function choicesOf(response: Json): readonly Json[] {
  const completion = response?.completion_message;
  if (isObject(completion))
    return [{ message: completion, finish_reason: response.stop_reason ?? completion.stop_reason }];
  if (Array.isArray(response?.choices)) return response.choices;
  const result = response?.result;
  if (!isObject(result)) return [];
  return Array.isArray(result.choices)
    ? result.choices
    : [{ message: { role: "assistant", content: result.response, tool_calls: result.tool_calls } }];
}

function readChoice(choice: Json, body: Json): Choice {
  const message = isObject(choice.message) ? choice.message : { content: choice.text };
  const parts: Part[] = readReasoning(message, "");
  for (const part of readSaid(message.content)) parts.push(part);
  const refusal = filledText(message.refusal);
  if (refusal !== undefined) parts.push({ type: "refusal", text: refusal });
  const spoken = filledText(message.audio?.transcript);
  if (spoken !== undefined && !parts.some((part) => part.type === "text")) parts.push({ type: "text", text: spoken });
  const annotated = citationsOf(message.annotations);
  addCitations(parts, annotated.length > 0 ? annotated : sourcesOf(body));
  for (const image of listOf(message.images)) {
    const url = textOf(image?.image_url?.url);
    if (url !== undefined) parts.push({ type: "image", source: sourceOf(url) });
  }
  for (const call of callsOf(message)) parts.push(readCall(call));
  return pickDefined({ parts, finish: finishOf(choice.finish_reason), logprobs: objectOr(choice.logprobs) }) as Choice;
}
const objectOr = (value: Json) => (isObject(value) ? value : undefined);

/** Mistral puts reasoning among the parts of the content. */
function readSaid(content: Json): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (isObject(content)) return readSaid([content]);
  return listOf(content).flatMap((part): Part[] => {
    if (part?.type === "thinking") return [{ type: "reasoning", text: thoughtText(part.thinking) }];
    const text = filledText(part?.text);
    return text === undefined ? [] : [{ type: "text", text }];
  });
}

export const thoughtText = (thinking: Json): string =>
  textOf(thinking) ??
  listOf(thinking)
    .map((piece) => textOf(piece?.text) ?? "")
    .join("");

const callsOf = (message: Json): readonly Json[] =>
  Array.isArray(message.tool_calls) && message.tool_calls.length > 0
    ? message.tool_calls.filter(isObject)
    : isObject(message.function_call)
      ? [{ function: message.function_call }]
      : [];

function readCall(call: Json): CallPart {
  const custom = isObject(call.custom) ? call.custom : undefined;
  const inner = custom ?? (isObject(call.function) ? call.function : call);
  return pickDefined({
    type: "call",
    id: filledText(call.id) ?? "",
    name: textOf(inner.name) ?? "",
    arguments: argumentsText(custom === undefined ? inner.arguments : custom.input),
    custom: custom === undefined ? undefined : true,
    state: signatureOf(call),
  }) as CallPart;
}

export const citationsOf = (annotations: Json): Citation[] =>
  listOf(annotations).flatMap((annotation): Citation[] => {
    const cited = isObject(annotation?.url_citation) ? annotation.url_citation : annotation;
    const url = filledText(cited?.url);
    if (url === undefined) return [];
    return [
      pickDefined({
        url,
        title: filledText(cited.title),
        quote: filledText(cited.content),
        start: numberOf(cited.start_index),
        end: numberOf(cited.end_index),
      }) as Citation,
    ];
  });

/** The sources of a response beside its choices, as Perplexity lists them. */
export const sourcesOf = ({ search_results: found, citations }: Json): Citation[] =>
  listOf(Array.isArray(found) && found.length > 0 ? found : citations).flatMap((source): Citation[] => {
    const url = filledText(source) ?? filledText(source?.url);
    return url === undefined ? [] : [pickDefined({ url, title: filledText(source.title) }) as Citation];
  });

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: "end",
  eos: "end",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  max_tokens: "length",
  // Mistral, Z.ai
  model_length: "context",
  model_context_window_exceeded: "context",
  content_filter: "filter",
  sensitive: "filter",
  error: "malformed",
};

/** How routers, Z.ai and DeepSeek end a response that failed midway. */
const FAILURES: ReadonlySet<Json> = new Set(["error", "network_error", "insufficient_system_resource"]);

/** The failure that a choice reports. */
export function errorOfChoice({ error, finish_reason }: JsonObject): JsonObject | undefined {
  if (isObject(error)) return error;
  if (!FAILURES.has(finish_reason)) return undefined;
  const word = finish_reason === "error" ? "" : `: ${finish_reason}`;
  return { message: `the provider ended its response with an error${word}` };
}

/** An unknown value counts as an ordinary end. */
export function finishOf(word: Json): Finish {
  const known = textOf(word)?.toLowerCase() ?? "";
  return Object.hasOwn(FINISHES, known) ? FINISHES[known]! : "end";
}

const WORDS: Readonly<Record<Finish, string>> = {
  end: "stop",
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  context: "length",
  filter: "content_filter",
  pause: "stop",
  malformed: "stop",
};

export const finishWord = (finish: Finish, legacy: boolean | undefined): string =>
  finish === "calls" && legacy === true ? "function_call" : WORDS[finish];

/** A complete response to a client. */
export function writeAnswer(answer: Answer, reply: Reply): Json {
  return pickDefined({
    id: reply.id,
    object: "chat.completion",
    created: reply.created,
    model: reply.model,
    choices: answer.choices.map((choice, index) => writeChoice(choice, index, reply)),
    usage: answer.usage && writeUsage(answer.usage),
  });
}

function writeChoice({ parts, finish, logprobs }: Choice, index: number, { prompt }: Reply): Json {
  const { wants } = prompt;
  const refusal = joined(parts, "refusal");
  // As OpenAI does: an agent that gets null and no call may repeat its request endlessly.
  const silence = refusal === null && parts.every(({ type }) => type !== "call") ? "" : null;
  const message: JsonObject = { role: "assistant", content: joined(parts, "text") ?? silence, refusal };
  if (!parts.every(isPlain)) addFurther(message, parts, wants);
  return { index, message, logprobs: logprobs ?? null, finish_reason: finishWord(finish, wants.legacyFunctions) };
}

/** Whether `content` and `refusal` can hold the part, as in most responses. */
const isPlain = (part: Part) => (part.type === "text" && part.citations === undefined) || part.type === "refusal";

function addFurther(message: JsonObject, parts: readonly Part[], wants: Wants): void {
  const reasoning = parts.filter((part) => part.type === "reasoning");
  const thought = reasoning.map(({ text }) => text).join("");
  if (thought !== "" && wants.reasoning !== false) message.reasoning_content = thought;
  if (reasoning.some(({ state }) => state !== undefined)) {
    const shown = wants.reasoning === false ? reasoning.map(withoutText) : reasoning;
    message.reasoning_details = shown.flatMap((part, at) => writeDetails(part, at, false));
  }
  const annotations = annotationsOf(parts);
  if (annotations.length > 0) message.annotations = annotations;
  const images = parts.flatMap((part) => (part.type === "image" ? [writeImage(addressOf(part.source))] : []));
  if (images.length > 0) message.images = images;
  const calls = parts.filter((part) => part.type === "call");
  if (wants.legacyFunctions === true && calls[0] !== undefined) message.function_call = writeCall(calls[0]).function;
  else if (calls.length > 0) message.tool_calls = calls.map(writeCall);
}

/** A signature covers its text, so the text is sent even if the client did not request it. */
const withoutText = <T extends { text: string; state?: { kind: string } }>(part: T): T =>
  part.state?.kind === "signature" ? part : { ...part, text: "" };

function joined(parts: readonly Part[], type: "text" | "refusal"): string | null {
  let text: string | null = null;
  for (const part of parts) if (part.type === type) text = (text ?? "") + part.text;
  return text;
}

function annotationsOf(parts: readonly Part[]): JsonObject[] {
  const annotations: JsonObject[] = [];
  let from = 0;
  for (const part of parts) {
    if (part.type !== "text") continue;
    const length = part.text.length;
    for (const citation of part.citations ?? []) annotations.push(writeCitation(citation, { from, length }));
    from += length;
  }
  return annotations;
}

/**
 * Clients reject a citation without a title or a range, which some providers omit: the range is then the whole text part.
 *
 * @param text - where the text part stands in `content`. Ranges are offsets into `content`.
 */
export const writeCitation = (
  { url, title, quote, start, end }: Citation,
  text: { readonly from: number; readonly length: number },
): JsonObject => ({
  type: "url_citation",
  url_citation: pickDefined({
    url: url ?? "",
    title: title ?? "",
    content: quote,
    start_index: text.from + (start ?? 0),
    end_index: text.from + (end ?? text.length),
  }),
});

export const writeImage = (url: string | undefined): JsonObject => ({ type: "image_url", image_url: { url } });

const writeCall = ({ id, name, arguments: text, custom, state }: CallPart): JsonObject =>
  pickDefined({
    id,
    type: custom ? "custom" : "function",
    function: custom ? undefined : { name, arguments: text === "" ? "{}" : text },
    custom: custom && { name, input: text },
    extra_content: state && writeSignature(state),
  });

/** OpenAI's counts are inclusive, like Weir's. */
export function writeUsage(usage: Usage): JsonObject {
  const input = usage.prompt_tokens ?? 0;
  const output = usage.completion_tokens ?? 0;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: pickDefined({
      cached_tokens: usage.prompt_cache_read_tokens ?? 0,
      cache_write_tokens: usage.prompt_cache_write_tokens,
      audio_tokens: usage.prompt_audio_tokens,
    }),
    completion_tokens_details: pickDefined({
      reasoning_tokens: usage.reasoning_tokens ?? 0,
      audio_tokens: usage.completion_audio_tokens,
    }),
  };
}

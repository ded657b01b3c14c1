import type {
  Answer,
  Choice,
  Citation,
  Finish,
  Json,
  Part,
  Prompt,
  Reply,
  TextPart,
  Usage,
} from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, pickDefined, textOf } from "../../json.ts";
import { NOT_NOTED } from "../../translate/draft.ts";
import { anthropicUsage } from "../../usage.ts";
import { readBlocks, writeBlocks, writeThinking } from "./blocks.ts";

/** A complete response of a provider. */
export function readAnswer(body: Json): Answer {
  const content = listOf(body?.content);
  // Blocks of responses are like those of requests; an unreadable one is dropped.
  const parts = readBlocks(NOT_NOTED, body?.content, "").map(({ at, ...part }, index): Part => {
    const citations = part.type === "text" ? citationsOf(content[indexOf(at) ?? index]?.citations) : [];
    return citations.length > 0 ? ({ ...part, citations } as TextPart) : (part as Part);
  });
  const choice = pickDefined({
    parts,
    finish: finishOf(body?.stop_reason),
    stopText: filledText(body?.stop_sequence),
  }) as Choice;
  return pickDefined({
    id: filledText(body?.id),
    model: filledText(body?.model),
    choices: Array.isArray(body?.content) || typeof body?.content === "string" ? [choice] : [],
    usage: anthropicUsage(body?.usage),
  }) as Answer;
}

/** Extracts 3 from `[3]`. */
const indexOf = (at: string | undefined) => (at?.startsWith("[") ? Number(at.slice(1, -1)) : undefined);

const citationsOf = (citations: Json): Citation[] => listOf(citations).filter(isObject).map(citationOf);

export const citationOf = (citation: Json): Citation =>
  pickDefined({
    url: filledText(citation?.url),
    title: filledText(citation?.title) ?? filledText(citation?.document_title),
    quote: filledText(citation?.cited_text),
  }) as Citation;

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: "end",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "context",
  refusal: "filter",
  pause_turn: "pause",
};

/** An unknown value is an ordinary end. */
export function finishOf(word: Json): Finish {
  const known = textOf(word) ?? "";
  return Object.hasOwn(FINISHES, known) ? FINISHES[known]! : "end";
}

const WORDS: Readonly<Record<Finish, string>> = {
  end: "end_turn",
  stop: "stop_sequence",
  calls: "tool_use",
  length: "max_tokens",
  context: "model_context_window_exceeded",
  filter: "refusal",
  pause: "pause_turn",
  malformed: "end_turn",
};

/** A complete response to a client. */
export function writeAnswer({ choices, usage }: Answer, reply: Reply): Json {
  const choice = choices[0];
  return {
    id: reply.id,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: (choice?.parts ?? []).flatMap((part) => writePart(part, reply.prompt)),
    ...writeStop({ ...choice, refused: choice?.parts.some(({ type }) => type === "refusal") }, reply),
    usage: writeUsage(usage ?? {}),
  };
}

interface Stop {
  readonly finish?: Finish | undefined;
  readonly stopText?: string | undefined;
  /** OpenAI ends a refusal as any other text. */
  readonly refused?: boolean | undefined;
}

/** Not every provider says which stop text ended the response. `stop_sequence` without the stop text would be wrong. */
export function writeStop({ finish = "end", stopText, refused }: Stop, { prompt }: Reply): JsonObject {
  const { stop = [] } = prompt.settings;
  if (refused === true && finish === "end") return { stop_reason: WORDS.filter, stop_sequence: null };
  const text = stopText ?? (finish === "stop" && stop.length === 1 ? stop[0] : undefined);
  return { stop_reason: WORDS[finish === "stop" && text === undefined ? "end" : finish], stop_sequence: text ?? null };
}

function writePart(part: Part, { wants }: Prompt): JsonObject[] {
  if (part.type === "reasoning") return wants.reasoning === true ? [writeThinking(part, false)] : [];
  if (part.type === "call") {
    const thought = wants.reasoning === true && part.state !== undefined ? [thoughtOfCall(part.state)] : [];
    // This API has no free-text tools: the text is the member that such a tool has as a function.
    const call = part.custom === true ? { ...part, arguments: JSON.stringify({ input: part.arguments }) } : part;
    return [...thought, ...writeBlocks([call])];
  }
  if (part.type === "hosted") return part.shape === "messages" ? [part.item] : [];
  if (part.type !== "text" && part.type !== "refusal") return [];
  const citations =
    part.type === "text" && part.citations !== undefined ? part.citations.map(writeCitation) : undefined;
  return [pickDefined({ type: "text", text: part.text, citations })];
}

/** Calls have no place for state in this API: it precedes the call as empty reasoning. */
export const thoughtOfCall = (state: NonNullable<(Part & { type: "call" })["state"]>): JsonObject =>
  writeThinking({ type: "reasoning", text: "", state: { ...state, of: "call" } }, false);

export const writeCitation = ({ url, title, quote }: Citation): JsonObject => ({
  type: "web_search_result_location",
  url: url ?? "",
  title: title ?? "",
  cited_text: quote ?? "",
  encrypted_index: "",
});

/** Input without cache reads and writes, which are separate members. */
export function writeUsage(usage: Usage): JsonObject {
  const read = usage.prompt_cache_read_tokens ?? 0;
  const write = usage.prompt_cache_write_tokens ?? 0;
  const hour = usage.prompt_cache_write_1h_tokens;
  return pickDefined({
    input_tokens: Math.max(0, (usage.prompt_tokens ?? 0) - read - write),
    cache_creation_input_tokens: write,
    cache_read_input_tokens: read,
    cache_creation:
      hour === undefined
        ? undefined
        : { ephemeral_5m_input_tokens: Math.max(0, write - hour), ephemeral_1h_input_tokens: hour },
    output_tokens: usage.completion_tokens ?? 0,
    output_tokens_details:
      usage.reasoning_tokens === undefined ? undefined : { thinking_tokens: usage.reasoning_tokens },
  });
}

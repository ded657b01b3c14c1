import type { Json, Part, Piece, StreamEvent } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf } from "../../json.ts";
import { type PlacedText, placeIn } from "../../translate/citation-ranges.ts";
import { geminiUsage } from "../../usage.ts";
import { citationsOf, finishOf, idOfCall, isBlocked, logprobsOf, readPart } from "./answer.ts";
import { readError } from "./errors.ts";
import { begunCall, continueCall, goesOn } from "./partial-args.ts";

interface ReadingState {
  started?: true;
  responseId?: string;
  /** Number of the next part, across all candidates. */
  next?: number;
  candidates?: Map<number, CandidateState>;
}

interface CandidateState {
  /** The open text or reasoning. */
  open: { readonly kind: "text" | "reasoning"; readonly part: number } | undefined;
  calls: number;
  /** A function call of which later parts bring more arguments. */
  begun: JsonObject | undefined;
  /** The text so far, into which citations are offsets. */
  text: string;
  texts: PlacedText[];
  cited: number;
}

type Of = { readonly choice?: number };

/**
 * The pieces in one chunk, which has the form of a complete response with a part of the text. Parts other than text are
 * complete.
 */
export function readEvent(state: ReadingState, { data }: StreamEvent): readonly Piece[] {
  const chunk: Json = Array.isArray(data) ? data[0] : data;
  if (!isObject(chunk)) return [];
  if (isObject(chunk.error)) return [{ type: "error", error: readError(0, chunk) }];
  const pieces: Piece[] = [];
  begin(state, chunk, pieces);
  // Counts come before the finish, because the gateway may stop after it.
  const usage = geminiUsage(chunk.usageMetadata);
  if (usage !== undefined) pieces.push({ type: "usage", usage });
  for (const [at, candidate] of listOf(chunk.candidates).entries())
    if (isObject(candidate)) readCandidate(state, candidate, at, pieces);
  if (listOf(chunk.candidates).length === 0 && isBlocked(chunk)) pieces.push({ type: "finish", finish: "filter" });
  return pieces;
}

function begin(state: ReadingState, chunk: JsonObject, pieces: Piece[]): void {
  if (state.started) return;
  state.started = true;
  const id = filledText(chunk.responseId);
  const model = filledText(chunk.modelVersion);
  if (id !== undefined) state.responseId = id;
  pieces.push({ type: "start", ...(id && { id }), ...(model && { model }) });
}

function readCandidate(state: ReadingState, candidate: JsonObject, at: number, pieces: Piece[]): void {
  const index = typeof candidate.index === "number" ? candidate.index : at;
  const of: Of = index > 0 ? { choice: index } : {};
  state.candidates ??= new Map();
  const known = state.candidates.get(index) ?? {
    open: undefined,
    calls: 0,
    begun: undefined,
    text: "",
    texts: [],
    cited: 0,
  };
  state.candidates.set(index, known);
  const parts = wholeParts(known, candidate).flatMap((given) =>
    readPart(given, () => idOfCall(given, state.responseId, known.calls++)),
  );
  // The sources belong to the text, which the next part ends: a signature or a call in the same chunk.
  const texts = parts.findLastIndex(({ type }) => type === "text") + 1;
  for (const part of parts.slice(0, texts)) addPart(state, known, part, { of, pieces });
  cite(known, candidate, of, pieces);
  for (const part of parts.slice(texts)) addPart(state, known, part, { of, pieces });
  const logprobs = logprobsOf(candidate.logprobsResult);
  if (logprobs !== undefined) pieces.push({ type: "logprobs", logprobs, ...of });
  if (filledText(candidate.finishReason) !== undefined)
    pieces.push({ type: "finish", finish: finishOf(candidate.finishReason), ...of });
}

/** The parts of a chunk, but a call whose arguments are streamed only when they are complete or the response ends. */
function wholeParts(known: CandidateState, { content, finishReason }: JsonObject): readonly Json[] {
  const whole: Json[] = [];
  for (const part of listOf(content?.parts)) {
    const isCall = isObject(part?.functionCall);
    if (known.begun !== undefined && isCall) continueCall(known.begun, part);
    else if (isCall) known.begun = begunCall(part);
    else whole.push(part);
    if (known.begun === undefined || goesOn(known.begun)) continue;
    whole.push(known.begun);
    known.begun = undefined;
  }
  if (known.begun !== undefined && filledText(finishReason) !== undefined) {
    whole.push(known.begun);
    known.begun = undefined;
  }
  return whole;
}

interface Pieces {
  readonly of: Of;
  readonly pieces: Piece[];
}

function addPart(state: ReadingState, known: CandidateState, given: Part, { of, pieces }: Pieces): void {
  const fresh = () => {
    const part = state.next ?? 0;
    state.next = part + 1;
    return part;
  };
  if (given.type === "text" || given.type === "reasoning") {
    // A signature without text belongs to earlier content, so it is a separate part.
    const alone = given.type === "reasoning" && given.text === "";
    const part = !alone && known.open?.kind === given.type ? known.open.part : fresh();
    pieces.push({ type: given.type, part, text: given.text, ...of });
    known.open = alone ? undefined : { kind: given.type, part };
    if (given.type === "text") {
      if (known.texts.at(-1)?.at !== part) known.texts.push({ at: part, from: known.text.length });
      known.text += given.text;
    } else if (given.state !== undefined) {
      pieces.push({ type: "state", part, state: given.state, ...of });
      known.open = undefined;
    }
    return;
  }
  known.open = undefined;
  const part = fresh();
  if (given.type === "call") {
    pieces.push({ type: "call", part, call: { ...given, arguments: "" }, ...of });
    if (given.arguments !== "") pieces.push({ type: "arguments", part, text: given.arguments, ...of });
  } else if (given.type === "image") pieces.push({ type: "image", part, image: given, ...of });
  else if (given.type === "hosted") pieces.push({ type: "hosted", part, hosted: given, ...of });
  pieces.push({ type: "close", part, ...of });
}

/** Sources arrive with the last chunk, or grow from chunk to chunk. */
function cite(known: CandidateState, candidate: JsonObject, of: Of, pieces: Piece[]): void {
  if (known.texts.length === 0) return;
  const citations = citationsOf(candidate, known.text);
  for (const citation of citations.slice(known.cited)) {
    const { at: part, placed } = placeIn(known.texts, citation)!;
    pieces.push({ type: "citation", part, citation: placed, ...of });
  }
  known.cited = Math.max(known.cited, citations.length);
}

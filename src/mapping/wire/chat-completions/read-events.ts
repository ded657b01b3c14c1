import type { Citation, Json, Piece, State, StreamEvent } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, textOf } from "../../json.ts";
import { type PlacedText, placeIn } from "../../translate/citation-ranges.ts";
import { sourceOf } from "../../translate/source.ts";
import { readError } from "../openai-errors.ts";
import { readOpenAi } from "../openai-reading.ts";
import { citationsOf, errorOfChoice, finishOf, sourcesOf, thoughtText } from "./answer.ts";
import { isAnotherCall } from "./fold.ts";
import { argumentsText } from "./read-messages.ts";
import { readReasoning, signatureOf } from "./reasoning.ts";

/** The state of a choice. Adjacent text or reasoning is one part. */
interface OpenChoice {
  readonly choice?: number;
  said?: { readonly kind: "text" | "reasoning" | "refusal"; readonly part: number };
  readonly calls: Map<Json, OpenCall>;
  /** It has sources. */
  cited?: true;
  /** Length of the text so far, into which ranges are offsets, and its parts. */
  textLength: number;
  readonly texts: PlacedText[];
}

interface OpenCall {
  readonly id: string | undefined;
  readonly part: number;
  /** Its arguments before its name has arrived. */
  unnamed?: { readonly piece: JsonObject; text: string } | undefined;
}

/** The state of a stream. */
interface ReadingState {
  started?: true;
  parts?: number;
  choices?: Map<number, OpenChoice>;
}

/** The pieces in one chunk. */
export function readEvent(state: ReadingState, { name, data }: StreamEvent): readonly Piece[] {
  if (data === "[DONE]") return [{ type: "end" }];
  if (!isObject(data)) return [];
  const isError = name === "error" || data.object === "error";
  if (isError || isObject(data.error) || filledText(data.error) !== undefined)
    return [{ type: "error", error: readError(0, data) }];
  const pieces: Piece[] = [];
  const { id, model, usage } = readOpenAi(data);
  if (state.started === undefined && (id !== undefined || model !== undefined || Array.isArray(data.choices))) {
    state.started = true;
    pieces.push({ type: "start", ...(id === undefined ? {} : { id }), ...(model === undefined ? {} : { model }) });
  }
  for (const choice of listOf(data.choices)) if (isObject(choice)) readChoice(state, choice, { chunk: data, pieces });
  if (usage !== undefined) pieces.push({ type: "usage", usage });
  return pieces;
}

interface ReadChunk {
  readonly chunk: JsonObject;
  readonly pieces: Piece[];
}

function readChoice(state: ReadingState, choice: JsonObject, { chunk, pieces }: ReadChunk): void {
  state.choices ??= new Map();
  const index = typeof choice.index === "number" ? choice.index : 0;
  let open = state.choices.get(index);
  const isFirst = open === undefined;
  if (open === undefined) {
    open = { ...(index !== 0 && { choice: index }), calls: new Map(), textLength: 0, texts: [] };
    state.choices.set(index, open);
  }
  const reader = new DeltaReader(state, open, pieces);
  if (isObject(choice.delta)) reader.delta(choice.delta);
  // A server that cannot stream sends its complete response as one event.
  else if (isFirst && isObject(choice.message)) reader.delta(choice.message);
  else if (typeof choice.text === "string") reader.say("text", choice.text);
  if (isObject(choice.logprobs)) pieces.push({ type: "logprobs", logprobs: choice.logprobs, ...reader.of });
  const failed = errorOfChoice(choice);
  if (failed !== undefined) pieces.push({ type: "error", error: readError(0, { error: failed }) });
  else if (typeof choice.finish_reason === "string") {
    reader.callsWithoutName();
    reader.sources(chunk);
    pieces.push({ type: "finish", finish: finishOf(choice.finish_reason), ...reader.of });
  }
}

/** Reads one delta of one choice. */
class DeltaReader {
  readonly of: { readonly choice?: number };
  readonly #state: ReadingState;
  readonly #open: OpenChoice;
  readonly #pieces: Piece[];

  constructor(state: ReadingState, open: OpenChoice, pieces: Piece[]) {
    this.#state = state;
    this.#open = open;
    this.#pieces = pieces;
    this.of = open.choice === undefined ? {} : { choice: open.choice };
  }

  delta(delta: JsonObject): void {
    this.#reasoning(delta);
    this.#content(delta.content);
    this.say("refusal", textOf(delta.refusal) ?? "");
    this.#cite(citationsOf(delta.annotations));
    for (const image of listOf(delta.images)) {
      const url = textOf(image?.image_url?.url);
      if (url !== undefined)
        this.#pieces.push({
          type: "image",
          part: this.#newPart(),
          image: { type: "image", source: sourceOf(url) },
          ...this.of,
        });
    }
    for (const call of listOf(delta.tool_calls)) if (isObject(call)) this.#call(call);
    if (isObject(delta.function_call)) this.#call({ index: "function_call", function: delta.function_call });
    if (typeof delta.audio?.transcript === "string") this.say("text", delta.audio.transcript);
  }

  #cite(citations: readonly Citation[]): void {
    if (citations.length > 0) this.#open.cited = true;
    for (const citation of citations) {
      if (this.#open.texts.length === 0) this.#partFor("text");
      const { at: part, placed } = placeIn(this.#open.texts, citation)!;
      this.#pieces.push({ type: "citation", part, citation: placed, ...this.of });
    }
  }

  /** Sources beside the choices are in every chunk; those of the last one count. */
  sources(chunk: JsonObject): void {
    if (this.#open.texts.length > 0 && this.#open.cited !== true) this.#cite(sourcesOf(chunk));
  }

  /** Details repeat the plain members and add the state. */
  #reasoning(delta: JsonObject): void {
    if (listOf(delta.reasoning_details).length === 0 && listOf(delta.thinking_blocks).length === 0) {
      this.say("reasoning", textOf(delta.reasoning_content) ?? textOf(delta.reasoning) ?? textOf(delta.thinking) ?? "");
      return;
    }
    for (const { text, state } of readReasoning(delta, "")) {
      this.say("reasoning", text);
      if (state !== undefined) this.#sign(state);
    }
  }

  #sign(state: State): void {
    this.#pieces.push({ type: "state", part: this.#partFor("reasoning"), state, ...this.of });
    delete this.#open.said; // after a signature, a new reasoning part begins
  }

  #content(content: Json): void {
    if (typeof content === "string") this.say("text", content);
    for (const part of isObject(content) ? [content] : listOf(content)) {
      if (part?.type === "thinking") this.say("reasoning", thoughtText(part.thinking));
      else this.say("text", textOf(part?.text) ?? "");
    }
  }

  say(kind: "text" | "reasoning" | "refusal", text: string): void {
    if (text === "") return;
    this.#pieces.push({ type: kind, part: this.#partFor(kind), text, ...this.of });
    if (kind === "text") this.#open.textLength += text.length;
  }

  #partFor(kind: "text" | "reasoning" | "refusal"): number {
    if (this.#open.said?.kind === kind) return this.#open.said.part;
    const part = this.#newPart();
    this.#open.said = { kind, part };
    if (kind === "text") this.#open.texts.push({ at: part, from: this.#open.textLength });
    return part;
  }

  #newPart(): number {
    delete this.#open.said;
    const part = this.#state.parts ?? 0;
    this.#state.parts = part + 1;
    return part;
  }

  /** The name of a call is in its first or a later piece; some providers send complete calls, all under one index. */
  #call(piece: JsonObject): void {
    const inner = innerOf(piece);
    const id = filledText(piece.id);
    const name = filledText(inner.name);
    let open = this.#open.calls.get(piece.index);
    if (open === undefined || (name !== undefined && isAnotherCall(open.id, id, piece.index))) {
      open = { id, part: this.#newPart(), unnamed: { piece, text: "" } };
      this.#open.calls.set(piece.index, open);
    }
    const text = argumentsText(inner.arguments ?? inner.input);
    if (open.unnamed !== undefined && name === undefined) open.unnamed.text += text;
    else {
      if (open.unnamed !== undefined) this.#begin(open, open.unnamed, name!);
      this.#grow(open, text);
    }
  }

  #begin(open: OpenCall, { piece, text }: NonNullable<OpenCall["unnamed"]>, name: string): void {
    open.unnamed = undefined;
    const custom = isObject(piece.custom) ? ({ custom: true } as const) : {};
    const state = signatureOf(piece);
    this.#pieces.push({
      type: "call",
      part: open.part,
      call: {
        type: "call",
        id: open.id ?? "",
        name,
        arguments: "",
        ...custom,
        ...(state === undefined ? {} : { state }),
      },
      ...this.of,
    });
    this.#grow(open, text);
  }

  #grow({ part }: OpenCall, text: string): void {
    if (text !== "") this.#pieces.push({ type: "arguments", part, text, ...this.of });
  }

  /** The response has ended: no more names will arrive. */
  callsWithoutName(): void {
    for (const open of this.#open.calls.values()) if (open.unnamed !== undefined) this.#begin(open, open.unnamed, "");
  }
}

const innerOf = (piece: JsonObject): JsonObject => [piece.function, piece.custom].find(isObject) ?? {};

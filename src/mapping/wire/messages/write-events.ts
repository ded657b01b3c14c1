import type { Finish, Piece, Reply, SentEvent, State, Usage } from "../../../plugin-host/contract.ts";
import { type JsonObject, textOf } from "../../json.ts";
import { thoughtOfCall, writeCitation, writeStop, writeUsage } from "./answer.ts";
import { writeThinking } from "./blocks.ts";
import { writeError } from "./errors.ts";

interface WritingState {
  started?: true;
  /** Index of the next block. */
  index?: number;
  open?: {
    readonly kind: "text" | "thinking" | "tool_use";
    readonly part: number;
    signature?: string;
    /** The input is text, written as the only member of an object. */
    isText?: boolean;
  };
  /** Text parts whose block has ended. */
  texts?: Set<number>;
  finish?: Finish;
  stopText?: string;
  refused?: true;
  usage?: Usage;
}

const event = (data: JsonObject): SentEvent => ({ event: textOf(data.type)!, data });

/** The events for one piece. Parts are sequential, so at most one block is open. */
export function writeEvents(state: WritingState, piece: Piece, reply: Reply): readonly SentEvent[] {
  switch (piece.type) {
    case "start":
      if (piece.usage !== undefined) state.usage = piece.usage;
      return start(state, reply);
    case "usage":
      state.usage = { ...state.usage, ...piece.usage };
      return [];
    case "finish":
      if (piece.choice !== undefined) return [];
      state.finish = piece.finish;
      if (piece.stopText !== undefined) state.stopText = piece.stopText;
      return start(state, reply);
    case "end":
      return [...start(state, reply), ...stopBlock(state), ...end(state, reply)];
    case "error":
      return [event(writeError(piece.error))];
    case "logprobs":
      return [];
    default:
      return piece.choice === undefined ? [...start(state, reply), ...block(state, piece, reply)] : [];
  }
}

function start(state: WritingState, { id, model }: Reply): readonly SentEvent[] {
  if (state.started) return [];
  state.started = true;
  const usage = { ...writeUsage(state.usage ?? {}), output_tokens: state.usage?.completion_tokens ?? 0 };
  const message = {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [event({ type: "message_start", message }), event({ type: "ping" })];
}

function end(state: WritingState, reply: Reply): readonly SentEvent[] {
  const delta = writeStop(state, reply);
  return [
    event({ type: "message_delta", delta, usage: writeUsage(state.usage ?? {}) }),
    event({ type: "message_stop" }),
  ];
}

type PartPiece = Extract<Piece, { readonly part: number }>;

function block(state: WritingState, piece: PartPiece, { prompt }: Reply): readonly SentEvent[] {
  const shown = prompt.wants.reasoning === true;
  switch (piece.type) {
    case "refusal":
      state.refused = true;
      return [...opened(state, piece, "text"), delta(state, { type: "text_delta", text: piece.text })];
    case "text":
      return [...opened(state, piece, "text"), delta(state, { type: "text_delta", text: piece.text })];
    case "citation": {
      // A source of an ended text goes to the open one: an ended block takes no more, and clients must not send back an empty one.
      const isLate = state.texts?.has(piece.part) === true;
      if (isLate && state.open?.kind !== "text") return [];
      const begun = isLate ? [] : opened(state, piece, "text");
      return [...begun, delta(state, { type: "citations_delta", citation: writeCitation(piece.citation) })];
    }
    case "reasoning":
      if (!shown) return [];
      return piece.text === ""
        ? opened(state, piece, "thinking")
        : [...opened(state, piece, "thinking"), delta(state, { type: "thinking_delta", thinking: piece.text })];
    case "state":
      return shown ? stateEvents(state, piece, piece.state) : [];
    case "call": {
      const { id, name, custom, state: own } = piece.call;
      const thought = shown && own !== undefined ? whole(state, thoughtOfCall(own)) : [];
      const begun = [...stopBlock(state), ...thought, ...opened(state, piece, "tool_use", { id, name, input: {} })];
      if (custom !== true) return begun;
      state.open!.isText = true;
      return [...begun, inputDelta(state, '{"input":"')];
    }
    case "arguments":
      if (state.open?.kind !== "tool_use") return [];
      return [inputDelta(state, state.open.isText === true ? JSON.stringify(piece.text).slice(1, -1) : piece.text)];
    case "hosted":
      return piece.hosted.shape === "messages" ? [...stopBlock(state), ...whole(state, piece.hosted.item)] : [];
    case "image":
      return [];
    case "close":
      return state.open?.part === piece.part ? stopBlock(state) : [];
  }
}

const EMPTY = { text: { text: "" }, thinking: { thinking: "", signature: "" }, tool_use: {} };

/** Opens the block of a part if it is not open. */
function opened(
  state: WritingState,
  { part }: PartPiece,
  kind: "text" | "thinking" | "tool_use",
  members: JsonObject = {},
) {
  if (state.open?.part === part && state.open.kind === kind) return [];
  const before = stopBlock(state);
  state.open = { kind, part };
  const index = state.index ?? 0;
  return [
    ...before,
    event({ type: "content_block_start", index, content_block: { type: kind, ...EMPTY[kind], ...members } }),
  ];
}

const delta = (state: WritingState, members: JsonObject): SentEvent =>
  event({ type: "content_block_delta", index: state.index ?? 0, delta: members });

const inputDelta = (state: WritingState, partial_json: string): SentEvent =>
  delta(state, { type: "input_json_delta", partial_json });

/** Closes the open block; reasoning first gets its signature, even if empty. */
function stopBlock(state: WritingState): readonly SentEvent[] {
  const { open, index = 0 } = state;
  if (open === undefined) return [];
  const signed =
    open.kind === "thinking" ? [delta(state, { type: "signature_delta", signature: open.signature ?? "" })] : [];
  const ended = open.isText === true ? [inputDelta(state, '"}')] : signed;
  state.index = index + 1;
  if (open.kind === "text") {
    state.texts ??= new Set();
    state.texts.add(open.part);
  }
  delete state.open;
  return [...ended, event({ type: "content_block_stop", index })];
}

/** A block that arrives in one piece. */
function whole(state: WritingState, content_block: JsonObject): readonly SentEvent[] {
  const index = state.index ?? 0;
  state.index = index + 1;
  const { signature } = content_block;
  const started = signature === undefined ? content_block : { ...content_block, signature: "" };
  const signed =
    signature === undefined
      ? []
      : [event({ type: "content_block_delta", index, delta: { type: "signature_delta", signature } })];
  return [
    event({ type: "content_block_start", index, content_block: started }),
    ...signed,
    event({ type: "content_block_stop", index }),
  ];
}

function stateEvents(state: WritingState, piece: PartPiece, own: State): readonly SentEvent[] {
  if (state.open?.kind === "tool_use") return [];
  const written = writeThinking({ type: "reasoning", text: "", state: own }, false);
  if (own.kind === "redacted") return [...stopBlock(state), ...whole(state, written)];
  const begun = opened(state, piece, "thinking");
  state.open!.signature = written.signature;
  return begun;
}

/** Clients of this API know this event. */
export const keepAlive = (): SentEvent => event({ type: "ping" });

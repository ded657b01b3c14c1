import type {
  Answer,
  ApiError,
  CallPart,
  Finish,
  Json,
  Part,
  Piece,
  StreamEvent,
} from "../../../plugin-host/contract.ts";
import { errorOf } from "../../errors-and-costs.ts";
import { filledText, isObject, jsonText, listOf, pickDefined, textOf } from "../../json.ts";
import { callId } from "../../translate/ids.ts";
import { ollamaUsage } from "../../usage.ts";

/** A complete response of Ollama's chat. */
export function readAnswer(body: Json): Answer {
  const message = body?.message;
  const parts: Part[] = [];
  const thinking = filledText(message?.thinking);
  const text = filledText(message?.content);
  if (thinking !== undefined) parts.push({ type: "reasoning", text: thinking });
  if (text !== undefined) parts.push({ type: "text", text });
  for (const [index, call] of listOf(message?.tool_calls).filter(isObject).entries())
    parts.push(readCall(call, `${seedOf(body)} ${index}`));
  return pickDefined({
    model: filledText(body?.model),
    choices: isObject(message) ? [{ parts, finish: finishOf(body?.done_reason) }] : [],
    usage: ollamaUsage(body),
  }) as Answer;
}

/** Identifies a response, so that a call without an id gets a generated one. */
const seedOf = (body: Json) => textOf(body?.created_at) ?? "";

function readCall(call: Json, seed: string): CallPart {
  const name = textOf(call.function?.name) ?? "";
  const args = call.function?.arguments;
  const text = typeof args === "string" ? args : args === undefined || args === null ? "" : jsonText(args);
  return { type: "call", id: filledText(call.id) ?? callId(`${seed} ${name} ${text}`), name, arguments: text };
}

const FINISHES: Readonly<Record<string, Finish>> = { stop: "end", length: "length" };

/** An unknown value is an ordinary end. */
function finishOf(word: Json): Finish {
  const known = textOf(word) ?? "";
  return Object.hasOwn(FINISHES, known) ? FINISHES[known]! : "end";
}

interface ReadingState {
  started?: true;
  calls?: number;
  /** Number of the next part. */
  next?: number;
  /** The text or reasoning that the next line may continue. */
  open?: { readonly type: "text" | "reasoning"; readonly part: number } | undefined;
}

function newPart(state: ReadingState): number {
  const part = state.next ?? 0;
  state.next = part + 1;
  state.open = undefined;
  return part;
}

/** Text after reasoning or after a call is another part. */
function said(state: ReadingState, type: "text" | "reasoning", text: string): Piece {
  const part = state.open?.type === type ? state.open.part : newPart(state);
  state.open = { type, part };
  return { type, part, text };
}

/** The pieces in one line. Calls are complete; the last line has the counts. */
export function readEvent(state: ReadingState, { data }: StreamEvent): readonly Piece[] {
  if (!isObject(data)) return [];
  if (data.error !== undefined && data.error !== null) return [{ type: "error", error: readError(0, data) }];
  const pieces: Piece[] = [];
  if (!state.started) {
    state.started = true;
    const model = filledText(data.model);
    pieces.push({ type: "start", ...(model && { model }) });
  }
  const thinking = filledText(data.message?.thinking);
  const text = filledText(data.message?.content);
  if (thinking !== undefined) pieces.push(said(state, "reasoning", thinking));
  if (text !== undefined) pieces.push(said(state, "text", text));
  for (const given of listOf(data.message?.tool_calls).filter(isObject)) {
    const index = state.calls ?? 0;
    state.calls = index + 1;
    const part = newPart(state);
    const call = readCall(given, `${seedOf(data)} ${index}`);
    pieces.push({ type: "call", part, call: { ...call, arguments: "" } });
    if (call.arguments !== "") pieces.push({ type: "arguments", part, text: call.arguments });
    pieces.push({ type: "close", part });
  }
  if (data.done !== true) return pieces;
  const usage = ollamaUsage(data);
  if (usage !== undefined) pieces.push({ type: "usage", usage });
  pieces.push({ type: "finish", finish: finishOf(data.done_reason) }, { type: "end" });
  return pieces;
}

/** An Ollama error: a text. `status` 0: it came inside a stream. */
export const readError = (status: number, body: Json): ApiError => ({
  status: status === 0 ? 502 : status,
  message: errorOf(body, status === 0 ? 500 : status)?.message ?? "the provider reported an error without a message",
});

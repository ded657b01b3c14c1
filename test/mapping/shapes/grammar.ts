import type { Json, SentEvent } from "../../../src/plugin/contract.ts";

/**
 * What each API promises of its streams, read out loud: a state machine that takes events and says what is wrong with the
 * first that does not fit. It shares no code with the writers.
 */
export type Grammar = (events: readonly SentEvent[]) => string | undefined;

function first(problems: Iterable<string>): string | undefined {
  for (const problem of problems) return problem;
  return undefined;
}

export const chatGrammar: Grammar = (events) => first(chatProblems(events));

function* chatProblems(events: readonly SentEvent[]): Generator<string> {
  const [head] = events;
  const seen = new Map<number, { finished: boolean; calls: number; usage: boolean }>();
  let usage = false;
  for (const [at, { data, event }] of events.entries()) {
    if (event !== undefined) yield `${at}: chat has no event names`;
    if (data === "[DONE]") {
      if (at !== events.length - 1) yield `${at}: [DONE] is not last`;
      for (const [index, { finished }] of seen) if (!finished) yield `choice ${index} has no finish_reason`;
      return;
    }
    for (const name of ["id", "created", "model", "object"])
      if (data[name] !== head!.data[name]) yield `${at}: ${name} changes`;
    if (usage) yield `${at}: a chunk follows the usage`;
    if (data.choices.length === 0) usage = true;
    for (const { index, delta, finish_reason } of data.choices) {
      const choice = seen.get(index);
      if (choice === undefined) {
        if (delta.role !== "assistant" || delta.content !== "")
          yield `${at}: the first delta has no role and empty content`;
        seen.set(index, { finished: false, calls: 0, usage: false });
        continue;
      }
      if (choice.finished) yield `${at}: a delta follows finish_reason`;
      if (delta.role !== undefined) yield `${at}: the role is repeated`;
      for (const call of delta.tool_calls ?? []) {
        const begins = call.id !== undefined;
        if (begins && call.index !== choice.calls++) yield `${at}: call index ${call.index} out of order`;
        if (!begins && call.index !== choice.calls - 1)
          yield `${at}: arguments for call ${call.index}, which is not open`;
        if (begins !== (call.type !== undefined && call.function?.name !== undefined))
          yield `${at}: id, type and name not together`;
      }
      if (finish_reason !== null) choice.finished = true;
    }
  }
  yield "no [DONE]";
}

export const messagesGrammar: Grammar = (events) => first(messagesProblems(events));

const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  redacted_thinking: [],
};

function* messagesProblems(events: readonly SentEvent[]): Generator<string> {
  let next = 0;
  let open: { index: number; type: string; signed: boolean } | undefined;
  const types = events.map(({ data }) => data.type);
  if (types[0] !== "message_start" || types[1] !== "ping") yield "begins without message_start and ping";
  if (types.at(-1) !== "message_stop" || types.at(-2) !== "message_delta")
    yield "ends without message_delta and message_stop";
  for (const [at, { data, event }] of events.entries()) {
    if (event !== data.type) yield `${at}: event ${event} is of type ${data.type}`;
    if (data.type === "content_block_start") {
      if (open !== undefined) yield `${at}: a block begins in a block`;
      if (data.index !== next++) yield `${at}: index ${data.index}`;
      open = { index: data.index, type: data.content_block.type, signed: false };
    } else if (data.type === "content_block_delta") {
      if (open?.index !== data.index) yield `${at}: a delta of no open block`;
      if (!DELTAS[open!.type]!.includes(data.delta.type)) yield `${at}: ${data.delta.type} in a block of ${open!.type}`;
      if (open!.signed) yield `${at}: a delta follows the signature`;
      open!.signed = data.delta.type === "signature_delta";
    } else if (data.type === "content_block_stop") {
      if (open?.index !== data.index) yield `${at}: stop of no open block`;
      if (open!.type === "thinking" && !open!.signed) yield `${at}: a thought without signature_delta`;
      open = undefined;
    } else if (data.type === "message_delta") {
      if (open !== undefined) yield `${at}: a block is open at the end`;
      if (typeof data.delta.stop_reason !== "string") yield `${at}: no stop_reason`;
      for (const name of ["input_tokens", "output_tokens"])
        if (typeof data.usage[name] !== "number") yield `${at}: no ${name}`;
    }
  }
}

/** Events as a client's parser hands them out. */
export const parsed = (events: readonly SentEvent[]): { name?: string; data: Json }[] =>
  events
    .filter(({ comment }) => comment === undefined)
    .map(({ event, data }) => ({
      ...(event === undefined ? {} : { name: event }),
      data: typeof data === "string" ? data : JSON.parse(JSON.stringify(data)),
    }));

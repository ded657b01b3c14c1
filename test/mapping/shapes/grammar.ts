import type { Json, SentEvent } from "../../../src/plugin-host/contract.ts";

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
        if (begins !== (call.type !== undefined && (call.function ?? call.custom)?.name !== undefined))
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

export const responsesGrammar: Grammar = (events) => first(responsesProblems(events));

/** What comes between the beginning and the end of an item, in order; nothing in one that is not listed. */
const ITEM_EVENTS: Readonly<Record<string, RegExp>> = {
  message:
    /^(?:content_part\.added (?:(?:output_text\.delta |output_text\.annotation\.added )*output_text\.done|(?:refusal\.delta )*refusal\.done) content_part\.done )*$/,
  reasoning:
    /^(?:reasoning_summary_part\.added (?:reasoning_summary_text\.delta )+reasoning_summary_text\.done reasoning_summary_part\.done )?$/,
  function_call: /^(?:function_call_arguments\.delta )*function_call_arguments\.done $/,
  custom_tool_call: /^(?:custom_tool_call_input\.delta )*custom_tool_call_input\.done $/,
};

function* responsesProblems(events: readonly SentEvent[]): Generator<string> {
  const output: Json[] = [];
  let open: { item: Json; inside: string; index: number } | undefined;
  const types = events.map(({ data }) => data.type.replace(/^response\./, ""));
  if (types[0] !== "created" || types[1] !== "in_progress") yield "begins without created and in_progress";
  const last = events.at(-1)!.data;
  if (!/^(completed|incomplete|failed)$/.test(types.at(-1)!)) yield "ends without completed, incomplete or failed";
  for (const [at, { data, event }] of events.entries()) {
    const type = types[at]!;
    if (event !== data.type) yield `${at}: event ${event} is of type ${data.type}`;
    if (data.sequence_number !== at) yield `${at}: sequence_number ${data.sequence_number}`;
    if (type === "output_item.added") {
      if (open !== undefined) yield `${at}: an item begins in an item`;
      if (data.output_index !== output.length) yield `${at}: output_index ${data.output_index}`;
      if (typeof data.item.id !== "string") yield `${at}: an item without id`;
      open = { item: data.item, inside: "", index: data.output_index };
    } else if (type === "output_item.done") {
      if (open?.item.id !== data.item.id) yield `${at}: done of another item`;
      if (!(ITEM_EVENTS[data.item.type] ?? /^$/).test(open!.inside))
        yield `${at}: a ${data.item.type} with ${open!.inside}`;
      output.push(data.item);
      open = undefined;
    } else if (data.output_index !== undefined) {
      if (open === undefined || data.output_index !== open.index || data.item_id !== open.item.id)
        yield `${at}: ${type} of no open item`;
      const needsContent = /^(content_part|output_text|refusal)/.test(type);
      if (needsContent && typeof data.content_index !== "number") yield `${at}: no content_index`;
      if (type.startsWith("reasoning_summary") && data.summary_index !== 0) yield `${at}: no summary_index`;
      open!.inside += `${type} `;
    }
  }
  if (open !== undefined) yield "an item is open at the end";
  if (last.type !== "response.failed" && JSON.stringify(last.response.output) !== JSON.stringify(output))
    yield "the last event lacks the output";
  if (last.type !== "response.failed" && typeof last.response.usage.total_tokens !== "number") yield "no usage";
}

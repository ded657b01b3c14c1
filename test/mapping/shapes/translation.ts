import {
  readWhole,
  StreamTranslation,
  translateRequest,
  writeWhole,
} from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json, ModelFacts, Prompt, SentEvent, StreamEvent } from "../../../src/plugin-host/contract.ts";
import { parsed } from "./grammar.ts";

/** A body from one shape to another, as the gateway would do it. */
interface Way {
  readonly from: string;
  readonly to: string;
  readonly facts?: ModelFacts;
  readonly issuer?: string;
  /** Of the client's answer. */
  readonly answerId?: string;
}

interface Sent {
  readonly body: Json;
  /** `dropped seed`, in order. */
  readonly losses: readonly string[];
  readonly prompt: Prompt;
  /** The provider's whole answer as the client gets it. */
  readonly answer: (body: Json) => Json;
  /** Data of the client's events for the provider's; the stream is closed after the last. */
  readonly stream: (events: readonly Json[], options?: { open?: true }) => Json[];
  /** The same for one event with a name, and no end. */
  readonly named: (event: StreamEvent) => Json[];
}

const wire = (value: Json): Json => JSON.parse(JSON.stringify(value));

/** What a provider of shape `to` is sent for a client's body in shape `from`, and the way back. */
export function send(body: Json, { from, to, facts = {}, issuer = "acme", answerId = "reply-1" }: Way): Sent {
  const client = SHAPES[from]!;
  const provider = SHAPES[to]!;
  const prompt = client.readRequest!(body);
  const request = translateRequest(prompt, provider, { model: "m", facts, issuer });
  const reply = { id: answerId, model: "m", created: 1_700_000_000, prompt };
  const options = { from: provider, to: client, names: request.names, issuer, reply };
  return {
    body: wire(request.body),
    losses: request.losses.map(({ kind, path }) => `${kind} ${path}`),
    prompt,
    answer: (body) => wire(writeWhole(readWhole(wire(body), options).answer, options)),
    stream: (events, { open } = {}) => {
      const stream = new StreamTranslation(options);
      const sent: SentEvent[] = events.flatMap((data) => stream.event({ data }));
      if (open === undefined) sent.push(...stream.close());
      return parsed(sent).map(({ data }) => data);
    },
    named: (event) => parsed(new StreamTranslation(options).event(event)).map(({ data }) => data),
  };
}

export const chatChunk = (delta: Json, finish_reason: string | null = null): Json => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});

export const chatCall = (index: number, members: Json): Json => chatChunk({ tool_calls: [{ index, ...members }] });

export const weather = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};

export const user = (content: Json): Json => ({ role: "user", content });

/** A chat conversation with `count` calls and their results, in the given order. */
export const called = (ids: readonly string[], body = ids): Json[] => [
  user("Weather?"),
  {
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: "function",
      function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
    })),
  },
  ...body.map((id) => ({ role: "tool", tool_call_id: id, content: `result of ${id}` })),
];

export const chatToMessages = { from: "chat-completions", to: "messages" };
export const messagesToChat = { from: "messages", to: "chat-completions" };
export const responsesToChat = { from: "responses", to: "chat-completions" };
export const messagesToResponses = { from: "messages", to: "responses" };

export const ask = (members: Json = {}): Json => ({ model: "m", messages: [user("Hi")], ...members });
export const askClaude = (members: Json = {}): Json => ({
  model: "m",
  max_tokens: 100,
  messages: [user("Hi")],
  ...members,
});

export const messageStart = {
  type: "message_start",
  message: { id: "msg_1", model: "m", usage: { input_tokens: 5, output_tokens: 1 } },
};
export const block = (index: number, content_block: Json, ...deltas: Json[]): Json[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
export const toolUse = (index: number, id: string, ...pieces: string[]): Json[] =>
  block(
    index,
    { type: "tool_use", id, name: "get_weather", input: {} },
    ...pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );
export const stopped = (stop_reason: string, usage: Json = { output_tokens: 9 }): Json[] => [
  { type: "message_delta", delta: { stop_reason }, usage },
  { type: "message_stop" },
];

export const deltasOf = (chunks: readonly Json[]) => chunks.flatMap((chunk) => chunk.choices?.[0]?.delta ?? []);
export const callsOf = (chunks: readonly Json[]): Json[] => deltasOf(chunks).flatMap((delta) => delta.tool_calls ?? []);

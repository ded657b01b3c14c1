import type { Json } from "../../../src/plugin-host/contract.ts";
import type { ScriptedResponse } from "./response.ts";

/** What the model of these tests says, and what it is made of when streamed. */
export const WORDS = ["The weir ", "holds 7 m³/s", " — even “at night” ", "🌊."];
export const SENTENCE = WORDS.join("");
export const TOOL_ARGUMENTS = { city: "Ålesund", days: 3 };
const ARGUMENT_PIECES = ['{"city":', '"Ålesund"', ',"days":3}'];

export const CHAT_USAGE = {
  prompt_tokens: 31,
  completion_tokens: 17,
  total_tokens: 48,
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 0 },
};
export const RESPONSES_USAGE = {
  input_tokens: 44,
  input_tokens_details: { cached_tokens: 12 },
  output_tokens: 23,
  output_tokens_details: { reasoning_tokens: 7 },
  total_tokens: 67,
};

/** The dated name in a provider's response, whatever alias was requested. */
export const datedName = (model: string) => `${model}-2026-03-01`;

const CREATED = 1_790_000_000;

/** `/v1/chat/completions`: plain or streamed; with tools it calls the first of them. */
export function chatCompletions(body: Json): ScriptedResponse {
  const model = datedName(body.model);
  const tool = body.tools?.[0]?.function?.name;
  if (body.stream === true) return { events: chatEvents(model, tool, body.stream_options?.include_usage === true) };
  const message = tool
    ? {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: tool, arguments: JSON.stringify(TOOL_ARGUMENTS) } },
        ],
      }
    : { role: "assistant", content: SENTENCE, refusal: null };
  return {
    json: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: CREATED,
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: tool ? "tool_calls" : "stop" }],
      usage: CHAT_USAGE,
      system_fingerprint: "fp_1",
    },
  };
}

function chatEvents(model: string, tool: string | undefined, withUsage: boolean): string[] {
  const chunk = (choices: Json, usage: Json = null) =>
    `data: ${JSON.stringify({ id: "chatcmpl-2", object: "chat.completion.chunk", created: CREATED, model, choices, ...(withUsage ? { usage } : {}) })}\n\n`;
  const delta = (content: Json, finish: string | null = null) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: finish }]);
  const call = (fields: Json) => delta({ tool_calls: [{ index: 0, ...fields }] });
  const middle = tool
    ? [
        call({ id: "call_1", type: "function", function: { name: tool, arguments: "" } }),
        ...ARGUMENT_PIECES.map((piece) => call({ function: { arguments: piece } })),
      ]
    : WORDS.map((content) => delta({ content }));
  return [
    delta({ role: "assistant", content: tool ? null : "" }),
    ...middle,
    delta({}, tool ? "tool_calls" : "stop"),
    ...(withUsage ? [chunk([], CHAT_USAGE)] : []),
    "data: [DONE]\n\n",
  ];
}

/** `/v1/responses`: plain or streamed; with tools it calls the first of them. */
export function responses(body: Json): ScriptedResponse {
  const tool = body.tools?.[0]?.name;
  const item = tool
    ? {
        id: "fc_1",
        type: "function_call",
        status: "completed",
        call_id: "call_1",
        name: tool,
        arguments: JSON.stringify(TOOL_ARGUMENTS),
      }
    : {
        id: "msg_1",
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: SENTENCE, annotations: [] }],
      };
  const response = {
    id: "resp_1",
    object: "response",
    created_at: CREATED,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    model: datedName(body.model),
    output: [item],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: body.tools ?? [],
    text: { format: { type: "text" } },
    usage: RESPONSES_USAGE,
    metadata: {},
  };
  return body.stream === true ? { events: responseEvents(response, item, tool !== undefined) } : { json: response };
}

function responseEvents(response: Json, item: Json, isCall: boolean): string[] {
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const place = { item_id: item.id, output_index: 0 };
  const middle: [string, Json][] = isCall
    ? [
        ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", arguments: "" } }],
        ...ARGUMENT_PIECES.map((delta): [string, Json] => [
          "response.function_call_arguments.delta",
          { ...place, delta },
        ]),
        ["response.function_call_arguments.done", { ...place, arguments: item.arguments }],
      ]
    : [
        ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } }],
        [
          "response.content_part.added",
          { ...place, content_index: 0, part: { type: "output_text", text: "", annotations: [] } },
        ],
        ...WORDS.map((delta): [string, Json] => ["response.output_text.delta", { ...place, content_index: 0, delta }]),
        ["response.output_text.done", { ...place, content_index: 0, text: SENTENCE }],
        ["response.content_part.done", { ...place, content_index: 0, part: item.content[0] }],
      ];
  const events: [string, Json][] = [
    ["response.created", { response: begun }],
    ["response.in_progress", { response: begun }],
    ...middle,
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response }],
  ];
  return events.map(
    ([type, fields], sequence_number) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`,
  );
}

/** `/v1/embeddings`: as numbers, or as base64 where the client asks for that. */
export function embeddings(body: Json): ScriptedResponse {
  const inputs: Json[] = Array.isArray(body.input) ? body.input : [body.input];
  const vector = [0.25, -0.5, 0.125];
  const embedding =
    body.encoding_format === "base64" ? Buffer.from(new Float32Array(vector).buffer).toString("base64") : vector;
  return {
    json: {
      object: "list",
      data: inputs.map((_input, index) => ({ object: "embedding", index, embedding })),
      model: body.model,
      usage: { prompt_tokens: 6 * inputs.length, total_tokens: 6 * inputs.length },
    },
  };
}

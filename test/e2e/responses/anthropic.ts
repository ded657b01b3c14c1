import type { Json } from "../../../src/plugin-host/contract.ts";
import { SENTENCE, TOOL_ARGUMENTS, WORDS } from "./openai.ts";
import type { ScriptedResponse } from "./response.ts";

/** What the record holds for this: prompt 12 + 30 + 20 = 62, completion 19. */
const MESSAGE_USAGE = {
  input_tokens: 12,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 0 },
  output_tokens: 19,
  service_tier: "standard",
};

/** `/v1/messages`: plain or streamed; with tools it speaks, then calls the first of them. */
export function messages(body: Json): ScriptedResponse {
  const tool = body.tools?.[0]?.name;
  const content: Json[] = [{ type: "text", text: SENTENCE }];
  if (tool) content.push({ type: "tool_use", id: "toolu_1", name: tool, input: TOOL_ARGUMENTS });
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: `${body.model}-20260301`,
    content,
    stop_reason: tool ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: MESSAGE_USAGE,
  };
  return body.stream === true ? { events: messageEvents(message) } : { json: message };
}

function messageEvents(message: Json): string[] {
  const event = (type: string, fields: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const tool = message.content[1];
  const block = (index: number, start: Json, deltas: Json[]) => [
    event("content_block_start", { index, content_block: start }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
  const text = WORDS.map((word) => ({ type: "text_delta", text: word }));
  const json = JSON.stringify(TOOL_ARGUMENTS);
  const pieces = ["", json.slice(0, 9), json.slice(9, 20), json.slice(20)];
  return [
    event("message_start", {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...MESSAGE_USAGE, output_tokens: 2 },
      },
    }),
    event("ping", {}),
    ...block(0, { type: "text", text: "" }, text),
    ...(tool
      ? block(
          1,
          { ...tool, input: {} },
          pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
        )
      : []),
    event("message_delta", {
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: MESSAGE_USAGE.output_tokens },
    }),
    event("message_stop", {}),
  ];
}

import type { Json } from "../../plugin-host/contract.ts";
import type { Call, Sent } from "./scene.ts";
import { PICTURE_TYPE, piecesOf, type Said, schemaOf, type Talk } from "./talk.ts";

/** A conversation in Anthropic's form. */
export function anthropicMessages(talk: Talk): Call {
  const { model, system, said, tools, stream, settings } = talk;
  const request = {
    model,
    max_tokens: 4_096,
    ...(system !== undefined && { system }),
    messages: said.map(message),
    ...(tools && {
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        input_schema: schemaOf(tool),
      })),
    }),
    ...(talk.answer.thinking !== undefined && { thinking: { type: "enabled", budget_tokens: 2_048 } }),
    ...(stream && { stream: true }),
    ...settings,
  };
  const response = stream ? streamed(talk) : whole(talk);
  return { provider: "ANTHROPIC", target: "https://api.anthropic.com", path: "/v1/messages", request, response };
}

function message(said: Said): Json {
  if ("calls" in said) return { role: "assistant", content: said.calls.map((each) => ({ type: "tool_use", ...each })) };
  if ("result" in said)
    return { role: "user", content: [{ type: "tool_result", tool_use_id: said.of.id, content: said.result }] };
  if ("assistant" in said) return { role: "assistant", content: said.assistant };
  if (said.picture === undefined) return { role: "user", content: said.user };
  const source = { type: "base64", media_type: PICTURE_TYPE, data: said.picture };
  return {
    role: "user",
    content: [
      { type: "image", source },
      { type: "text", text: said.user },
    ],
  };
}

function blocks({ thinking, text, calls = [] }: Talk["answer"]): readonly Json[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: "ZGVtbw==" }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map((each) => ({ type: "tool_use", ...each })),
  ];
}

const stopReason = ({ calls }: Talk["answer"]) => (calls === undefined ? "end_turn" : "tool_use");

function whole({ model, answer, tokens }: Talk): Sent {
  return {
    json: {
      ...head(model),
      content: blocks(answer),
      stop_reason: stopReason(answer),
      usage: { ...inputUsage(tokens), output_tokens: tokens.output },
    },
  };
}

function streamed({ model, answer, tokens }: Talk): Sent {
  const event = (name: string, more: Json = {}) => ({ name, data: { type: name, ...more } });
  const content = blocks(answer).flatMap((block, index) => [
    event("content_block_start", { index, content_block: emptied(block) }),
    ...deltas(block).map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ]);
  return {
    events: [
      event("message_start", {
        message: { ...head(model), content: [], stop_reason: null, usage: { ...inputUsage(tokens), output_tokens: 1 } },
      }),
      ...content,
      event("message_delta", {
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: tokens.output },
      }),
      event("message_stop"),
    ],
  };
}

function emptied(block: Json): Json {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function deltas(block: Json): readonly Json[] {
  if (block.type === "text") return piecesOf(block.text).map((text) => ({ type: "text_delta", text }));
  if (block.type === "tool_use") return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  return [
    ...piecesOf(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: block.signature },
  ];
}

const head = (model: string) => ({ id: "msg_demo", type: "message", role: "assistant", model });

/** Cached input is not in `input_tokens`. */
function inputUsage({ input, cacheRead = 0, cacheWrite = 0 }: Talk["tokens"]): Json {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

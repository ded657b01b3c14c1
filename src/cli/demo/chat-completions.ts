import type { Json } from "../../plugin-host/contract.ts";
import type { Call, Sent } from "./scene.ts";
import { PICTURE_TYPE, piecesOf, type Said, schemaOf, type Talk, type ToolCall } from "./talk.ts";

const ID = "chatcmpl-demo";

/** A conversation in OpenAI's form, for OpenAI or one of the many compatible providers. */
export function chatCompletion(
  talk: Talk,
  at: Pick<Call, "provider" | "target"> = { provider: "OPENAI", target: "https://api.openai.com" },
): Call {
  const { model, system, said, tools, stream, settings } = talk;
  const request = {
    model,
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...said.flatMap(message)],
    ...(tools && {
      tools: tools.map((tool) => ({
        type: "function",
        function: { name: tool.name, description: tool.description, parameters: schemaOf(tool) },
      })),
    }),
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    ...settings,
  };
  return { ...at, path: "/v1/chat/completions", request, response: stream ? streamed(talk) : whole(talk) };
}

function message(said: Said): Json[] {
  if ("calls" in said) return [{ role: "assistant", content: null, tool_calls: said.calls.map(call) }];
  if ("result" in said) return [{ role: "tool", tool_call_id: said.of.id, content: said.result }];
  if ("assistant" in said) return [{ role: "assistant", content: said.assistant }];
  if (said.picture === undefined) return [{ role: "user", content: said.user }];
  const image_url = { url: `data:${PICTURE_TYPE};base64,${said.picture}` };
  return [
    {
      role: "user",
      content: [
        { type: "text", text: said.user },
        { type: "image_url", image_url },
      ],
    },
  ];
}

const call = ({ id, name, input }: ToolCall): Json => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});

function whole({ model, answer, tokens }: Talk): Sent {
  const { text = null, calls } = answer;
  const choice = {
    index: 0,
    message: { role: "assistant", content: text, ...(calls && { tool_calls: calls.map(call) }) },
    finish_reason: calls === undefined ? "stop" : "tool_calls",
  };
  return { json: { id: ID, object: "chat.completion", model, choices: [choice], usage: usage(tokens) } };
}

function streamed({ model, answer, tokens }: Talk): Sent {
  const chunk = (delta: Json, finish_reason: string | null = null) => ({
    data: { id: ID, object: "chat.completion.chunk", model, choices: [{ index: 0, delta, finish_reason }] },
  });
  const { text = "", calls = [] } = answer;
  return {
    events: [
      chunk({ role: "assistant", content: "" }),
      ...piecesOf(text).map((content) => chunk({ content })),
      ...calls.map((each, index) => chunk({ tool_calls: [{ index, ...call(each) }] })),
      chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
      { data: { id: ID, object: "chat.completion.chunk", model, choices: [], usage: usage(tokens) } },
      { data: "[DONE]" },
    ],
  };
}

function usage({ input, output, cacheRead = 0, reasoning = 0 }: Talk["tokens"]): Json {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** A request for embeddings of texts. */
export function embedding(model: string, input: readonly string[], tokens: number): Call {
  const vector = Array.from({ length: 8 }, (_, at) => Math.round(Math.sin(at + tokens) * 1e6) / 1e6);
  const data = input.map((_, index) => ({ object: "embedding", index, embedding: vector }));
  return {
    provider: "OPENAI",
    target: "https://api.openai.com",
    path: "/v1/embeddings",
    request: { model, input },
    response: { json: { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } } },
  };
}

import Anthropic from "@anthropic-ai/sdk";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Next, type Said, SCHEMA, type Scene, type Seen, SYSTEM, WEATHER } from "../scenes.ts";
import type { Client } from "./client.ts";

export const anthropicSdk: Client = {
  name: "@anthropic-ai/sdk",
  shape: "messages",
  keepsState: "always",
  open({ origin, key, model }, scene) {
    const client = new Anthropic({ baseURL: origin, apiKey: key, maxRetries: 0 });
    const messages: Json[] = [];
    return {
      async send(next) {
        messages.push(messagesTurn(next));
        const body = { model, max_tokens: 8_000, system: SYSTEM, messages, ...messagesSettings(scene) };
        const response = scene.stream
          ? await client.messages.stream(body).finalMessage()
          : await client.messages.create(body);
        messages.push({ role: "assistant", content: response.content.map(withoutParsed) });
        return seenInMessage(response);
      },
    };
  },
};

/** What only the SDK's parser adds is not sent back. */
const withoutParsed = ({ parsed_output: _, ...block }: Json): Json => block;

/** A turn as a message of Anthropic's. */
export function messagesTurn(next: Next): Json {
  const content =
    "results" in next
      ? next.results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text }))
      : next.user.map(block);
  return { role: "user", content };
}

function block(said: Said): Json {
  if ("text" in said) return { type: "text", text: said.text };
  if ("image" in said) return { type: "image", source: { type: "base64", media_type: "image/png", data: said.image } };
  return {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data: said.pdf },
    title: "a.pdf",
  };
}

const messagesSettings = (scene: Scene): Json => ({
  ...(scene.tools && {
    tools: [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.parameters }],
  }),
  ...(scene.schema && { output_config: { format: { type: "json_schema", schema: SCHEMA.schema } } }),
  ...(scene.thinking && { thinking: { type: "enabled", budget_tokens: 4_000 } }),
});

export function seenInMessage({ content, stop_reason, usage }: Json): Seen {
  const calls = content.filter(({ type }: Json) => type === "tool_use");
  return {
    text: content.map((each: Json) => (each.type === "text" ? each.text : "")).join(""),
    calls: calls.map(({ name, input }: Json) => ({ name, input })),
    ids: calls.map(({ id }: Json) => id),
    finish: stop_reason === "tool_use" ? "calls" : "end",
    input: usage.input_tokens,
    output: usage.output_tokens,
  };
}

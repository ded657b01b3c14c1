import OpenAI from "openai";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Next, type Said, SCHEMA, type Scene, type Seen, SYSTEM, WEATHER } from "../scenes.ts";
import type { Client, Place } from "./client.ts";

const sdk = ({ origin, key }: Place) => new OpenAI({ baseURL: `${origin}/v1`, apiKey: key, maxRetries: 0 });

export const openaiChat: Client = {
  name: "openai, chat completions",
  shape: "chat-completions",
  keepsState: "whole",
  open(place, scene) {
    const client = sdk(place);
    const messages: Json[] = [{ role: "system", content: SYSTEM }];
    return {
      async send(next) {
        messages.push(...chatTurns(next));
        const body = { model: place.model, messages, ...chatSettings(scene) };
        const stream_options = { include_usage: true };
        const response = scene.stream
          ? await client.chat.completions.stream({ ...body, stream_options }).finalChatCompletion()
          : await client.chat.completions.create(body);
        const { message, finish_reason } = response.choices[0]!;
        const { parsed: _, ...kept } = message as Json;
        messages.push(kept);
        return seenInChat(message, finish_reason, response.usage);
      },
    };
  },
};

/** A turn as messages of chat completions. */
function chatTurns(next: Next): Json[] {
  if ("results" in next) return next.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  return [{ role: "user", content: next.user.map(chatPart) }];
}

function chatPart(said: Said): Json {
  if ("text" in said) return { type: "text", text: said.text };
  if ("image" in said) return { type: "image_url", image_url: { url: `data:image/png;base64,${said.image}` } };
  return { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${said.pdf}` } };
}

const chatSettings = (scene: Scene): Json => ({
  ...(scene.tools && { tools: [{ type: "function", function: WEATHER }] }),
  ...(scene.schema && { response_format: { type: "json_schema", json_schema: { ...SCHEMA, strict: true } } }),
  ...(scene.thinking && { reasoning_effort: "medium" }),
});

function seenInChat(message: Json, finish: string, usage: Json): Seen {
  const calls: Json[] = message.tool_calls ?? [];
  return {
    text: message.content ?? "",
    calls: calls.map(({ function: { name, arguments: input } }) => ({ name, input: JSON.parse(input) })),
    ids: calls.map(({ id }) => id),
    finish: finish === "tool_calls" ? "calls" : "end",
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
  };
}

export const openaiResponses: Client = {
  name: "openai, responses",
  shape: "responses",
  keepsState: "always",
  open(place, scene) {
    const client = sdk(place);
    const input: Json[] = [];
    return {
      async send(next) {
        input.push(...responsesItems(next));
        const body: Json = {
          model: place.model,
          instructions: SYSTEM,
          input,
          store: false,
          ...responsesSettings(scene),
        };
        const response = scene.stream
          ? await client.responses.stream(body).finalResponse()
          : await client.responses.create(body);
        if (response.status !== "completed") throw new Error(response.error?.message ?? response.status);
        // What only the SDK's parser adds is not sent back.
        input.push(...response.output.map(({ parsed_arguments: _, ...item }: Json) => withoutParsed(item)));
        return seenInOutput(response.output, response.usage);
      },
    };
  },
};

const withoutParsed = (item: Json): Json =>
  item.type === "message" ? { ...item, content: item.content.map(({ parsed: _, ...part }: Json) => part) } : item;

/** A turn as items of responses. */
export function responsesItems(next: Next): Json[] {
  if ("results" in next)
    return next.results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
  return [{ type: "message", role: "user", content: next.user.map(responsesPart) }];
}

function responsesPart(said: Said): Json {
  if ("text" in said) return { type: "input_text", text: said.text };
  if ("image" in said) return { type: "input_image", image_url: `data:image/png;base64,${said.image}`, detail: "auto" };
  return { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${said.pdf}` };
}

const responsesSettings = (scene: Scene): Json => ({
  ...(scene.tools && { tools: [{ type: "function", ...WEATHER, strict: true }] }),
  ...(scene.schema && { text: { format: { type: "json_schema", ...SCHEMA, strict: true } } }),
  ...(scene.thinking && { reasoning: { effort: "medium", summary: "auto" }, include: ["reasoning.encrypted_content"] }),
});

export function seenInOutput(output: readonly Json[], usage: Json): Seen {
  const calls = output.filter(({ type }) => type === "function_call" || type === "custom_tool_call");
  const said = output.filter(({ type }) => type === "message").flatMap(({ content }) => content);
  return {
    text: said.map(({ text }) => text ?? "").join(""),
    calls: calls.map(({ name, arguments: input, input: raw }) => ({ name, input: raw ?? JSON.parse(input) })),
    ids: calls.map(({ call_id }) => call_id),
    finish: calls.length > 0 ? "calls" : "end",
    input: usage?.input_tokens,
    output: usage?.output_tokens,
  };
}

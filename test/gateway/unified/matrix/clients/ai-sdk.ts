import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type LanguageModel, Output, streamText, tool } from "ai";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Next, type Said, SCHEMA, type Scene, SYSTEM, WEATHER } from "../scenes.ts";
import type { Client, Place } from "./client.ts";

// It would warn on stderr of thoughts that no provider gave a state.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const openai = ({ origin, key }: Place) => createOpenAI({ baseURL: `${origin}/v1`, apiKey: key });

const clients: readonly (Pick<Client, "name" | "shape" | "keepsState"> & {
  readonly model: (place: Place) => LanguageModel;
  readonly thinking: Json;
  readonly always?: Json;
})[] = [
  {
    name: "ai with OpenAI's chat completions",
    shape: "chat-completions",
    keepsState: "never",
    model: (place) => openai(place).chat(place.model),
    thinking: { openai: { reasoningEffort: "medium" } },
  },
  {
    name: "ai with OpenAI's responses",
    shape: "responses",
    keepsState: "always",
    model: (place) => openai(place).responses(place.model),
    thinking: {
      openai: {
        store: false,
        forceReasoning: true,
        reasoningEffort: "medium",
        reasoningSummary: "auto",
        include: ["reasoning.encrypted_content"],
      },
    },
    always: { openai: { store: false } },
  },
  {
    name: "ai with Anthropic's messages",
    shape: "messages",
    keepsState: "always",
    model: ({ origin, key, model }) => createAnthropic({ baseURL: `${origin}/v1`, apiKey: key })(model),
    thinking: { anthropic: { thinking: { type: "enabled", budgetTokens: 4_000 } } },
  },
];

export const aiSdk: readonly Client[] = clients.map(({ name, shape, keepsState, model, thinking, always }) => ({
  name,
  shape,
  keepsState,
  open(place, scene) {
    const messages: Json[] = [];
    return {
      async send(next) {
        messages.push(turn(next));
        const call = {
          model: model(place),
          system: SYSTEM,
          messages,
          maxOutputTokens: 8_000,
          maxRetries: 0,
          ...settings(scene),
          providerOptions: scene.thinking ? thinking : (always ?? {}),
        };
        const result: Json = scene.stream ? await streamed(call) : await generateText(call);
        messages.push(...(await result.response).messages);
        const calls: Json[] = await result.toolCalls;
        const usage = await result.usage;
        return {
          text: await result.text,
          calls: calls.map(({ toolName, input }) => ({ name: toolName, input })),
          ids: calls.map(({ toolCallId }) => toolCallId),
          finish: (await result.finishReason) === "tool-calls" ? "calls" : "end",
          input: usage.inputTokens,
          output: usage.outputTokens,
        };
      },
    };
  },
}));

/** Its streams do not throw: they hand out the error. */
async function streamed(call: Parameters<typeof streamText>[0]) {
  const failures: unknown[] = [];
  const result = streamText({ ...call, onError: ({ error }) => void failures.push(error) });
  await result.consumeStream();
  if (failures.length > 0) throw failures[0];
  return result;
}

const settings = (scene: Scene): Json => ({
  ...(scene.tools && {
    tools: {
      [WEATHER.name]: tool({ description: WEATHER.description, inputSchema: jsonSchema(WEATHER.parameters) }),
    },
  }),
  ...(scene.schema && { output: Output.object({ schema: jsonSchema(SCHEMA.schema), name: SCHEMA.name }) }),
});

function turn(next: Next): Json {
  if (!("results" in next)) return { role: "user", content: next.user.map(part) };
  return {
    role: "tool",
    content: next.results.map(({ id, name, text }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: "text", value: text },
    })),
  };
}

function part(said: Said): Json {
  if ("text" in said) return { type: "text", text: said.text };
  if ("image" in said) return { type: "file", mediaType: "image/png", data: said.image };
  return { type: "file", mediaType: "application/pdf", data: said.pdf, filename: "a.pdf" };
}

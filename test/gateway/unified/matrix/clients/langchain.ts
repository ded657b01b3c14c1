import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Next, type Said, SCHEMA, type Scene, SYSTEM, WEATHER } from "../scenes.ts";
import type { Client, Place } from "./client.ts";

/** LangChain, over each of OpenAI's APIs. */
export const langchain: readonly Client[] = [false, true].map((useResponsesApi): Client => {
  const name = `@langchain/openai with ${useResponsesApi ? "responses" : "chat completions"}`;
  return {
    name,
    shape: useResponsesApi ? "responses" : "chat-completions",
    // It ignores `response.failed`, also from OpenAI itself.
    lacks: useResponsesApi ? ["an error in mid-stream"] : [],
    keepsState: useResponsesApi ? "always" : "never",
    open(place, scene) {
      const model = modelFor(place, scene, useResponsesApi);
      const messages: BaseMessage[] = [new SystemMessage(SYSTEM)];
      return {
        async send(next) {
          messages.push(...turns(next));
          const response = scene.stream ? await streamed(model, messages) : await model.invoke(messages);
          messages.push(response);
          const { tool_calls: calls = [], usage_metadata: usage }: Json = response;
          return {
            text: response.text,
            calls: calls.map(({ name: called, args }: Json) => ({ name: called, input: args })),
            ids: calls.map(({ id }: Json) => id),
            finish: calls.length > 0 ? "calls" : "end",
            input: usage?.input_tokens,
            output: usage?.output_tokens,
          };
        },
      };
    },
  };
});

function modelFor({ origin, key, model }: Place, scene: Scene, useResponsesApi: boolean): Json {
  const chat = new ChatOpenAI({
    model,
    apiKey: key,
    configuration: { baseURL: `${origin}/v1` },
    maxRetries: 0,
    useResponsesApi,
    ...(useResponsesApi && { zdrEnabled: true }),
    ...(scene.thinking && { reasoning: { effort: "medium" } }),
  });
  const { name, schema } = SCHEMA;
  const settings = {
    ...(scene.tools && { tools: [{ type: "function", function: WEATHER }] }),
    ...(scene.schema && { response_format: { type: "json_schema", json_schema: { name, schema, strict: true } } }),
  };
  return chat.withConfig(settings as object);
}

async function streamed(model: Json, messages: readonly BaseMessage[]): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) whole = whole === undefined ? chunk : whole.concat(chunk);
  return whole!;
}

function turns(next: Next): BaseMessage[] {
  if (!("results" in next)) return [new HumanMessage({ content: next.user.map(part) })];
  return next.results.map(({ id, name, text }) => new ToolMessage({ content: text, tool_call_id: id, name }));
}

function part(said: Said): Json {
  if ("text" in said) return { type: "text", text: said.text };
  if ("image" in said) return { type: "image_url", image_url: { url: `data:image/png;base64,${said.image}` } };
  return {
    type: "file",
    source_type: "base64",
    mime_type: "application/pdf",
    data: said.pdf,
    metadata: { filename: "a.pdf" },
  };
}

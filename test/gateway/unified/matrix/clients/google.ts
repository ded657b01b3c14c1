import { GoogleGenAI } from "@google/genai";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Next, type Said, SCHEMA, type Scene, SYSTEM, WEATHER } from "../scenes.ts";
import type { Client } from "./client.ts";

export const googleGenai: Client = {
  name: "@google/genai",
  shape: "generate-content",
  keepsState: "always",
  open({ origin, key, model }, scene) {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin } });
    const contents: Json[] = [];
    return {
      async send(next) {
        contents.push(turn(next));
        const request = { model, contents, config: config(scene) };
        let parts: Json[] = [];
        let last: Json;
        if (scene.stream) {
          for await (const chunk of await client.models.generateContentStream(request)) {
            parts = parts.concat(chunk.candidates?.[0]?.content?.parts ?? []);
            last = chunk;
          }
        } else {
          last = await client.models.generateContent(request);
          parts = last.candidates[0].content.parts;
        }
        if (last.candidates?.[0]?.finishReason === undefined) throw new Error("the answer has no end");
        contents.push({ role: "model", parts: joined(parts) });
        const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
        return {
          text: parts.map(({ text, thought }) => (thought === true ? "" : (text ?? ""))).join(""),
          calls: calls.map(({ name, args }) => ({ name, input: args })),
          ids: calls.map(({ id }) => id),
          finish: calls.length > 0 ? "calls" : "end",
          input: last.usageMetadata?.promptTokenCount,
          output: last.usageMetadata?.candidatesTokenCount,
        };
      },
    };
  },
};

/** Pieces of one text as one part; a part of nothing is refused. */
function joined(parts: readonly Json[]): Json[] {
  const whole: Json[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    const continues = last?.text !== undefined && part.text !== undefined && last.thought === part.thought;
    if (continues) whole[whole.length - 1] = { ...last, ...part, text: last.text + part.text };
    else whole.push(part);
  }
  return whole.filter(({ text }) => text !== "");
}

const config = (scene: Scene): Json => ({
  systemInstruction: SYSTEM,
  ...(scene.tools && {
    tools: [
      {
        functionDeclarations: [
          { name: WEATHER.name, description: WEATHER.description, parametersJsonSchema: WEATHER.parameters },
        ],
      },
    ],
  }),
  ...(scene.schema && { responseMimeType: "application/json", responseJsonSchema: SCHEMA.schema }),
  ...(scene.thinking && { thinkingConfig: { includeThoughts: true } }),
});

/** Gemini wants results in the order of its calls. */
function turn(next: Next): Json {
  if (!("results" in next)) return { role: "user", parts: next.user.map(part) };
  const parts = next.results.map(({ id, name, text }) => ({
    functionResponse: { id, name, response: { output: text } },
  }));
  return { role: "user", parts: parts.reverse() };
}

function part(said: Said): Json {
  if ("text" in said) return { text: said.text };
  if ("image" in said) return { inlineData: { mimeType: "image/png", data: said.image } };
  return { inlineData: { mimeType: "application/pdf", data: said.pdf } };
}

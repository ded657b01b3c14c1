import type { Json } from "../../plugin-host/contract.ts";
import type { Call } from "./scene.ts";
import { PICTURE_TYPE, piecesOf, type Said, schemaOf, type Talk } from "./talk.ts";

/** A conversation in Gemini's form. */
export function generateContent(talk: Talk): Call {
  const { model, system, said, tools, stream, settings, answer } = talk;
  const request = {
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    contents: said.map(content),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map((tool) => ({
            name: tool.name,
            description: tool.description,
            parameters: schemaOf(tool),
          })),
        },
      ],
    }),
    ...(settings && { generationConfig: settings }),
  };
  const thoughts = answer.thinking === undefined ? [] : [{ text: answer.thinking, thought: true }];
  const calls = (answer.calls ?? []).map(({ name, input }) => ({ functionCall: { name, args: input } }));
  const text = answer.text ?? "";
  const response = stream
    ? {
        events: [
          ...thoughts.map((part) => ({ data: chunk(talk, [part], false) })),
          ...piecesOf(text).map((piece) => ({ data: chunk(talk, [{ text: piece }], false) })),
          { data: chunk(talk, calls.length > 0 ? calls : [{ text: "" }], true) },
        ],
      }
    : { json: chunk(talk, [...thoughts, ...(text === "" ? [] : [{ text }]), ...calls], true) };
  return {
    provider: "GOOGLE",
    target: "https://generativelanguage.googleapis.com",
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    request,
    response,
  };
}

function content(said: Said): Json {
  if ("calls" in said)
    return { role: "model", parts: said.calls.map(({ name, input }) => ({ functionCall: { name, args: input } })) };
  if ("result" in said)
    return { role: "user", parts: [{ functionResponse: { name: said.of.name, response: { result: said.result } } }] };
  if ("assistant" in said) return { role: "model", parts: [{ text: said.assistant }] };
  const picture = said.picture === undefined ? [] : [{ inlineData: { mimeType: PICTURE_TYPE, data: said.picture } }];
  return { role: "user", parts: [...picture, { text: said.user }] };
}

function chunk({ model, tokens }: Talk, parts: readonly Json[], isLast: boolean): Json {
  const { input, output, reasoning = 0, cacheRead = 0 } = tokens;
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast && { finishReason: "STOP" }) }],
    usageMetadata: {
      promptTokenCount: input,
      ...(isLast && { candidatesTokenCount: output - reasoning, thoughtsTokenCount: reasoning }),
      ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
      totalTokenCount: isLast ? input + output : input,
    },
    modelVersion: model,
  };
}

import type { ProviderIndex } from "../../../src/gateway/target.ts";
import type { Json, Message, ProviderPlugin, Shape } from "../../../src/plugin-host/contract.ts";
import { providerIndex } from "../harness.ts";
import { built } from "./house.ts";

const textOf = (value: Json): string => (typeof value === "string" ? value : "");
const wordsOf = ({ parts }: Message) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** An API unlike every built-in one: `{ engine, prompt, live, most, tools }` in, `{ reply, spent }` out. */
export const talk: Shape = {
  name: "talk",
  takes: { imageBytes: "R", imageUrl: "R", seed: "D" },
  writeRequest: (prompt, { model }) => ({
    body: { engine: model, live: prompt.stream, prompt: prompt.messages.map(wordsOf).join("\n") },
  }),
  readAnswer: (body) => ({
    choices: [{ parts: [{ type: "text", text: textOf(body?.reply) }], finish: "end" }],
    usage: { prompt_tokens: body?.spent?.[0], completion_tokens: body?.spent?.[1] },
  }),
  readEvent(state, { data }) {
    const start = state.begun === true ? [] : [{ type: "start" as const }];
    state.begun = true;
    if (typeof data?.bit === "string") return [...start, { type: "text", part: 0, text: data.bit }];
    return [...start, { type: "close", part: 0 }, { type: "finish", finish: "end" }, { type: "end" }];
  },
  readError: (status, body) => ({ status, message: textOf(body?.trouble) }),

  endpoint: /\/talk$/,
  readRequest: (body) => ({
    ...(typeof body.engine === "string" && { model: body.engine }),
    stream: body.live === true,
    messages: [{ role: "user", parts: [{ type: "text", text: textOf(body.prompt), at: "prompt" }] }],
    tools: (body.tools ?? []).map((name: string) => ({ type: "function", name, at: "tools" })),
    settings: {
      ...(body.most !== undefined && { maxTokens: body.most }),
      ...(body.luck !== undefined && { seed: body.luck }),
    },
    wants: {},
    paths: { maxTokens: "most", seed: "luck" },
    shape: "talk",
    extra: {},
    losses: [],
  }),
  writeAnswer: ({ choices, usage }, { id, model }) => ({
    ticket: id,
    engine: model,
    reply: choices[0]!.parts.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join(""),
    spent: [usage?.prompt_tokens, usage?.completion_tokens],
  }),
  writeEvents(_state, piece) {
    if (piece.type === "text") return [{ data: { bit: piece.text } }];
    if (piece.type === "error") return [{ event: "trouble", data: { trouble: piece.error.message } }];
    return piece.type === "end" ? [{ data: { over: true } }] : [];
  },
  writeError: ({ message, code }) => ({ trouble: message, kind: code ?? null }),
};

/** A drop-in whose API clients may speak too. */
export const acme = (shape: Shape = talk): ProviderPlugin => ({
  apiVersion: 1,
  name: "ACME",
  hosts: ["acme.example"],
  target: "https://acme.example",
  readResponse: (body) => ({ model: body?.engine }),
  shapes: [{ shape, path: () => "/v9/talk" }],
});

/** The built-in providers and these. */
export async function indexWith(...own: readonly ProviderPlugin[]): Promise<ProviderIndex> {
  return providerIndex([...(await built).providers, ...own]);
}

import type { Answer, Json, Message, Piece, Prompt, ProviderPlugin, Shape } from "@weir/plugin";

/**
 * The shape of an API that takes a transcript and returns one line. It knows texts alone: everything else of a request is
 * declared in `takes`, and Weir drops or refuses it before `writeRequest` is called. From `endpoint` on it is for clients that
 * speak this API themselves: `POST …/talk` of the unified address, answered by any provider.
 */
const plainTalk: Shape = {
  name: "plain-talk",
  takes: { imageBytes: "R", imageUrl: "R", pdf: "R", fileUrl: "R", audioIn: "R", stop: "D", seed: "D" },

  writeRequest: (prompt, { model }) => ({
    body: { engine: model, live: prompt.stream, lines: prompt.messages.map(lineOf), ...lengthOf(prompt) },
  }),
  readAnswer: (body): Answer => ({
    id: body?.ticket,
    model: body?.engine,
    choices: [{ parts: [{ type: "text", text: textOf(body?.line) }], finish: body?.cut === true ? "length" : "end" }],
    usage: { prompt_tokens: body?.spent?.read, completion_tokens: body?.spent?.written },
  }),
  readEvent(state, { data }): readonly Piece[] {
    const begins = state.begun !== true;
    state.begun = true;
    return [
      ...(begins ? [{ type: "start" as const }] : []),
      ...(typeof data?.bit === "string" ? [{ type: "text" as const, part: 0, text: data.bit }] : []),
      ...(data?.over === true
        ? [
            { type: "close" as const, part: 0 },
            { type: "finish" as const, finish: "end" as const },
            { type: "end" as const },
          ]
        : []),
    ];
  },
  readError: (status, body) => ({ status, message: textOf(body?.trouble) }),

  endpoint: /\/talk$/,
  readRequest: (body): Prompt => ({
    ...(typeof body?.engine === "string" && { model: body.engine }),
    stream: body?.live === true,
    messages: Array.isArray(body?.lines) ? body.lines.map(messageOf) : [],
    tools: [],
    settings: typeof body?.most === "number" ? { maxTokens: body.most } : {},
    wants: {},
    paths: { maxTokens: "most" },
    shape: "plain-talk",
    extra: {},
    losses: [],
  }),
  writeAnswer: ({ choices, usage }, { id, model }) => ({
    ticket: id,
    engine: model,
    line: (choices[0]?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join(""),
    cut: choices[0]?.finish === "length",
    spent: { read: usage?.prompt_tokens, written: usage?.completion_tokens },
  }),
  writeEvents(_state, piece) {
    if (piece.type === "text") return [{ data: { bit: piece.text } }];
    if (piece.type === "error") return [{ data: { trouble: piece.error.message, over: true } }];
    return piece.type === "end" ? [{ data: { over: true } }] : [];
  },
  writeError: ({ message }) => ({ trouble: message }),
};

/** Makes the shape reachable at the unified address, at a path of the provider's own. */
export default {
  apiVersion: 1,
  name: "PLAINTALK",
  hosts: ["talk.example"],
  target: "https://talk.example",
  readResponse: (body) => ({ model: body?.engine }),
  shapes: [{ shape: plainTalk, path: () => "/talk" }],
} satisfies ProviderPlugin;

function lineOf({ role, parts }: Message): string {
  return `${role}: ${parts.map((part) => (part.type === "text" ? part.text : "")).join("")}`;
}

function messageOf(line: Json, at: number): Message {
  const [, role = "user", text = ""] = /^(system|user|assistant): (.*)$/s.exec(textOf(line)) ?? [];
  return { role: role as Message["role"], parts: [{ type: "text", text, at: `lines[${at}]` }] };
}

function lengthOf({ settings }: Prompt): Json {
  return settings.maxTokens === undefined ? {} : { most: settings.maxTokens };
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : "";
}

import type { Answer, Json, Part, StreamEvent } from "../../../src/plugin-host/contract.ts";
import { callLine, cut, mediaLine, type Oracle, reasoningLine, resultLine, textLine } from "./oracle.ts";

const ROLES: Readonly<Record<string, string>> = { user: "user", model: "assistant" };

export const geminiOracle: Oracle = {
  lines: ({ systemInstruction, contents }) => [
    ...(systemInstruction?.parts ?? []).map((part: Json) => `system ${partLine(part)[0]}`),
    ...contents.flatMap(({ role, parts }: Json) =>
      parts.flatMap(partLine).map((line: string) => `${ROLES[role]} ${line}`),
    ),
  ],
  answer: ({ id, model, choices, usage }) => ({
    responseId: id,
    modelVersion: model,
    candidates: choices.map(({ parts, finish }) => ({
      content: { role: "model", parts: parts.map(writePart) },
      finishReason: finish === "length" ? "MAX_TOKENS" : "STOP",
    })),
    usageMetadata: counts(usage),
  }),
  events: (answer, size): StreamEvent[] => {
    const { id: responseId, model: modelVersion } = answer;
    const head = { responseId, modelVersion };
    const parts = answer.choices[0]!.parts.flatMap((part) => pieces(part, size));
    return [
      ...parts.map((part) => ({
        data: { ...head, candidates: [{ content: { parts: [part] } }], usageMetadata: { promptTokenCount: 1 } },
      })),
      {
        data: {
          ...head,
          candidates: [{ content: { parts: [] }, finishReason: finishOf(answer) }],
          usageMetadata: counts(answer.usage),
        },
      },
    ];
  },
};

const finishOf = ({ choices }: Answer) => (choices[0]!.finish === "length" ? "MAX_TOKENS" : "STOP");

const counts = (usage: Answer["usage"]) => ({
  promptTokenCount: usage?.prompt_tokens,
  candidatesTokenCount: usage?.completion_tokens,
  cachedContentTokenCount: usage?.prompt_cache_read_tokens,
});

function partLine({ text, thought, thoughtSignature: signature, ...part }: Json): string[] {
  if (part.inlineData !== undefined) return [mediaLine("media", part.inlineData.mimeType, part.inlineData.data)];
  if (part.functionCall !== undefined) {
    const { id, name, args } = part.functionCall;
    return [callLine(id, name, args)];
  }
  if (part.functionResponse !== undefined) {
    const { id, response } = part.functionResponse;
    return [resultLine(id, response.output ?? response.error, response.error !== undefined)];
  }
  if (thought === true) return [reasoningLine(text, signature)];
  const said = text === "" ? [] : [textLine(text)];
  return signature === undefined ? said : [...said, reasoningLine("", signature)];
}

function writePart(part: Part): Json {
  if (part.type === "call")
    return {
      functionCall: { id: part.id, name: part.name, args: JSON.parse(part.arguments || "{}") },
      thoughtSignature: part.state?.value,
    };
  if (part.type === "reasoning") return { text: part.text, thought: true, thoughtSignature: part.state?.value };
  return { text: "text" in part ? part.text : "" };
}

function pieces(part: Part, size: number): Json[] {
  if (part.type !== "text" && part.type !== "reasoning") return [writePart(part)];
  const texts = cut(part.text, size);
  return texts.map((text, at) => ({
    text,
    ...(part.type === "reasoning" && { thought: true }),
    ...(part.type === "reasoning" && at === texts.length - 1 && { thoughtSignature: part.state?.value }),
  }));
}

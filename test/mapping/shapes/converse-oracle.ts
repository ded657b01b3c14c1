import type { Answer, Json, Part, StreamEvent } from "../../../src/plugin-host/contract.ts";
import { callLine, cut, mediaLine, type Oracle, reasoningLine, resultLine, textLine } from "./oracle.ts";

const TYPES: Readonly<Record<string, string>> = { pdf: "application/pdf" };

export const converseOracle: Oracle = {
  // White space that ends a last turn, and what is empty, was left out when the prompt was fitted.
  lines: ({ system, messages }) => [
    ...(system ?? []).flatMap(blockLine).map((line: string) => `system ${line}`),
    ...messages.flatMap(({ role, content }: Json) =>
      content.flatMap(blockLine).map((line: string) => `${role} ${line}`),
    ),
  ],
  answer: ({ choices, usage }) => ({
    output: { message: { role: "assistant", content: choices[0]!.parts.map(writePart) } },
    stopReason: stopReason(choices[0]!),
    usage: counts(usage),
  }),
  events: ({ choices, usage }, size): StreamEvent[] => [
    { name: "messageStart", data: { role: "assistant" } },
    ...choices[0]!.parts.flatMap((part, index) => pieces(part, index, size)),
    { name: "messageStop", data: { stopReason: stopReason(choices[0]!) } },
    { name: "metadata", data: { usage: counts(usage), metrics: { latencyMs: 1 } } },
  ],
};

const stopReason = ({ finish, parts }: Answer["choices"][number]) => {
  if (finish === "length") return "max_tokens";
  return parts.some(({ type }) => type === "call") ? "tool_use" : "end_turn";
};

/** Input stands without what the caches read and wrote. */
function counts(usage: Answer["usage"]): Json {
  const read = usage?.prompt_cache_read_tokens ?? 0;
  const write = usage?.prompt_cache_write_tokens ?? 0;
  return {
    inputTokens: (usage?.prompt_tokens ?? 0) - read - write,
    outputTokens: usage?.completion_tokens,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: write,
  };
}

function blockLine(block: Json): string[] {
  if (block.cachePoint !== undefined) return [];
  if (block.text !== undefined) return block.text === "(See the document.)" ? [] : [textLine(block.text)];
  if (block.image !== undefined) return [mediaLine("media", `image/${block.image.format}`, block.image.source.bytes)];
  if (block.document !== undefined)
    return [mediaLine("media", TYPES[block.document.format]!, block.document.source.bytes)];
  if (block.toolUse !== undefined) return [callLine(block.toolUse.toolUseId, block.toolUse.name, block.toolUse.input)];
  if (block.toolResult !== undefined) {
    const { toolUseId, content, status } = block.toolResult;
    const texts = content.flatMap(({ text }: Json) => (text === undefined || text === "(empty)" ? [] : [text]));
    return [resultLine(toolUseId, texts.join("\n"), status === "error")];
  }
  const { reasoningText, redactedContent } = block.reasoningContent;
  return [reasoningLine(reasoningText?.text ?? "", redactedContent ?? reasoningText.signature)];
}

function writePart(part: Part): Json {
  if (part.type === "call")
    return { toolUse: { toolUseId: part.id, name: part.name, input: JSON.parse(part.arguments || "{}") } };
  if (part.type === "reasoning")
    return { reasoningContent: { reasoningText: { text: part.text, signature: part.state?.value } } };
  return { text: "text" in part ? part.text : "" };
}

function pieces(part: Part, contentBlockIndex: number, size: number): StreamEvent[] {
  const delta = (of: Json): StreamEvent => ({ name: "contentBlockDelta", data: { contentBlockIndex, delta: of } });
  const stop: StreamEvent = { name: "contentBlockStop", data: { contentBlockIndex } };
  if (part.type === "call") {
    const toolUse = { toolUseId: part.id, name: part.name };
    return [
      { name: "contentBlockStart", data: { contentBlockIndex, start: { toolUse } } },
      ...cut(part.arguments, size).map((input) => delta({ toolUse: { input } })),
      stop,
    ];
  }
  const text = "text" in part ? part.text : "";
  if (part.type !== "reasoning") return [...cut(text, size).map((piece) => delta({ text: piece })), stop];
  const signature = part.state === undefined ? [] : cut(part.state.value, size);
  return [
    ...cut(text, size).map((piece) => delta({ reasoningContent: { text: piece } })),
    ...signature.map((piece) => delta({ reasoningContent: { signature: piece } })),
    stop,
  ];
}

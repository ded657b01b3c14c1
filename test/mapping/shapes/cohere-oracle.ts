import type { Answer, Json, Part, StreamEvent } from "../../../src/plugin-host/contract.ts";
import { callLine, cut, mediaLine, type Oracle, reasoningLine, resultLine, textLine } from "./oracle.ts";

export const cohereOracle: Oracle = {
  lines: ({ messages }) => messages.flatMap(messageLines),
  stateless: true,
  answer: ({ id, choices, usage }) => ({
    id,
    message: {
      role: "assistant",
      content: choices[0]!.parts.filter(({ type }) => type !== "call").map(writeContent),
      tool_calls: choices[0]!.parts.filter(({ type }) => type === "call").map(writeCall),
    },
    finish_reason: finishReason(choices[0]!),
    usage: counts(usage),
  }),
  events: (answer, size): StreamEvent[] => {
    const choice = answer.choices[0]!;
    let content = 0;
    let calls = 0;
    return [
      event({ type: "message-start", id: answer.id, delta: { message: { role: "assistant", content: [] } } }),
      ...choice.parts.flatMap((part) =>
        part.type === "call" ? callEvents(part, calls++, size) : contentEvents(part, content++, size),
      ),
      event({ type: "message-end", delta: { finish_reason: finishReason(choice), usage: counts(answer.usage) } }),
      { data: "[DONE]" },
    ];
  },
};

const event = (data: Json): StreamEvent => ({ name: data.type, data });

const finishReason = ({ finish, parts }: Answer["choices"][number]) => {
  if (finish === "length") return "MAX_TOKENS";
  return parts.some(({ type }) => type === "call") ? "TOOL_CALL" : "COMPLETE";
};

const counts = (usage: Answer["usage"]) => ({
  billed_units: { input_tokens: 1, output_tokens: 1 },
  tokens: { input_tokens: usage?.prompt_tokens, output_tokens: usage?.completion_tokens },
});

function messageLines({ role, content, tool_calls, tool_call_id }: Json): string[] {
  if (role === "tool") return [`user ${resultLine(tool_call_id, content, false)}`];
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  return [
    ...parts.map((part: Json) => `${role} ${partLine(part)}`),
    ...(tool_calls ?? []).map(
      ({ id, function: { name, arguments: text } }: Json) => `${role} ${callLine(id, name, JSON.parse(text))}`,
    ),
  ];
}

function partLine(part: Json): string {
  if (part.type === "text") return textLine(part.text);
  if (part.type === "thinking") return reasoningLine(part.thinking, undefined);
  const { url } = part.image_url;
  const bytes = /^data:([^;]+);base64,(.*)$/.exec(url);
  return bytes === null ? `media ${JSON.stringify({ url })}` : mediaLine("media", bytes[1]!, bytes[2]!);
}

const writeContent = (part: Part): Json => {
  const text = "text" in part ? part.text : "";
  return part.type === "reasoning" ? { type: "thinking", thinking: text } : { type: "text", text };
};

const writeCall = (part: Part): Json =>
  part.type === "call"
    ? { id: part.id, type: "function", function: { name: part.name, arguments: part.arguments } }
    : {};

function callEvents(part: Part & { type: "call" }, index: number, size: number): StreamEvent[] {
  const { id, name } = part;
  const start = { id, type: "function", function: { name, arguments: "" } };
  return [
    event({ type: "tool-call-start", index, delta: { message: { tool_calls: start } } }),
    ...cut(part.arguments, size).map((text) =>
      event({ type: "tool-call-delta", index, delta: { message: { tool_calls: { function: { arguments: text } } } } }),
    ),
    event({ type: "tool-call-end", index }),
  ];
}

function contentEvents(part: Part, index: number, size: number): StreamEvent[] {
  const kind = part.type === "reasoning" ? "thinking" : "text";
  return [
    event({ type: "content-start", index, delta: { message: { content: { type: kind, [kind]: "" } } } }),
    ...cut("text" in part ? part.text : "", size).map((text) =>
      event({ type: "content-delta", index, delta: { message: { content: { [kind]: text } } } }),
    ),
    event({ type: "content-end", index }),
  ];
}

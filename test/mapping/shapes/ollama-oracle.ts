import type { Answer, Json, Part, StreamEvent } from "../../../src/plugin-host/contract.ts";
import { callLine, cut, type Oracle, reasoningLine, resultLine, textLine } from "./oracle.ts";

/** A message has one text, and its pictures beside it: what a turn says is compared as one text, then the pictures. */
export const ollamaOracle: Oracle = {
  lines: ({ messages }) => messages.flatMap(messageLines),
  joinsText: true,
  stateless: true,
  answer: ({ model, choices, usage }) => ({
    model,
    message: messageOf(choices[0]!.parts),
    done: true,
    done_reason: choices[0]!.finish === "length" ? "length" : "stop",
    ...counts(usage),
  }),
  events: ({ model, choices, usage }, size): StreamEvent[] => [
    ...choices[0]!.parts
      .flatMap((part) => pieces(part, size))
      .map((message) => ({ data: { model, message, done: false } })),
    {
      data: {
        model,
        message: { role: "assistant", content: "" },
        done: true,
        done_reason: choices[0]!.finish === "length" ? "length" : "stop",
        ...counts(usage),
      },
    },
  ],
};

const counts = (usage: Answer["usage"]) => ({
  prompt_eval_count: usage?.prompt_tokens,
  eval_count: usage?.completion_tokens,
});

function messageLines({ role, content, images, thinking, tool_calls, tool_call_id }: Json): string[] {
  if (role === "tool") return [`user ${resultLine(tool_call_id, content, false)}`];
  return [
    ...(thinking === undefined ? [] : [reasoningLine(thinking, undefined)]),
    ...(content === "" ? [] : [textLine(content)]),
    ...(images ?? []).map((bytes: string) => `media ${bytes}`),
    ...(tool_calls ?? []).map(({ id, function: { name, arguments: args } }: Json) => callLine(id, name, args)),
  ].map((line) => `${role} ${line}`);
}

function messageOf(parts: readonly Part[]): Json {
  const text = (type: string) =>
    parts.flatMap((part) => (part.type === type && "text" in part ? [part.text] : [])).join("");
  return {
    role: "assistant",
    content: text("text"),
    thinking: text("reasoning"),
    tool_calls: parts.flatMap((part) => (part.type === "call" ? [writeCall(part)] : [])),
  };
}

const writeCall = ({ id, name, arguments: text }: Part & { type: "call" }): Json => ({
  id,
  function: { name, arguments: JSON.parse(text || "{}") },
});

function pieces(part: Part, size: number): Json[] {
  if (part.type === "call") return [{ role: "assistant", content: "", tool_calls: [writeCall(part)] }];
  const text = "text" in part ? part.text : "";
  return cut(text, size).map((piece) =>
    part.type === "reasoning" ? { content: "", thinking: piece } : { role: "assistant", content: piece },
  );
}

import type { Json } from "../../../src/plugin-host/contract.ts";
import type { Shape } from "./ai-sdk.ts";

/** What must be alike: bodies that ask the same thing, and answers that are understood. */

/** What the SDK says that an answer is. */
export function heard({ content, finishReason, usage: counted }: Json): Json {
  const said = content.map((part: Json) => pick(part, ["type", "text", "toolCallId", "toolName", "input"]));
  return {
    content: said.map((part: Json) => (part.input === undefined ? part : { ...part, input: JSON.parse(part.input) })),
    finish: finishReason.unified,
    in: counted.inputTokens.total,
    out: counted.outputTokens.total,
  };
}

const pick = (value: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]));

/** Two ways to say one thing that both APIs and we use are made one. */
const SAME: Readonly<Record<Shape, (body: Json) => Json>> = {
  "chat-completions": (body) => ({
    ...body,
    tools: body.tools?.map(looseTool),
    messages: body.messages.map(withoutNull),
  }),
  messages: (body) => ({
    ...body,
    tool_choice: body.tool_choice ?? (body.tools ? { type: "auto" } : undefined),
    messages: body.messages.map(({ role, content }: Json) => ({ role, content: blocks(content, "text") })),
  }),
  responses: ({ instructions, ...body }) => ({
    ...body,
    // Both hold in a request without it.
    tools: body.tools?.map(({ strict: _, ...each }: Json) => each),
    include: undefined,
    store: undefined,
    text: body.text?.format ? { format: { ...body.text.format, strict: undefined } } : undefined,
    input: [...(instructions ? [{ role: "system", content: instructions }] : []), ...body.input].map((item: Json) =>
      item.role === undefined || item.role === "system"
        ? item
        : { ...item, content: blocks(item.content, "input_text") },
    ),
  }),
};

const blocks = (content: Json, type: string) =>
  (typeof content === "string" ? [{ type, text: content }] : content).map((block: Json) =>
    block.type === "tool_result" ? { ...block, content: blocks(block.content, "text") } : block,
  );

const looseTool = ({ type, function: { strict: _, ...declared } }: Json) => ({ type, function: declared });
const withoutNull = ({ content, ...message }: Json) => ({ ...message, content: content === "" ? null : content });

function nameless(body: Json): Json {
  const { name: _, strict: __, ...format } = body.response_format?.json_schema ?? body.text?.format ?? {};
  const { response_format, text, ...rest } = body;
  return { ...rest, format };
}

/** A body without its model, and with one form of what may be said in two. @param from - the shape of the client. */
export const comparable = (shape: Shape, body: Json, from: Shape): Json => {
  const { model: _, ...rest } = JSON.parse(JSON.stringify(SAME[shape](body)));
  // Messages has no name of a schema, and no word for strict.
  return from === "messages" ? nameless(rest) : rest;
};

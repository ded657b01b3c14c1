import type { Shape } from "./draft.ts";

/** A tool call of a model. */
interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

/** The model's output so far. */
export interface ShownResponse {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  /** Why it ended, in the API's own word. */
  readonly end?: string;
  /** An error in the middle of a stream. */
  readonly error?: string;
}

export const NO_RESPONSE: ShownResponse = { text: "", reasoning: "", calls: [] };

// biome-ignore lint/suspicious/noExplicitAny: JSON from outside, checked member by member
type Json = any;

interface Reader {
  readonly whole: (body: Json) => ShownResponse;
  /** The output after one more event of a stream. */
  readonly event: (sofar: ShownResponse, data: Json) => ShownResponse;
}

const asText = (value: unknown): string => (typeof value === "string" ? value : "");
const asList = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const texts = (parts: unknown, name: string) =>
  asList(parts)
    .map((part) => asText(part?.[name]))
    .join("");

/** The output with text appended. */
const more = (sofar: ShownResponse, part: Partial<Record<"text" | "reasoning", string>>): ShownResponse => ({
  ...sofar,
  text: sofar.text + (part.text ?? ""),
  reasoning: sofar.reasoning + (part.reasoning ?? ""),
});

/** The output with a name, or more arguments, added to the call at an index. */
function withCall(
  sofar: ShownResponse,
  at: number,
  { name = "", more: added = "" }: { name?: string; more?: string },
): ShownResponse {
  const calls = [...sofar.calls];
  const before = calls[at] ?? { name: "", arguments: "" };
  calls[at] = { name: before.name + name, arguments: before.arguments + added };
  return { ...sofar, calls };
}

const lastCall = ({ calls }: ShownResponse) => Math.max(0, calls.length - 1);

const chat: Reader = {
  whole(body) {
    const { message: said, finish_reason } = body?.choices?.[0] ?? {};
    const message = said ?? {};
    return {
      text: typeof message.content === "string" ? message.content : texts(message.content, "text"),
      reasoning: asText(message.reasoning_content ?? message.reasoning),
      calls: asList(message.tool_calls).map((call) => ({
        name: asText(call?.function?.name),
        arguments: asText(call?.function?.arguments),
      })),
      ...(typeof finish_reason === "string" && { end: finish_reason }),
    };
  },
  event(sofar, data) {
    if (data?.error !== undefined) return { ...sofar, error: messageIn(data.error) };
    const { delta = {}, finish_reason } = data?.choices?.[0] ?? {};
    let next = more(sofar, {
      text: asText(delta?.content),
      reasoning: asText(delta?.reasoning_content ?? delta?.reasoning),
    });
    for (const call of asList(delta?.tool_calls)) {
      const { name, arguments: added } = call?.function ?? {};
      next = withCall(next, Number(call?.index ?? 0), { name: asText(name), more: asText(added) });
    }
    return typeof finish_reason === "string" ? { ...next, end: finish_reason } : next;
  },
};

const responses: Reader = {
  whole(body) {
    const items = asList(body?.output);
    return {
      text: items.map((item) => texts(item?.type === "message" ? item.content : [], "text")).join(""),
      reasoning: items.map((item) => texts(item?.type === "reasoning" ? item.summary : [], "text")).join(""),
      calls: items
        .filter((item) => /_call$/.test(asText(item?.type)))
        .map((item) => ({ name: asText(item.name ?? item.type), arguments: asText(item.arguments ?? item.input) })),
      ...(typeof body?.status === "string" && { end: body.status }),
      ...(body?.error && { error: messageIn(body.error) }),
    };
  },
  event(sofar, data) {
    const type = asText(data?.type);
    if (type === "response.output_text.delta") return more(sofar, { text: asText(data.delta) });
    if (/^response\.reasoning(?:_summary)?_text\.delta$/.test(type))
      return more(sofar, { reasoning: asText(data.delta) });
    if (type === "response.output_item.added" && /_call$/.test(asText(data.item?.type)))
      return withCall(sofar, sofar.calls.length, { name: asText(data.item.name ?? data.item.type) });
    if (/^response\.(?:function_call_arguments|custom_tool_call_input)\.delta$/.test(type))
      return withCall(sofar, lastCall(sofar), { more: asText(data.delta) });
    if (type === "response.failed" || type === "error")
      return { ...sofar, error: messageIn(data.response?.error ?? data.error ?? data) };
    if (type === "response.completed" || type === "response.incomplete")
      return { ...sofar, end: asText(data.response?.incomplete_details?.reason ?? data.response?.status) };
    return sofar;
  },
};

const messages: Reader = {
  whole(body) {
    const blocks = asList(body?.content);
    return {
      text: texts(
        blocks.filter((block) => block?.type === "text"),
        "text",
      ),
      reasoning: texts(
        blocks.filter((block) => block?.type === "thinking"),
        "thinking",
      ),
      calls: blocks
        .filter((block) => /tool_use$/.test(asText(block?.type)))
        .map((block) => ({ name: asText(block.name), arguments: JSON.stringify(block.input ?? {}) })),
      ...(typeof body?.stop_reason === "string" && { end: body.stop_reason }),
    };
  },
  event(sofar, data) {
    const { type, delta, content_block: block } = data ?? {};
    if (type === "error") return { ...sofar, error: messageIn(data.error) };
    if (type === "content_block_start" && /tool_use$/.test(asText(block?.type)))
      return withCall(sofar, sofar.calls.length, { name: asText(block.name) });
    if (type === "content_block_start") return more(sofar, { text: asText(block?.text) });
    if (type === "message_delta" && typeof delta?.stop_reason === "string") return { ...sofar, end: delta.stop_reason };
    if (type !== "content_block_delta") return sofar;
    if (delta?.type === "input_json_delta") {
      return withCall(sofar, lastCall(sofar), { more: asText(delta.partial_json) });
    }
    return more(sofar, { text: asText(delta?.text), reasoning: asText(delta?.thinking) });
  },
};

/** The reader of each API's responses. */
export const READERS: Readonly<Record<Shape, Reader>> = { "chat-completions": chat, responses, messages };

/** The message of an error in any form. */
export function messageIn(error: Json): string {
  const text: unknown = error?.message ?? error?.error?.message ?? error;
  return typeof text === "string" ? text : (JSON.stringify(text) ?? "an error without a text");
}

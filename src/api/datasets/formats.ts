import type { Json } from "../../plugin-host/contract.ts";
import type { Item } from "../../store/datasets/items.ts";
import { shownItem } from "./items.ts";

/** An item as one line of a file, or the reason it is skipped. */
type Line = { readonly line: Json } | { readonly skipped: string };
export type Format = (item: Item) => Line;

const NO_OUTPUT: Line = { skipped: "it has no output" };

/** Export formats; each line is a JSON object. */
export const FORMATS: Readonly<Record<string, Format>> = {
  // As the API shows items.
  jsonl: (item) => ({ line: shownItem(item) }),
  // OpenAI's supervised fine-tuning: the model learns the assistant's last message.
  openai: ({ input, output }) =>
    output === null
      ? NO_OUTPUT
      : { line: { messages: [...input.messages, output], ...(input.tools && { tools: input.tools }) } },
  anthropic: ({ input, output }) =>
    output === null ? NO_OUTPUT : anthropicLine([...input.messages, output], input.tools),
  sharegpt: ({ id, input, output }) =>
    output === null ? NO_OUTPUT : { line: shareGptLine(id, [...input.messages, output], input.tools) },
  // For tests that replay calls: the request to send and the response to return.
  fixtures: ({ id, request_id, input, output, labels }) => ({
    line: {
      ...{ id, request_id, labels, request: input },
      response:
        output === null
          ? null
          : {
              object: "chat.completion",
              choices: [{ index: 0, message: output, finish_reason: output.tool_calls ? "tool_calls" : "stop" }],
            },
    },
  }),
};

const textOf = (content: Json): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : [])).join("\n")
      : "";

/** `system` beside `messages` that alternate; tool calls are blocks. Source: Anthropic's Messages API. */
function anthropicLine(messages: readonly Json[], tools: Json): Line {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content));
  const turns: { role: string; content: Json[] }[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const blocks = anthropicBlocks(message);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  if (turns[0]?.role !== "user") return { skipped: "it does not begin with a user's message" };
  return {
    line: {
      ...(system.length > 0 && { system: system.join("\n\n") }),
      messages: turns.map(({ role, content }) => ({ role, content: plain(content) })),
      ...(tools && {
        tools: tools.map(({ function: { name, description, parameters } }: Json) => ({
          name,
          ...(description !== undefined && { description }),
          input_schema: parameters ?? { type: "object", properties: {} },
        })),
      }),
    },
  };
}

const plain = (blocks: Json[]): Json => (blocks.length === 1 && blocks[0].type === "text" ? blocks[0].text : blocks);

function anthropicBlocks({ role, content, tool_calls = [], tool_call_id }: Json): Json[] {
  if (role === "tool") return [{ type: "tool_result", tool_use_id: tool_call_id, content: textOf(content) }];
  const parts = Array.isArray(content)
    ? content
    : textOf(content) === ""
      ? []
      : [{ type: "text", text: textOf(content) }];
  const shown = parts.map((part: Json) =>
    part.type === "image_url" ? { type: "image", source: imageSource(part.image_url.url) } : part,
  );
  const calls = tool_calls.map(({ id, function: { name, arguments: text } }: Json) => ({
    ...{ type: "tool_use", id, name, input: parsed(text) },
  }));
  const blocks = [...shown, ...calls];
  return blocks.length > 0 ? blocks : [{ type: "text", text: "" }];
}

function imageSource(url: string): Json {
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return media_type === undefined ? { type: "url", url } : { type: "base64", media_type, data };
}

const FROM: Readonly<Record<string, string>> = {
  system: "system",
  user: "human",
  assistant: "gpt",
  tool: "observation",
};

/** `conversations` of `from` and `value`, as trainers of open models read them; each call is a turn. */
function shareGptLine(id: string, messages: readonly Json[], tools: Json): Json {
  const conversations = messages.flatMap(({ role, content, tool_calls = [] }): Json[] => {
    const calls = tool_calls.map(({ function: { name, arguments: text } }: Json) => ({
      from: "function_call",
      value: JSON.stringify({ name, arguments: parsed(text) }),
    }));
    const text = textOf(content);
    return [...(text === "" && calls.length > 0 ? [] : [{ from: FROM[role] ?? role, value: text }]), ...calls];
  });
  return { id, conversations, ...(tools && { tools: JSON.stringify(tools.map((tool: Json) => tool.function)) }) };
}

function parsed(text: Json): Json {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

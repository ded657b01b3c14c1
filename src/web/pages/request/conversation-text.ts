import type { LlmSchema } from "../../../record/llm-schema.ts";
import { type LlmPart, textOf } from "./part.ts";

/** All messages of a conversation in order, the response's last. */
function partsOf({ request, response }: LlmSchema): readonly (readonly [speaker: string, part: LlmPart])[] {
  const { messages = [], instructions, prompt, input } = request;
  const texts = messages.length > 0 ? [] : [...new Set([prompt, input])].filter(Boolean);
  const requestParts: readonly (readonly [string, LlmPart])[] = [
    ...(instructions === undefined ? [] : [["system", { content: instructions }] as const]),
    ...(messages as readonly LlmPart[]).map((part) => ["user", part] as const),
    ...texts.map((text) => ["user", { content: text } as LlmPart] as const),
  ];
  const responseParts = [...(response.messages ?? []), ...(response.responses ?? [])] as readonly LlmPart[];
  return [...requestParts, ...responseParts.map((part) => ["assistant", part] as const)];
}

/** The complete conversation as Markdown: a heading for each speaker, and tool calls as code. */
export function conversationMarkdown(schema: LlmSchema): string {
  return partsOf(schema)
    .map(([speaker, part]) => {
      const calls = (part.tool_calls ?? []).map(
        ({ name, arguments: given }) =>
          `Calls \`${name ?? "a tool"}\`:\n\n${fenced(JSON.stringify(given ?? {}, undefined, 2))}`,
      );
      const reasoning = part.reasoning === undefined ? [] : [part.reasoning.replace(/^/gm, "> ")];
      const text = textOf(part);
      return [`## ${part.role ?? speaker}`, ...reasoning, ...(text === "" ? [] : [text]), ...calls].join("\n\n");
    })
    .join("\n\n")
    .concat("\n");
}

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}

/** The complete conversation in the API's neutral form. */
export const conversationJson = (schema: LlmSchema): string => `${JSON.stringify(schema, undefined, 2)}\n`;

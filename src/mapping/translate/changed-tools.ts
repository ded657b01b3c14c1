import type { HostedPart, Prompt, Tool } from "../../plugin-host/contract.ts";
import type { PromptDraft } from "./draft.ts";

/** A part with the tools that `read` finds in it: they belong to it, not to the request's own list. */
export function withTools(draft: PromptDraft, part: HostedPart, read: () => void): HostedPart {
  const before = draft.tools.length;
  read();
  return { ...part, tools: draft.tools.splice(before) };
}

/** Whether a part only changes the tools, which every API has as the request's own. */
export const changesTools = ({ tools, removed }: HostedPart): boolean => tools !== undefined || removed !== undefined;

/** The tools at the end of a conversation that adds or removes some, for an API that has one list. */
export function changedTools({ tools, messages }: Pick<Prompt, "tools" | "messages">): readonly Tool[] {
  const changes = messages.flatMap(({ parts }) =>
    parts.filter((part): part is HostedPart => part.type === "hosted" && changesTools(part)),
  );
  if (changes.length === 0) return tools;
  const all = new Map(tools.map((tool) => [keyOf(tool), tool]));
  const removed = new Set<string>();
  for (const { tools: added = [], removed: names = [], restored = [] } of changes) {
    for (const tool of added) all.set(keyOf(tool), tool);
    for (const name of [...added.map(keyOf), ...restored]) removed.delete(name);
    for (const name of names) removed.add(name);
  }
  return [...all].filter(([key]) => !removed.has(key)).map(([, tool]) => tool);
}

/** Tools with one key are one tool; those without a name are known by their type. */
function keyOf(tool: Tool): string {
  if (!("name" in tool)) return tool.type;
  return "namespace" in tool && tool.namespace !== undefined ? `${tool.namespace} ${tool.name}` : tool.name;
}

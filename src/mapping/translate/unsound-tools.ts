import type { Prompt, Tool, ToolChoice } from "../../plugin-host/contract.ts";
import type { Fitting } from "./fitting.ts";

/**
 * The tool that a `tool_choice` names. A name without a namespace may match a tool in a namespace; web search has a new name
 * in each version of an API.
 */
export function chosenTool({ tools }: Prompt, name: string, namespace?: string): Tool | undefined {
  const named = tools.filter((tool) => "name" in tool && tool.name === name);
  const among = (of: string | undefined) =>
    named.find((tool) => ("namespace" in tool ? tool.namespace : undefined) === of);
  if (namespace !== undefined) return among(namespace);
  return among(undefined) ?? named[0] ?? (name.startsWith("web_search") ? tools.find(isSearch) : undefined);
}

const isSearch = ({ type }: Tool) => type === "search";

/**
 * Refuses tools that no API accepts: two with the same name, and a choice of a missing tool. The APIs' own errors would name
 * members that the client did not write.
 *
 * @param sent - the tools with their names at the target.
 */
export function noteUnsound(given: Prompt, sent: readonly Tool[], { losses }: Fitting): void {
  const names = new Set<string>();
  for (const tool of sent) {
    if (tool.type !== "function" && tool.type !== "custom") continue;
    const name = JSON.stringify([tool.namespace, tool.name]);
    if (names.has(name))
      losses.push({ kind: "refused", path: tool.at ?? "tools", why: `a tool before it is called "${tool.name}" too` });
    names.add(name);
  }
  const why = given.toolChoice && missing(given, sent, given.toolChoice);
  if (why !== undefined) losses.push({ kind: "refused", path: given.paths.toolChoice ?? "tool_choice", why });
}

function missing(given: Prompt, sent: readonly Tool[], choice: ToolChoice): string | undefined {
  const { mode, name, namespace, allowed = [] } = choice;
  const isThere = (each: string) => chosenTool(given, each, namespace) !== undefined;
  const unknown = (name === undefined ? allowed : [name, ...allowed]).find((each) => !isThere(each));
  if (unknown !== undefined) return `no tool is called "${unknown}"`;
  return mode === "any" && sent.length === 0 ? "there is no tool to call" : undefined;
}

import type { Json, SearchTool, Tool, ToolChoice } from "../../../plugin-host/contract.ts";
import { filledText, isObject, type JsonObject, listOf, pickDefined, textOf } from "../../json.ts";
import type { PromptDraft } from "../../translate/draft.ts";
import { FUNCTION_MEMBERS, functionTool, searchTool } from "../chat-completions/request-members.ts";

/** A tool; one of type `namespace` contains several. */
export function readTool(draft: PromptDraft, tool: Json, at: string, namespace?: string): void {
  const type = textOf(tool?.type) ?? "";
  const within = namespace === undefined ? {} : { namespace };
  if (type === "function" || type === "custom") {
    const read = type === "function" ? functionTool(tool, tool, at) : customTool(tool, at);
    draft.tools.push({ ...read, ...within });
    draft.loseOthers(tool, type === "function" ? FUNCTION_MEMBERS : CUSTOM_MEMBERS, at);
  } else if (type === "namespace" && namespace === undefined) readNamespace(draft, tool, at);
  else if (type.startsWith("web_search")) draft.tools.push(searchTool(draft, tool, at));
  else if (type !== "") draft.tools.push({ type: "hosted", shape: "responses", name: type, item: tool, at });
  else draft.lose("invalid", at, "must be a tool with a type");
}

const CUSTOM_MEMBERS: ReadonlySet<string> = new Set(["type", "name", "description", "format", "cache_control"]);

const customTool = ({ name, description, format }: Json, at: string): Tool => ({
  type: "custom",
  name: textOf(name) ?? "",
  ...pickDefined({ description: filledText(description), format: isObject(format) ? format : undefined }),
  at,
});

function readNamespace(draft: PromptDraft, { name, tools, description }: Json, at: string): void {
  if (filledText(description) !== undefined) {
    draft.namespaces ??= new Map();
    draft.namespaces.set(textOf(name) ?? "", description);
  }
  for (const [index, tool] of listOf(tools).entries())
    readTool(draft, tool, `${at}.tools[${index}]`, textOf(name) ?? "");
}

export function readChoice(value: Json): ToolChoice | undefined {
  if (value === "required") return { mode: "any" };
  if (value === "auto" || value === "none") return { mode: value };
  if (!isObject(value)) return undefined;
  if (value.type === "allowed_tools") {
    const allowed = listOf(value.tools).flatMap((tool) => filledText(tool?.name) ?? filledText(tool?.type) ?? []);
    return { mode: value.mode === "required" ? "any" : "auto", allowed };
  }
  // A hosted tool is named by its type.
  const name = filledText(value.name) ?? filledText(value.type);
  const namespace = filledText(value.namespace);
  return name === undefined ? undefined : (pickDefined({ mode: "one", name, namespace }) as ToolChoice);
}

/**
 * Tools for a provider; those of one namespace are adjacent. Responses treats a missing `strict` as true, other APIs as
 * false, so it is always written.
 */
export function writeTools(tools: readonly Tool[], namespaces: Readonly<Record<string, string>>, own: boolean): Json[] {
  const written: Json[] = [];
  const groups = new Map<string, Json[]>();
  for (const tool of tools) {
    const item = writeTool(tool, own);
    const namespace = "namespace" in tool ? tool.namespace : undefined;
    const group = namespace === undefined ? undefined : groups.get(namespace);
    if (group !== undefined) group.push(item);
    else if (namespace === undefined) written.push(item);
    else {
      const members = [item];
      groups.set(namespace, members);
      written.push(
        pickDefined({ type: "namespace", name: namespace, description: namespaces[namespace], tools: members }),
      );
    }
  }
  return written;
}

function writeTool(tool: Tool, own: boolean): Json {
  if (tool.type === "hosted") return tool.item;
  if (tool.type === "search") return writeSearch(tool);
  const { name, description } = tool;
  if (tool.type === "custom") return pickDefined({ type: "custom", name, description, format: tool.format });
  const strict = tool.strict ?? (own ? undefined : false);
  return pickDefined({ type: "function", name, description, parameters: tool.parameters ?? EMPTY, strict });
}
const EMPTY = { type: "object", properties: {} };

const writeSearch = (tool: SearchTool): JsonObject =>
  pickDefined({
    type: "web_search",
    search_context_size: tool.contextSize,
    user_location: tool.location && { type: "approximate", ...tool.location },
    filters: tool.allowedDomains && { allowed_domains: tool.allowedDomains },
  });

export function writeChoice(choice: ToolChoice, tools: readonly Tool[]): Json {
  // A hosted tool is named by its type.
  const kindOf = (name: string) => {
    const tool = tools.find((each) => "name" in each && each.name === name);
    if (tool?.type === "hosted" || (tool === undefined && tools.some(({ type }) => type === "search")))
      return { type: name };
    return tool?.type === "custom" ? { type: "custom", name } : { type: "function", name };
  };
  const mode = choice.mode === "any" ? "required" : choice.mode;
  if (choice.allowed !== undefined) return { type: "allowed_tools", mode, tools: choice.allowed.map(kindOf) };
  if (choice.mode !== "one") return mode;
  const named = kindOf(choice.name ?? "");
  return choice.namespace === undefined ? named : { ...named, namespace: choice.namespace };
}

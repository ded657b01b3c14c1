import type {
  Effort,
  Format,
  FunctionTool,
  Json,
  SearchTool,
  Thinking,
  ToolChoice,
} from "../../../plugin-host/contract.ts";
import { filledText, isObject, listOf, numberOf, pickDefined, textOf } from "../../json.ts";
import { cacheMark, type MemberReader, type PromptDraft } from "../../translate/draft.ts";
import { EFFORTS, isEffort } from "../../translate/effort.ts";

export const readFormat: MemberReader = (draft, value, at) => {
  if (value?.type === "text") draft.set("format", { type: "text" }, at);
  // Together, Fireworks and llama.cpp have a schema here, and Instructor sends it so.
  else if (value?.type === "json_object" && isObject(value.schema)) draft.set("format", schemaFormat(value), at);
  else if (value?.type === "json_object") draft.set("format", { type: "json" }, at);
  else if (value?.type === "json_schema" && isObject(value.json_schema?.schema ?? value.schema))
    draft.set("format", schemaFormat(isObject(value.json_schema) ? value.json_schema : value), at);
  else draft.lose("refused", at, "must be of type text, json_object or json_schema with a schema");
};

/** Chat wraps these members in `json_schema`; Responses puts them beside the type. */
export const schemaFormat = ({ schema, name, description, strict }: Json): Format =>
  pickDefined({
    type: "schema",
    schema,
    name: filledText(name),
    description: filledText(description),
    strict: typeof strict === "boolean" ? strict : undefined,
  }) as Format;

/** `reasoning_effort`, or OpenRouter's `reasoning: { effort, max_tokens, enabled, summary }`. */
export const readThinking: MemberReader = (draft, value, at) => {
  const wish = isObject(value) ? value : { effort: value };
  const off = wish.enabled === false;
  const effort = off ? "none" : textOf(wish.effort);
  if (effort !== undefined && !isEffort(effort)) {
    draft.lose("invalid", isObject(value) ? `${at}.effort` : at, `must be one of ${EFFORTS.join(", ")}`);
    return;
  }
  const thinking: Thinking = pickDefined({
    effort: effort as Effort | undefined,
    budgetTokens: numberOf(wish.max_tokens),
    adaptive: wish.enabled === true && effort === undefined && wish.max_tokens === undefined ? true : undefined,
    summary: textOf(wish.summary),
  }) as Thinking;
  if (Object.keys(thinking).length > 0) draft.set("thinking", { ...draft.settings.thinking, ...thinking }, at);
};

/**
 * A function, a free-text tool, or a tool that the provider runs. Some clients write the first two flat, as in Responses, or
 * a function as in Anthropic's API, with `input_schema`.
 */
export function readTool(draft: PromptDraft, tool: Json, at: string): void {
  const type = textOf(tool?.type) ?? "function";
  const isFlat = filledText(tool?.name) !== undefined;
  if (type === "function" && isObject(tool?.function)) {
    draft.tools.push(functionTool(tool.function, tool, at));
    draft.loseOthers(tool, AROUND_FUNCTION, at);
    draft.loseOthers(tool.function, FUNCTION_MEMBERS, `${at}.function`);
  } else if (isFlat && isObject(tool.input_schema) && (type === "function" || type === "custom")) {
    const { input_schema, ...declared } = tool;
    draft.tools.push(functionTool({ ...declared, parameters: input_schema }, tool, at));
    draft.loseOthers(declared, FUNCTION_MEMBERS, at);
  } else if (type === "function" && isFlat) {
    draft.tools.push(functionTool(tool, tool, at));
    draft.loseOthers(tool, FUNCTION_MEMBERS, at);
  } else if (type === "custom" && (isObject(tool?.custom) || isFlat)) {
    const { name, description, format } = isObject(tool.custom) ? tool.custom : tool;
    draft.tools.push({
      type: "custom",
      name: textOf(name) ?? "",
      ...pickDefined({ description: filledText(description), format: customFormat(format) }),
      at,
    });
  } else if (/^web_search/.test(type)) draft.tools.push(searchTool(draft, tool, at));
  else if (type !== "function" && isObject(tool))
    draft.tools.push({ type: "hosted", shape: "chat-completions", name: type, item: tool, at });
  else draft.lose("invalid", at, "must be a tool with a function");
}

const AROUND_FUNCTION: ReadonlySet<string> = new Set(["type", "function", "cache_control"]);
/** Members of a function that have a place in a prompt. */
export const FUNCTION_MEMBERS: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "parameters",
  "strict",
  "cache_control",
]);

/** Chat puts a grammar into its own member; other APIs put its members beside the type. */
const customFormat = (format: Json): Json =>
  isObject(format?.grammar) ? { type: "grammar", ...format.grammar } : isObject(format) ? format : undefined;

/** `declared` has the function's members; `around` the tool's, if they are two objects. */
export function functionTool(declared: Json, around: Json, at: string): FunctionTool {
  return pickDefined({
    type: "function",
    name: textOf(declared.name) ?? "",
    description: filledText(declared.description),
    parameters: isObject(declared.parameters) ? declared.parameters : undefined,
    strict: typeof declared.strict === "boolean" ? declared.strict : undefined,
    cache: cacheMark(around.cache_control ?? declared.cache_control),
    at,
  }) as FunctionTool;
}

const SEARCH_MEMBERS: ReadonlySet<string> = new Set(["type", "search_context_size", "user_location", "filters"]);

/** OpenAI's web search options, at the top level of a chat request or in a tool. */
export function searchTool(draft: PromptDraft, options: Json, at: string): SearchTool {
  if (isObject(options)) draft.loseOthers(options, SEARCH_MEMBERS, at);
  const place = options?.user_location;
  const { type: _, ...location } = isObject(place?.approximate) ? place.approximate : isObject(place) ? place : {};
  const domains = options?.filters?.allowed_domains;
  return pickDefined({
    type: "search",
    contextSize: filledText(options?.search_context_size),
    location: Object.keys(location).length > 0 ? location : undefined,
    allowedDomains: Array.isArray(domains) ? domains.filter((domain) => typeof domain === "string") : undefined,
    at,
  }) as SearchTool;
}

export const readToolChoice: MemberReader = (draft, value, at) => {
  const choice = typeof value === "string" ? modeOf(value) : isObject(value) ? chosen(value) : undefined;
  if (choice === undefined) draft.lose("invalid", at, "must be auto, none, required, a tool or allowed tools");
  else draft.choose(choice, at);
  if (isObject(value) && value.disable_parallel_tool_use === true)
    draft.set("parallelCalls", false, `${at}.disable_parallel_tool_use`);
};

function modeOf(mode: string): ToolChoice | undefined {
  if (mode === "required" || mode === "any") return { mode: "any" };
  return mode === "auto" || mode === "none" ? { mode } : undefined;
}

function chosen(value: Json): ToolChoice | undefined {
  if (value.type === "allowed_tools") {
    const among = isObject(value.allowed_tools) ? value.allowed_tools : value;
    const allowed = listOf(among.tools)
      .map(nameOf)
      .filter((name) => name !== undefined);
    return { ...(modeOf(textOf(among.mode) ?? "auto") ?? { mode: "auto" }), allowed };
  }
  const name = nameOf(value);
  // Anthropic's mode is the type of an object.
  return name === undefined ? modeOf(textOf(value.type) ?? "") : { mode: "one", name };
}

const nameOf = (tool: Json) =>
  filledText(tool?.function?.name) ?? filledText(tool?.custom?.name) ?? filledText(tool?.name);

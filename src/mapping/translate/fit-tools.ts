import type { FunctionTool, Json, Loss, Prompt, Tool, ToolChoice } from "../../plugin-host/contract.ts";
import { jsonText } from "../json.ts";
import { type Fitting, isUnchosen, switchesOff, thinksUnforced } from "./fitting.ts";
import { ToolNames } from "./tool-names.ts";
import { chosenTool, noteUnsound } from "./unsound-tools.ts";

type MutablePrompt = { -readonly [K in keyof Prompt]: Prompt[K] };

/** Tools and tool choice in the form of the shape. The next step handles tool names in the history. */
export function fitTools(given: Prompt, fitting: Fitting): { readonly prompt: Prompt; readonly names: ToolNames } {
  const { shape, take, losses } = fitting;
  const names = new ToolNames(shape.limits?.toolName);
  const prompt: MutablePrompt = { ...given };
  // Names are assigned in the order of the tools, independent of the history.
  prompt.tools = takenOf(given, fitting).map((tool) => fitTool(tool, fitting, names));
  noteUnsound(given, prompt.tools, fitting);
  if (given.toolChoice !== undefined) choose(prompt, fitChoice(given, given.toolChoice, fitting, names), fitting);
  if (prompt.tools.length === 0) {
    if (prompt.settings.parallelCalls !== undefined) prompt.settings = without(prompt.settings, "parallelCalls");
    delete prompt.toolChoice;
  }
  schemaByTool(prompt, fitting, names);
  schemaByPrompt(prompt, fitting);
  jsonByPrompt(prompt, fitting);
  if (prompt.tools.length === 0 && shape.limits?.callsNeedTools === true && hasCalls(given))
    prompt.tools = [PLACEHOLDER];
  if (given.shape !== shape.name) losses.push(...given.tools.flatMap(extraLosses));
  if (take("namespace") !== "=")
    for (const namespace of Object.keys(given.namespaces ?? {}))
      losses.push({ kind: "dropped", path: `${placeOf(namespace, given.tools)}.description` });
  for (const tool of given.tools)
    if (tool.type === "function" && tool.strict === true && take("strict") === "D")
      losses.push({ kind: "dropped", path: `${tool.at ?? "tools"}.strict` });
  return { prompt, names };
}

function extraLosses(tool: Tool): readonly Loss[] {
  if (tool.type !== "function" || tool.extra === undefined) return [];
  const lost = Object.keys(tool.extra).filter((name) => !PACE.has(name));
  return lost.map((name) => ({ kind: "dropped", path: `${tool.at ?? "tools"}.${name}` }));
}

/** Members that only set how finely a call's arguments are streamed: no response depends on them. */
const PACE: ReadonlySet<string> = new Set(["eager_input_streaming"]);

/** The path of a namespace, from the path of one of its tools. */
function placeOf(namespace: string, tools: readonly Tool[]): string {
  const tool = tools.find((each) => "namespace" in each && each.namespace === namespace);
  return tool?.at?.replace(/\.tools\[\d+\]$/, "") ?? "tools";
}

/** A tool that the model is not meant to call. */
const PLACEHOLDER: FunctionTool = {
  type: "function",
  name: "no_tools_available",
  description: "Not a tool: never call it.",
  parameters: { type: "object", properties: {} },
};

const hasCalls = ({ messages }: Prompt) =>
  messages.some(({ parts }) => parts.some(({ type }) => type === "call" || type === "result"));

function without<T extends object, K extends keyof T>(members: T, name: K): Omit<T, K> {
  const { [name]: _, ...rest } = members;
  return rest;
}

function allowed({ tools, toolChoice }: Prompt, native: boolean): readonly Tool[] {
  const among = toolChoice?.allowed;
  if (native || among === undefined) return tools;
  return tools.filter((tool) => !("name" in tool) || among.includes(tool.name));
}

/** A provider's own tool is dropped for other targets. If it is chosen, or no tool is left, the request is refused. */
function takenOf(given: Prompt, { shape, take, call, losses }: Fitting): readonly Tool[] {
  const tools = allowed(given, take("allowedTools") === "=");
  const { searchMember } = shape.limits ?? {};
  const searches =
    take("search") === "=" && (searchMember === undefined || call.facts.rejects?.includes(searchMember) !== true);
  const isAside = shape.limits?.searchAlone === true && given.tools.some(isFunction);
  const isTaken = (tool: Tool) => {
    if (tool.type === "hosted") return tool.shape === shape.name;
    return tool.type !== "search" || (searches && !isAside);
  };
  const taken = tools.filter(isTaken);
  const { mode, name, namespace } = given.toolChoice ?? {};
  const chosen = mode === "one" ? chosenTool(given, name ?? "", namespace) : undefined;
  for (const tool of tools) {
    if (isTaken(tool)) continue;
    const kind: Loss["kind"] = taken.length === 0 || tool === chosen ? "refused" : "dropped";
    const why =
      tool.type === "search" && isAside ? "the target searches only without functions" : "the target has no such tool";
    losses.push({ kind, path: tool.at ?? "tools", why });
  }
  return taken;
}

const isFunction = ({ type }: Tool) => type === "function" || type === "custom";

function fitTool(tool: Tool, { take }: Fitting, names: ToolNames): Tool {
  if (tool.type !== "function" && tool.type !== "custom") return tool;
  const asFunction = tool.type === "function" || take("customTool") !== "=" ? functionOf(tool) : undefined;
  const known = {
    name: tool.name,
    ...(tool.type === "custom" && asFunction !== undefined ? { custom: true as const } : {}),
  };
  const { namespace, ...rest } = asFunction ?? tool;
  const kept = take("cacheMarks") === "=" ? rest : without(rest, "cache");
  const fitted = take("strict") === "D" && "strict" in kept ? without(kept, "strict") : kept;
  if (namespace === undefined) return { ...fitted, name: names.send(known) } as Tool;
  if (take("namespace") === "=") return { ...fitted, namespace, name: names.send(known) } as Tool;
  return { ...fitted, name: names.send({ ...known, namespace }) } as Tool;
}

/** A free-text tool as a function with one string. */
function functionOf(tool: Tool & { type: "function" | "custom" }): FunctionTool {
  if (tool.type === "function") return tool;
  const { format, description, type: _, ...rest } = tool;
  const grammar =
    format?.type === "grammar"
      ? `The input must follow this ${format.syntax ?? ""} grammar:\n${format.definition ?? ""}`
      : undefined;
  const said = [description, grammar].filter((text) => text !== undefined).join("\n\n");
  return { ...rest, type: "function", ...(said === "" ? {} : { description: said }), parameters: FREE_TEXT };
}

const FREE_TEXT = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input, as free text." } },
  required: ["input"],
  additionalProperties: false,
};

/** The choice, with the names that its tools have at the target. */
function fitChoice(given: Prompt, choice: ToolChoice, { take }: Fitting, names: ToolNames): ToolChoice {
  const inName = take("namespace") !== "=";
  const sent = (name: string, namespace?: string): Pick<ToolChoice, "name" | "namespace"> => {
    const tool = chosenTool(given, name, namespace);
    if (tool?.type === "search") return { name: SEARCH };
    if (tool === undefined || tool.type === "hosted") return { name };
    const of = tool.namespace === undefined ? {} : { namespace: tool.namespace };
    return inName ? { name: names.nameOf({ name, ...of }) } : { name: names.nameOf({ name }), ...of };
  };
  const { allowed, name, namespace, mode } = choice;
  return {
    mode,
    ...(name === undefined ? {} : sent(name, namespace)),
    ...(allowed === undefined || take("allowedTools") !== "="
      ? {}
      : { allowed: allowed.map((each) => sent(each).name!) }),
  };
}
const SEARCH = "web_search";

/** Replaces a choice that the shape lacks by its nearest equivalent. */
function choose(prompt: MutablePrompt, choice: ToolChoice, fitting: Fitting): void {
  const { losses } = fitting;
  const take = (name: Parameters<Fitting["take"]>[0]) => (isUnchosen(fitting) ? "A" : fitting.take(name));
  const lost = (name: "choiceNone" | "choiceAny" | "choiceOne" | "choiceSearch") => {
    if (take(name) === "=") return false;
    losses.push({ kind: "approximated", path: prompt.paths.toolChoice ?? "tool_choice" });
    return true;
  };
  prompt.toolChoice = choice;
  if (choice.mode === "none" && prompt.tools.length === 0 && take("choiceNone") !== "=") delete prompt.toolChoice;
  else if (choice.mode === "none" && lost("choiceNone")) {
    delete prompt.toolChoice;
    if (!hasCalls(prompt)) prompt.tools = [];
  } else if (isSearchChoice(prompt, choice)) {
    if (lost("choiceSearch")) delete prompt.toolChoice;
  } else if (choice.mode === "one" && lost("choiceOne")) {
    prompt.tools = prompt.tools.filter((tool) => "name" in tool && tool.name === choice.name);
    if (take("choiceAny") === "=") prompt.toolChoice = { mode: "any" };
    else delete prompt.toolChoice;
  } else if (choice.mode === "any" && lost("choiceAny")) delete prompt.toolChoice;
}

const isSearchChoice = ({ tools }: Prompt, { mode, name }: ToolChoice) =>
  mode === "one" &&
  name === SEARCH &&
  tools.some(({ type }) => type === "search") &&
  !tools.some((tool) => "name" in tool && tool.name === name);

/** The tool whose input is the response, for models that do not accept a schema. */
function schemaByTool(prompt: MutablePrompt, fitting: Fitting, names: ToolNames): void {
  const { shape, call, losses } = fitting;
  const { format } = prompt.settings;
  if (format?.type !== "schema" || shape.limits?.schemaTool !== true || call.facts.jsonSchema === true) return;
  prompt.settings = without(prompt.settings, "format");
  const description = format.description ?? "Gives the answer to the user. Call it once, with the whole answer.";
  const alone = prompt.tools.length === 0;
  const name = freeName(prompt.tools);
  prompt.tools = [...prompt.tools, { type: "function", name, description, parameters: format.schema as Json }];
  names.answerTool = name;
  if (!alone) return;
  const asked = prompt.paths.format ?? "response_format";
  if (isUnchosen(fitting)) {
    losses.push({ kind: "approximated", path: asked, why: "the model cannot be forced to call a tool" });
    return;
  }
  prompt.toolChoice = { mode: "one", name };
  const { thinking } = prompt.settings;
  const off = switchesOff(fitting) && thinking?.effort !== "none";
  if (!off && !(thinksUnforced(fitting) && isOn(thinking))) return;
  losses.push({
    kind: "approximated",
    path: isOn(thinking) ? (prompt.paths.thinking ?? "thinking") : asked,
    why: "the model cannot think if a tool is forced",
  });
  prompt.settings = without(prompt.settings, "thinking");
  if (off) prompt.settings = { ...prompt.settings, thinking: { effort: "none" } };
}
const isOn = (thinking: Prompt["settings"]["thinking"]) => thinking !== undefined && thinking.effort !== "none";
const OUTPUT_TOOL = "json_answer";

/** Avoids the names of the client's tools. */
function freeName(tools: readonly Tool[]): string {
  const taken = new Set(tools.map((tool) => ("name" in tool ? tool.name : "")));
  let name = OUTPUT_TOOL;
  for (let count = 2; taken.has(name); count++) name = `${OUTPUT_TOOL}_${count}`;
  return name;
}

/** A schema in words, for models that accept a JSON object alone. */
function schemaByPrompt(prompt: MutablePrompt, { shape, call, losses }: Fitting): void {
  const { format } = prompt.settings;
  if (format?.type !== "schema" || shape.limits?.schemaText !== true || call.facts.jsonSchema !== false) return;
  losses.push({ kind: "approximated", path: prompt.paths.format ?? "response_format" });
  prompt.settings = { ...prompt.settings, format: { type: "json" } };
  const about = format.description === undefined ? "" : `${format.description}\n`;
  addSystemLine(prompt, `${about}${JSON_LINE} It fits this JSON Schema:\n${jsonText(format.schema)}`);
}

function jsonByPrompt(prompt: MutablePrompt, { take, losses }: Fitting): void {
  if (prompt.settings.format?.type !== "json" || take("jsonObject") === "=") return;
  losses.push({ kind: "approximated", path: prompt.paths.format ?? "response_format" });
  prompt.settings = without(prompt.settings, "format");
  addSystemLine(prompt, JSON_LINE);
}

/** After the leading system texts. */
function addSystemLine(prompt: MutablePrompt, text: string): void {
  const line = { role: "system" as const, parts: [{ type: "text" as const, text }] };
  const leading = prompt.messages.findIndex(({ role }) => role !== "system");
  const at = leading === -1 ? prompt.messages.length : leading;
  prompt.messages = [...prompt.messages.slice(0, at), line, ...prompt.messages.slice(at)];
}
const JSON_LINE = "Answer with one JSON object and nothing else: no text around it, no code fence.";

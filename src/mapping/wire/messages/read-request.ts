import type { Effort, Json, Message, Part, Prompt, Thinking, ToolChoice } from "../../../plugin-host/contract.ts";
import {
  filledText,
  isObject,
  type JsonObject,
  jsonText,
  listOf,
  numberOf,
  pickDefined,
  setMember,
  textOf,
} from "../../json.ts";
import { withTools } from "../../translate/changed-tools.ts";
import {
  cacheMark,
  type MemberReader,
  number,
  PromptDraft,
  readMembers,
  saysSomething,
  text,
  texts,
} from "../../translate/draft.ts";
import { EFFORTS, isEffort } from "../../translate/effort.ts";
import { type MemberType, noteWrongTypes } from "../../translate/member-types.ts";
import { signedCalls } from "../../translate/signed-calls.ts";
import { userInMetadata } from "../../user-id.ts";
import { readBlocks } from "./blocks.ts";

/** A request to Anthropic's messages. */
export function readRequest(body: Json): Prompt {
  const draft = new PromptDraft("messages");
  noteWrongTypes(draft, body, TYPES);
  // The system text precedes the turns, wherever it is in the body.
  if (isObject(body)) readSystem(draft, body.system);
  readMembers(draft, body, MEMBERS);
  if (!Array.isArray(body?.messages)) draft.lose("invalid", "messages", "must be a list of messages");
  const shown = body?.thinking?.type === "enabled" || body?.thinking?.type === "adaptive";
  draft.wants.reasoning = shown;
  draft.wants.state = shown;
  return draft.finish();
}

const TYPES: MemberType = {
  model: "text",
  stream: "flag",
  tools: [{ type: "text", name: "text", description: "text", input_schema: "object", strict: "flag" }],
  metadata: "object",
  thinking: "object",
  output_config: "object",
};

function readSystem(draft: PromptDraft, system: Json): void {
  if (system === undefined || system === null) return;
  const parts = readBlocks(draft, system, "system");
  if (parts.length > 0) draft.messages.push({ role: "system", parts, at: "system" });
}

const MEMBERS: Readonly<Record<string, MemberReader>> = {
  model: (draft, value) => {
    draft.model = textOf(value);
  },
  stream: (draft, value) => {
    draft.stream = value === true;
  },
  system: () => {},
  messages: (draft, value) => {
    for (const [index, message] of listOf(value).entries()) readMessage(draft, message, `messages[${index}]`);
  },
  max_tokens: number("maxTokens"),
  temperature: number("temperature"),
  top_p: number("topP"),
  top_k: number("topK"),
  stop_sequences: texts("stop"),
  service_tier: (draft, value, at) => {
    // Anthropic's name for `default`.
    text("serviceTier")(draft, value === "standard_only" ? "default" : value, at);
  },
  metadata: (draft, value, at) => {
    const user = userInMetadata(value);
    if (user !== undefined) draft.set("user", user, `${at}.user_id`);
    draft.loseOthers(value, USER_ID, at);
  },
  tools: (draft, value, at) => {
    for (const [index, tool] of listOf(value).entries()) readTool(draft, tool, `${at}[${index}]`);
  },
  tool_choice: (draft, value, at) => {
    const choice = readChoice(value);
    if (choice === undefined) draft.lose("invalid", at, "must be of type auto, any, none or tool with a name");
    else draft.choose(choice, at);
    if (value.disable_parallel_tool_use === true) draft.set("parallelCalls", false, `${at}.disable_parallel_tool_use`);
  },
  thinking: (draft, value, at) => {
    const thinking = readThinking(value);
    if (thinking === undefined)
      draft.lose("invalid", at, "must be of type enabled with budget_tokens, adaptive, between_tools or disabled");
    else draft.set("thinking", { ...draft.settings.thinking, ...thinking }, at);
    if (value.type === "between_tools") draft.lose("approximated", at, "other APIs cannot think between tools alone");
  },
  output_config: (draft, value, at) => {
    readEffort(draft, value.effort, `${at}.effort`);
    readFormat(draft, value.format, `${at}.format`);
    draft.loseOthers(value, CONFIG_MEMBERS, at);
  },
  output_format: (draft, value, at) => readFormat(draft, value, at),
  cache_control: (draft, value) => {
    draft.topMark = cacheMark(value);
  },
  // Members that some platforms use instead of headers and path.
  anthropic_version: () => {},
};

const USER_ID: ReadonlySet<string> = new Set(["user_id"]);
const CONFIG_MEMBERS: ReadonlySet<string> = new Set(["effort", "format"]);
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(["role", "content"]);

const ROLES: Readonly<Record<string, Message["role"]>> = { user: "user", assistant: "assistant", system: "system" };

function readMessage(draft: PromptDraft, message: Json, at: string): void {
  const role = textOf(message?.role) ?? "";
  if (!Object.hasOwn(ROLES, role)) {
    draft.lose("invalid", isObject(message) ? `${at}.role` : at, "must be user, assistant or system");
    return;
  }
  draft.loseOthers(message, MESSAGE_MEMBERS, at);
  const parts = readBlocks(draft, message.content, `${at}.content`);
  const ready = role === "assistant" ? signedCalls(parts) : parts.map((part) => withToolChange(draft, part));
  draft.messages.push({ role: ROLES[role]!, parts: ready, at });
}

/** A block that adds a tool, by its definition or by the name of one that was removed, or removes one. */
function withToolChange(draft: PromptDraft, part: Part): Part {
  if (part.type !== "hosted") return part;
  const { type, tool } = part.item;
  const names = tool?.type === "tool_reference" && typeof tool.name === "string" ? [tool.name] : [];
  if (type === "tool_removal") return { ...part, removed: names };
  if (type !== "tool_addition") return part;
  if (tool?.type !== "tool_definition") return { ...part, restored: names, tools: [] };
  return withTools(draft, part, () => readTool(draft, tool.definition, `${part.at}.tool.definition`));
}

function readChoice(value: Json): ToolChoice | undefined {
  const type = value?.type;
  if (type === "auto" || type === "any" || type === "none") return { mode: type };
  const name = filledText(value?.name);
  return type === "tool" && name !== undefined ? { mode: "one", name } : undefined;
}

/** The member `thinking`; undefined if it is none. */
export function readThinking(value: Json): Thinking | undefined {
  const summary = value?.display === "summarized" ? "auto" : undefined;
  // A model that cannot think between tools alone does not think, as with Anthropic's own fallbacks.
  if (value?.type === "disabled" || value?.type === "between_tools") return { effort: "none" };
  if (value?.type === "adaptive") return pickDefined({ adaptive: true, summary }) as Thinking;
  const budgetTokens = numberOf(value?.budget_tokens);
  if (value?.type !== "enabled" || budgetTokens === undefined) return undefined;
  return pickDefined({ budgetTokens, summary }) as Thinking;
}

function readEffort(draft: PromptDraft, value: Json, at: string): void {
  if (value === undefined || value === null) return;
  const effort = textOf(value) ?? "";
  if (!isEffort(effort)) draft.lose("invalid", at, `must be one of ${EFFORTS.join(", ")}`);
  else draft.set("thinking", { ...draft.settings.thinking, effort: effort as Effort }, at);
}

function readFormat(draft: PromptDraft, value: Json, at: string): void {
  if (value === undefined || value === null) return;
  if (value.type === "json_schema" && isObject(value.schema))
    draft.set("format", { type: "schema", schema: value.schema }, at);
  else draft.lose("refused", at, "must be of type json_schema with a schema");
}

/** Members of a function that have a place in a prompt. */
const TOOL_MEMBERS: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "input_schema",
  "strict",
  "cache_control",
]);

const SEARCH_MEMBERS: ReadonlySet<string> = new Set([
  "type",
  "name",
  "max_uses",
  "allowed_domains",
  "blocked_domains",
  "user_location",
  "cache_control",
]);

function readTool(draft: PromptDraft, tool: Json, at: string): void {
  if (!isObject(tool)) {
    draft.lose("invalid", at, "must be a tool");
    return;
  }
  const type = textOf(tool.type) ?? "custom";
  const cache = cacheMark(tool.cache_control);
  if (type.startsWith("web_search")) {
    draft.loseOthers(tool, SEARCH_MEMBERS, at);
    const { type: _, ...location } = isObject(tool.user_location) ? tool.user_location : {};
    draft.tools.push({
      type: "search",
      ...pickDefined({
        maxUses: numberOf(tool.max_uses),
        allowedDomains: domains(tool.allowed_domains),
        blockedDomains: domains(tool.blocked_domains),
        location: Object.keys(location).length > 0 ? location : undefined,
        cache,
      }),
      at,
    });
    return;
  }
  const name = textOf(tool.name) ?? type;
  if (type !== "custom") {
    draft.tools.push({ type: "hosted", shape: "messages", name, item: tool, at });
    return;
  }
  const extra: JsonObject = {};
  for (const member of Object.keys(tool))
    if (!TOOL_MEMBERS.has(member) && saysSomething(tool[member])) setMember(extra, member, tool[member]);
  draft.tools.push({
    type: "function",
    name,
    ...pickDefined({
      extra: Object.keys(extra).length > 0 ? extra : undefined,
      description: filledText(tool.description),
      parameters: isObject(tool.input_schema) ? tool.input_schema : undefined,
      strict: typeof tool.strict === "boolean" ? tool.strict : undefined,
      cache,
    }),
    at,
  });
}

const domains = (value: Json): string[] | undefined =>
  Array.isArray(value) ? value.filter((domain) => typeof domain === "string") : undefined;

/** A call's input is an object; prompts have it as text. */
export const inputText = (input: Json): string =>
  typeof input === "string" ? input : input === undefined || input === null ? "" : jsonText(input);

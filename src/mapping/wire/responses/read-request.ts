import type { Effort, Json, Part, Prompt, Thinking } from "../../../plugin-host/contract.ts";
import { isObject, listOf, pickDefined, textOf } from "../../json.ts";
import { as, endUser, flag, type MemberReader, number, PromptDraft, readMembers, text } from "../../translate/draft.ts";
import { EFFORTS, isEffort } from "../../translate/effort.ts";
import { type MemberType, noteWrongTypes } from "../../translate/member-types.ts";
import { schemaFormat } from "../chat-completions/request-members.ts";
import { readItems } from "./items.ts";
import { readChoice, readTool } from "./tools.ts";

/** A value of `include` that has another place in prompts. */
const STATE = "reasoning.encrypted_content";
const LOGPROBS = "message.output_text.logprobs";

/** A request to OpenAI's responses. */
export function readRequest(body: Json): Prompt {
  const draft = new PromptDraft("responses");
  noteWrongTypes(draft, body, TYPES);
  readInstructions(draft, body);
  draft.wants.reasoning = true;
  draft.wants.state = body?.store === false;
  readMembers(draft, body, MEMBERS);
  if (isObject(body) && !SAYS_WHAT.some((name) => body[name] !== undefined && body[name] !== null))
    draft.lose("invalid", "input", "must be a text or a list of items");
  return draft.finish();
}

/** Instructions precede the input, wherever they are in the body. */
export function readInstructions(draft: PromptDraft, body: Json): void {
  const instructions = textOf(body?.instructions);
  if (instructions === undefined || instructions === "") return;
  const parts: Part[] = [{ type: "text", text: instructions, at: "instructions" }];
  draft.messages.push({ role: "system", parts, at: "instructions" });
}

/** One of these is required. */
const SAYS_WHAT = ["input", "previous_response_id", "prompt", "conversation"];

export const TYPES = {
  model: "text",
  stream: "flag",
  stream_options: "object",
  instructions: "text",
  tools: [{ type: "text", name: "text", description: "text", parameters: "object", strict: "flag" }],
  text: "object",
  include: ["text"],
} as const satisfies MemberType;

export const MEMBERS: Readonly<Record<string, MemberReader>> = {
  model: (draft, value) => {
    draft.model = textOf(value);
  },
  stream: (draft, value) => {
    draft.stream = value === true;
  },
  stream_options: () => {},
  instructions: () => {},
  input: (draft, value, at) => {
    if (typeof value === "string")
      draft.messages.push({ role: "user", parts: [{ type: "text", text: value, at }], at });
    else if (Array.isArray(value)) readItems(draft, value, (index) => `${at}[${index}]`);
    else draft.lose("invalid", at, "must be a text or a list of items");
  },
  max_output_tokens: number("maxTokens"),
  temperature: number("temperature"),
  top_p: number("topP"),
  top_logprobs: (draft, value, at) => {
    if (value !== 0) number("topLogprobs")(draft, value, at);
  },
  tools: (draft, value, at) => {
    for (const [index, tool] of listOf(value).entries()) readTool(draft, tool, `${at}[${index}]`);
  },
  tool_choice: (draft, value, at) => {
    const choice = readChoice(value);
    if (choice === undefined) draft.lose("invalid", at, "must be auto, none, required, a tool or allowed tools");
    else draft.choose(choice, at);
  },
  parallel_tool_calls: flag("parallelCalls"),
  text: (draft, value, at) => {
    readFormat(draft, value.format, `${at}.format`);
    if (value.verbosity !== undefined && value.verbosity !== null)
      text("verbosity")(draft, value.verbosity, `${at}.verbosity`);
  },
  reasoning: readThinking,
  include: (draft, value, at) => {
    const included: readonly string[] = listOf(value).filter((name) => typeof name === "string");
    if (included.includes(STATE)) draft.wants.state = true;
    if (included.includes(LOGPROBS)) draft.set("logprobs", true, at);
    const others = included.filter((name) => name !== STATE && name !== LOGPROBS);
    if (others.length > 0) draft.set("include", others, at);
  },
  user: endUser,
  safety_identifier: endUser,
  prompt_cache_key: text("cacheKey"),
  metadata: as("metadata"),
  store: flag("store"),
  service_tier: text("serviceTier"),
  truncation: as("truncation"),
  previous_response_id: text("previousResponse"),
  conversation: as("conversation"),
  background: flag("background"),
  prompt: as("storedPrompt"),
};

function readFormat(draft: PromptDraft, value: Json, at: string): void {
  if (value === undefined || value === null) return;
  if (value.type === "text") draft.set("format", { type: "text" }, at);
  else if (value.type === "json_object") draft.set("format", { type: "json" }, at);
  else if (value.type === "json_schema" && isObject(value.schema)) draft.set("format", schemaFormat(value), at);
  else draft.lose("refused", at, "must be of type text, json_object or json_schema with a schema");
}

function readThinking(draft: PromptDraft, value: Json, at: string): void {
  const effort = textOf(value.effort);
  if (effort !== undefined && !isEffort(effort)) {
    draft.lose("invalid", `${at}.effort`, `must be one of ${EFFORTS.join(", ")}`);
    return;
  }
  const summary = textOf(value.summary) ?? textOf(value.generate_summary);
  const thinking = pickDefined({ effort: effort as Effort | undefined, summary }) as Thinking;
  if (Object.keys(thinking).length > 0) draft.set("thinking", thinking, at);
}

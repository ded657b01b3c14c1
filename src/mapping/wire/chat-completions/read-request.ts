import type { Json, Prompt } from "../../../plugin-host/contract.ts";
import { isObject, listOf, textOf } from "../../json.ts";
import {
  as,
  cacheMark,
  digits,
  endUser,
  flag,
  type MemberReader,
  number,
  PromptDraft,
  readMembers,
  text,
  texts,
} from "../../translate/draft.ts";
import { type MemberType, noteWrongTypes } from "../../translate/member-types.ts";
import { readThinking } from "../messages/read-request.ts";
import { MEMBERS as RESPONSES_MEMBERS, TYPES as RESPONSES_TYPES, readInstructions } from "../responses/read-request.ts";
import { readChoice as readResponsesChoice, readTool as readResponsesTool } from "../responses/tools.ts";
import { hasInput, readInput } from "./input.ts";
import { readMessages } from "./read-messages.ts";
import { readThinking as readEffort, readFormat, readTool, readToolChoice, searchTool } from "./request-members.ts";

/** A request to chat completions. Its conversation may be that of a Responses request. */
export function readRequest(body: Json): Prompt {
  const isInput = hasInput(body);
  const draft = new PromptDraft(isInput ? BOTH : "chat-completions");
  noteWrongTypes(draft, body, isInput ? INPUT_TYPES : TYPES);
  if (isInput) readInstructions(draft, body);
  readMembers(draft, body, isInput ? INPUT_MEMBERS : MEMBERS);
  if (!isInput) readClaudeThinking(draft, body?.thinking);
  if (!isInput && !Array.isArray(body?.messages)) draft.lose("invalid", "messages", "must be a list of messages");
  draft.wants.reasoning = body?.reasoning?.exclude !== true;
  draft.wants.state = true;
  return draft.finish();
}

/**
 * Anthropic's `thinking`, which its own chat completions, Z.ai, DeepSeek and other gateways take as well; a budget may be
 * missing. OpenAI's effort goes before it. It stays among the unknown members, for providers that have it.
 */
function readClaudeThinking(draft: PromptDraft, value: Json): void {
  if (draft.settings.thinking !== undefined || !isObject(value)) return;
  const thinking = readThinking(value) ?? (value.type === "enabled" ? { adaptive: true } : undefined);
  draft.set("thinking", thinking, "thinking");
}

const FUNCTION: MemberType = { name: "name", description: "text", parameters: "object", strict: "flag" };
const MAYBE_FUNCTION: MemberType = { ...FUNCTION, name: "text" };

const TYPES = {
  model: "text",
  stream: "flag",
  stream_options: "object",
  tools: [{ ...MAYBE_FUNCTION, type: "text", function: FUNCTION, custom: { name: "name", description: "text" } }],
  functions: [FUNCTION],
  messages: [
    {
      name: "text",
      tool_call_id: "text",
      refusal: "text",
      tool_calls: [{ id: "text", type: "text", function: { name: "name" }, custom: { name: "name", input: "text" } }],
      function_call: { name: "name" },
    },
  ],
} as const satisfies MemberType;

/** For a body with `input`. */
const INPUT_TYPES: MemberType = { ...RESPONSES_TYPES, ...TYPES };

const limit: MemberReader = (draft, value, at) => {
  // Both names may be present; the newer one is used, in any order.
  if (at === "max_tokens" && draft.settings.maxTokens !== undefined) return;
  number("maxTokens")(draft, value, at);
};

const MEMBERS: Readonly<Record<string, MemberReader>> = {
  model: (draft, value) => {
    draft.model = textOf(value);
  },
  stream: (draft, value) => {
    draft.stream = value === true;
  },
  stream_options: (draft, value) => {
    if (value.include_usage === true) draft.wants.usage = true;
  },
  messages: (draft, value, at) => readMessages(draft, listOf(value), (index) => `${at}[${index}]`),
  max_tokens: limit,
  max_completion_tokens: limit,
  temperature: number("temperature"),
  top_p: number("topP"),
  top_k: number("topK"),
  stop: (draft, value, at) => {
    if (typeof value === "string") draft.set("stop", [value], at);
    else texts("stop")(draft, value, at);
  },
  seed: digits("seed"),
  presence_penalty: number("presencePenalty"),
  frequency_penalty: number("frequencyPenalty"),
  logit_bias: as("logitBias"),
  n: number("n"),
  logprobs: flag("logprobs"),
  top_logprobs: number("topLogprobs"),
  response_format: readFormat,
  reasoning_effort: readEffort,
  reasoning: readEffort,
  verbosity: text("verbosity"),
  tools: (draft, value, at) => {
    for (const [index, tool] of listOf(value).entries()) readTool(draft, tool, `${at}[${index}]`);
  },
  functions: (draft, value, at) => {
    draft.wants.legacyFunctions = true;
    for (const [index, declared] of listOf(value).entries())
      readTool(draft, { type: "function", function: declared }, `${at}[${index}]`);
  },
  tool_choice: readToolChoice,
  function_call: readToolChoice,
  parallel_tool_calls: flag("parallelCalls"),
  web_search_options: (draft, value, at) => {
    draft.tools.push(searchTool(draft, value, at));
  },
  user: endUser,
  safety_identifier: endUser,
  prompt_cache_key: text("cacheKey"),
  metadata: as("metadata"),
  store: flag("store"),
  service_tier: text("serviceTier"),
  prediction: as("prediction"),
  modalities: texts("modalities"),
  audio: as("audio"),
  cache_control: (draft, value) => {
    draft.topMark = cacheMark(value);
  },
};

/** A body with members of two APIs has neither shape: each can express only a part of it. */
const BOTH = "chat-completions with input";

/** Members of both APIs, for a body with `input`. */
const INPUT_MEMBERS: Readonly<Record<string, MemberReader>> = {
  ...RESPONSES_MEMBERS,
  ...MEMBERS,
  input: readInput,
  tools: (draft, value, at) => {
    for (const [index, tool] of listOf(value).entries())
      (isOwnTool(tool) ? readTool : readResponsesTool)(draft, tool, `${at}[${index}]`);
  },
  tool_choice: (draft, value, at) => {
    const choice = isOwnTool(value) ? undefined : readResponsesChoice(value);
    if (choice === undefined) readToolChoice(draft, value, at);
    else draft.choose(choice, at);
  },
};

/** In Responses, a function's members are beside the type. */
const isOwnTool = (tool: Json) =>
  isObject(tool) && (isObject(tool.function) || isObject(tool.custom) || isObject(tool.input_schema) || !tool.type);

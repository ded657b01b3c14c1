import type { ApiError, Finish, Prompt, Reply, Tool, Usage } from "../../../plugin-host/contract.ts";
import { isObject, type JsonObject, pickDefined } from "../../json.ts";
import { isContextError } from "../../translate/errors.ts";
import { writeChoice, writeTools } from "./tools.ts";
import { writeText } from "./write-request.ts";

/** The object around the output, with the client's settings and tools. */
export function responseOf({ id, created, model, prompt }: Reply, members: JsonObject): JsonObject {
  const { settings, tools, toolChoice, namespaces } = prompt;
  return {
    id,
    object: "response",
    created_at: created,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: instructionsOf(prompt) ?? null,
    max_output_tokens: settings.maxTokens ?? null,
    metadata: settings.metadata ?? {},
    model,
    parallel_tool_calls: settings.parallelCalls ?? true,
    previous_response_id: settings.previousResponse ?? null,
    prompt_cache_key: settings.cacheKey ?? null,
    reasoning: { effort: settings.thinking?.effort ?? null, summary: settings.thinking?.summary ?? null },
    store: settings.store ?? false,
    temperature: settings.temperature ?? null,
    text: { format: { type: "text" }, ...writeText(settings) },
    tool_choice: toolChoice === undefined ? "auto" : writeChoice(toolChoice, tools),
    tools: writeTools(tools.map(withoutAccess), namespaces ?? {}, true),
    top_p: settings.topP ?? null,
    truncation: settings.truncation ?? "disabled",
    usage: null,
    user: settings.user ?? null,
    ...members,
    output: [...members.output],
  };
}

/** The member `instructions` as the client wrote it; system texts within `input` are not repeated. */
function instructionsOf({ messages }: Prompt): string | undefined {
  const [part] = messages.find(({ at }) => at === "instructions")?.parts ?? [];
  return part?.type === "text" ? part.text : undefined;
}

/** As at OpenAI, a response does not repeat what gives access to the server of a hosted tool. */
function withoutAccess(tool: Tool): Tool {
  if (tool.type !== "hosted" || !isObject(tool.item)) return tool;
  const { authorization, headers, ...item } = tool.item;
  return { ...tool, item };
}

const INCOMPLETE: Readonly<Partial<Record<Finish, string>>> = {
  length: "max_output_tokens",
  context: "max_output_tokens",
  filter: "content_filter",
};

/** The members that change when the response ends: its status, why it is incomplete, and its usage. */
export function endOf(finish: Finish, usage: Usage) {
  const reason = INCOMPLETE[finish];
  const status = reason === undefined ? "completed" : "incomplete";
  return { status, incomplete_details: reason === undefined ? null : { reason }, usage: writeUsage(usage) };
}

/** OpenAI's counts are inclusive, like Weir's. Each count is required: an absent one makes OpenAI's Python SDK raise where it is read. */
function writeUsage(usage: Usage): JsonObject {
  const input = usage.prompt_tokens ?? 0;
  const output = usage.completion_tokens ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.prompt_cache_read_tokens ?? 0,
      cache_write_tokens: usage.prompt_cache_write_tokens ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: input + output,
  };
}

/** The error of a failed response. */
export const errorOf = (error: ApiError): JsonObject =>
  pickDefined({ code: codeOf(error), message: error.message, upstream: error.upstream });

/** The provider's own code, if it is a word; otherwise OpenAI's. Clients wait and retry after `rate_limit_exceeded`. */
function codeOf(error: ApiError): string {
  if (isContextError(error)) return "context_length_exceeded";
  if (error.code !== undefined && /[a-z]/i.test(error.code)) return error.code;
  return error.status === 429 ? "rate_limit_exceeded" : "server_error";
}

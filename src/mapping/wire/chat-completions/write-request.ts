import type {
  Call,
  CallPart,
  Json,
  Message,
  ModelFacts,
  Part,
  Prompt,
  ResultPart,
  Settings,
  Tool,
  ToolChoice,
  WrittenRequest,
} from "../../../plugin-host/contract.ts";
import { type JsonObject, pickDefined } from "../../json.ts";
import { shortUser } from "../../user-id.ts";
import { searchLosses } from "../search-losses.ts";
import { writeContent } from "./content.ts";
import { writeDetails } from "./reasoning.ts";

/** A body for a provider with the chat completions API. */
export function writeRequest(prompt: Prompt, call: Call): WrittenRequest {
  const { settings, tools } = prompt;
  const search = tools.find((tool) => tool.type === "search");
  const declared = tools.filter((tool) => tool.type !== "search");
  return {
    body: pickDefined({
      model: call.model,
      messages: writeMessages(prompt, call),
      tools: declared.length > 0 ? declared.map(writeTool) : undefined,
      tool_choice: declared.length > 0 && prompt.toolChoice ? writeChoice(prompt.toolChoice) : undefined,
      ...writeSettings(settings, call),
      ...(keepsThinking(prompt) ? undefined : writeThinking(settings, call)),
      web_search_options: search && searchOptions(search),
      stream: prompt.stream || undefined,
      stream_options: prompt.stream && takesStreamOptions(call.facts) ? { include_usage: true } : undefined,
    }),
    losses: search === undefined ? [] : searchLosses(search, prompt, ["allowedDomains", "blockedDomains", "maxUses"]),
  };
}

/** A body of this shape keeps the member `thinking` that it was read from. */
const keepsThinking = ({ shape, paths }: Prompt): boolean =>
  shape === "chat-completions" && paths.thinking === "thinking";

function writeThinking({ thinking }: Settings, { facts }: Call): JsonObject {
  if (thinking?.effort === "none" && facts.thinkingSwitch === true) return { thinking: { type: "disabled" } };
  return { reasoning_effort: thinking?.effort };
}

/** A provider without them reports the usage of every stream. */
export const takesStreamOptions = ({ rejects }: ModelFacts): boolean => rejects?.includes("stream_options") !== true;

function writeSettings(settings: Settings, { facts }: Call): JsonObject {
  return {
    [facts.maxTokensName ?? "max_tokens"]: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    stop: settings.stop,
    [facts.seedName ?? "seed"]: settings.seed,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    logit_bias: settings.logitBias,
    n: settings.n,
    logprobs: settings.logprobs,
    top_logprobs: settings.topLogprobs,
    response_format: writeFormat(settings.format),
    verbosity: settings.verbosity,
    parallel_tool_calls: settings.parallelCalls,
    user: shortUser(settings.user),
    prompt_cache_key: settings.cacheKey,
    metadata: settings.metadata,
    store: settings.store,
    service_tier: settings.serviceTier,
    prediction: settings.prediction,
    modalities: settings.modalities,
    audio: settings.audio,
  };
}

function writeMessages({ messages }: Prompt, call: Call): JsonObject[] {
  const written = messages.flatMap((message) => writeMessage(message, call));
  const last = written.at(-1);
  if (call.facts.prefixNeeded === true && last?.role === "assistant" && last.tool_calls === undefined)
    last.prefix = true;
  return written;
}

/** One turn is one message, but each result is a separate message. */
function writeMessage(message: Message, call: Call): JsonObject[] {
  const { role, parts, name } = message;
  if (role === "assistant") return [writeAssistant(parts, name, call)];
  const results = parts.filter((part) => part.type === "result");
  const others = results.length === 0 ? parts : parts.filter((part) => part.type !== "result");
  const written: JsonObject[] = results.map((part) => writeResult(part, call));
  if (others.length > 0 || results.length === 0)
    written.push(pickDefined({ role, content: others.length === 0 ? "" : writeContent(others, call.facts), name }));
  return written;
}

const writeResult = ({ id, parts }: ResultPart, { facts }: Call): JsonObject => ({
  role: "tool",
  tool_call_id: id,
  content: parts.length === 0 ? "" : writeContent(parts, facts),
});

function writeAssistant(parts: readonly Part[], name: string | undefined, { facts }: Call): JsonObject {
  const said = parts.filter((part) => part.type === "text" || part.type === "refusal");
  const calls = parts.filter((part) => part.type === "call");
  const reasoning = parts.filter((part) => part.type === "reasoning");
  const message: JsonObject = { role: "assistant" };
  if (name !== undefined) message.name = name;
  const isSilent = said.length === 0 && calls.length === 0;
  message.content = isSilent ? "" : said.length === 0 ? null : writeContent(said, facts);
  const text = reasoning.map((part) => part.text).join("");
  if (facts.reasoningMember !== undefined && text !== "") message[facts.reasoningMember] = text;
  const stated = reasoning.filter((part) => part.state !== undefined);
  if (stated.length > 0) message.reasoning_details = stated.flatMap((part, index) => writeDetails(part, index, true));
  if (calls.length > 0) message.tool_calls = calls.map(writeCall);
  return message;
}

const writeCall = ({ id, name, arguments: text, state }: CallPart): JsonObject =>
  pickDefined({
    id,
    type: "function",
    function: { name, arguments: text === "" ? "{}" : text },
    extra_content: state && { google: { thought_signature: state.value } },
  });

function writeTool(tool: Tool): Json {
  if (tool.type === "hosted") return tool.item;
  if (tool.type !== "function") return undefined;
  const { name, description, parameters, strict } = tool;
  return { type: "function", function: pickDefined({ name, description, parameters, strict }) };
}

function searchOptions(tool: Tool & { type: "search" }): JsonObject {
  const place = tool.location && { type: "approximate", approximate: tool.location };
  return pickDefined({ search_context_size: tool.contextSize, user_location: place });
}

function writeChoice({ mode, name }: ToolChoice): Json {
  if (mode === "one") return { type: "function", function: { name } };
  return mode === "any" ? "required" : mode;
}

function writeFormat(format: Settings["format"]): Json {
  if (format === undefined || format.type === "text") return format;
  if (format.type === "json") return { type: "json_object" };
  const { schema, name, description, strict } = format;
  return { type: "json_schema", json_schema: pickDefined({ name: name ?? "answer", description, schema, strict }) };
}

import type { Call, Json, Message, Prompt, Settings, WrittenRequest } from "../../../plugin-host/contract.ts";
import { type JsonObject, pickDefined } from "../../json.ts";
import { shortUser } from "../../user-id.ts";
import { searchLosses } from "../search-losses.ts";
import { PARAGRAPH, writeTurn } from "./items.ts";
import { writeChoice, writeTools } from "./tools.ts";

/** A body for a provider with OpenAI's Responses API. */
export function writeRequest(prompt: Prompt, call: Call): WrittenRequest {
  const { settings, messages, tools, toolChoice } = prompt;
  const turns = messages.findIndex(({ role }) => role !== "system");
  const leading = turns === -1 ? messages : messages.slice(0, turns);
  const own = prompt.shape === "responses";
  return {
    body: pickDefined({
      model: call.model,
      instructions: leading.length > 0 ? textOf(leading) : undefined,
      input: (turns === -1 ? [] : messages.slice(turns)).flatMap(writeTurn),
      tools: tools.length > 0 ? writeTools(tools, prompt.namespaces ?? {}, own) : undefined,
      tool_choice: tools.length > 0 && toolChoice !== undefined ? writeChoice(toolChoice, tools) : undefined,
      parallel_tool_calls: settings.parallelCalls,
      max_output_tokens: settings.maxTokens,
      temperature: settings.temperature,
      top_p: settings.topP,
      top_logprobs: settings.topLogprobs,
      reasoning: writeThinking(settings),
      text: writeText(settings),
      include: writeInclude(prompt, call),
      // The provider must not store anything unless the client requests it.
      store: settings.store ?? (own ? undefined : false),
      user: shortUser(settings.user),
      prompt_cache_key: settings.cacheKey,
      metadata: settings.metadata,
      service_tier: settings.serviceTier,
      truncation: settings.truncation,
      previous_response_id: settings.previousResponse,
      conversation: settings.conversation,
      background: settings.background,
      prompt: settings.storedPrompt,
      stream: prompt.stream || undefined,
    }),
    losses: tools.flatMap((tool) =>
      tool.type === "search" ? searchLosses(tool, prompt, ["blockedDomains", "maxUses"]) : [],
    ),
  };
}

const textOf = (messages: readonly Message[]): string =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : []))).join(PARAGRAPH);

function writeThinking({ thinking }: Settings): JsonObject | undefined {
  if (thinking === undefined) return undefined;
  const written = pickDefined({ effort: thinking.effort, summary: thinking.summary });
  return Object.keys(written).length > 0 ? written : undefined;
}

/** The member `text`; undefined if the client set nothing in it. */
export function writeText({ format, verbosity }: Settings): JsonObject | undefined {
  const written = pickDefined({ format: format && writeFormat(format), verbosity });
  return Object.keys(written).length > 0 ? written : undefined;
}

function writeFormat(format: NonNullable<Settings["format"]>): Json {
  if (format.type === "text") return format;
  if (format.type === "json") return { type: "json_object" };
  const { schema, name, description, strict } = format;
  return pickDefined({ type: "json_schema", name: name ?? "answer", description, schema, strict });
}

/** Requests the model's state, so that the next turn can continue from it; models without thinking have none. */
function writeInclude({ settings, wants, shape }: Prompt, { facts }: Call): readonly string[] | undefined {
  const state = shape === "responses" ? wants.state === true : settings.store !== true && facts.reasoning !== "none";
  const include = [
    ...(settings.include ?? []),
    ...(state ? ["reasoning.encrypted_content"] : []),
    ...(settings.logprobs === true ? ["message.output_text.logprobs"] : []),
  ];
  return include.length > 0 ? include : undefined;
}

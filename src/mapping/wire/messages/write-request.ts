import type {
  Call,
  Json,
  Loss,
  Message,
  Prompt,
  Settings,
  Tool,
  WrittenRequest,
} from "../../../plugin-host/contract.ts";
import { type JsonObject, pickDefined } from "../../json.ts";
import { closeSchema, WHY_CLOSED } from "../../translate/closed-schema.ts";
import { objectSchema } from "../object-schema.ts";
import { searchLosses } from "../search-losses.ts";
import { writeBlocks } from "./blocks.ts";

/**
 * A body for a provider with Anthropic's messages API. System texts come first; the model's facts determine whether more may
 * follow later.
 */
export function writeRequest(prompt: Prompt, call: Call): WrittenRequest {
  const { settings, messages } = prompt;
  const turns = messages.findIndex(({ role }) => role !== "system");
  const leading = turns === -1 ? messages : messages.slice(0, turns);
  const system = leading.flatMap(({ parts }) => writeBlocks(parts));
  const losses = prompt.tools.flatMap((tool) =>
    tool.type === "search" ? searchLosses(tool, prompt, ["contextSize"]) : [],
  );
  return {
    body: pickDefined({
      model: call.model,
      max_tokens: settings.maxTokens,
      system: system.length > 0 ? system : undefined,
      messages: (turns === -1 ? [] : messages.slice(turns)).map(writeMessage),
      tools: prompt.tools.length > 0 ? prompt.tools.map((tool) => writeTool(tool, prompt, losses)) : undefined,
      tool_choice: writeChoice(prompt),
      temperature: settings.temperature,
      top_p: settings.topP,
      top_k: settings.topK,
      stop_sequences: settings.stop,
      metadata: settings.user === undefined ? undefined : { user_id: settings.user },
      service_tier: settings.serviceTier === "default" ? "standard_only" : settings.serviceTier,
      ...writeThinking(prompt, losses),
      stream: prompt.stream || undefined,
    }),
    losses,
  };
}

/** A single text without a cache mark is written as a string. */
function writeMessage({ role, parts }: Message): JsonObject {
  const only = parts.length === 1 ? parts[0] : undefined;
  return { role, content: only?.type === "text" && only.cache === undefined ? only.text : writeBlocks(parts) };
}

function writeTool(tool: Tool, prompt: Prompt, losses: Loss[]): Json {
  const mark = tool.cache === undefined ? {} : { cache_control: { type: "ephemeral", ...tool.cache } };
  if (tool.type === "hosted") return tool.item;
  if (tool.type === "search") {
    return pickDefined({
      type: "web_search_20250305",
      name: "web_search",
      max_uses: tool.maxUses,
      allowed_domains: tool.allowedDomains,
      blocked_domains: tool.blockedDomains,
      user_location: tool.location && { type: "approximate", ...tool.location },
      ...mark,
    });
  }
  const { name, description } = tool;
  const declared = tool.type === "function" ? tool : undefined;
  const schema = objectSchema(declared?.parameters);
  const path = `${tool.at ?? "tools"}.parameters`;
  const input_schema = declared?.strict === true ? closed(schema, { path, isInput: true }, prompt, losses) : schema;
  return pickDefined({ ...declared?.extra, name, description, input_schema, strict: declared?.strict, ...mark });
}

function writeChoice({ toolChoice, settings, tools }: Prompt): Json {
  if (tools.length === 0) return undefined;
  const alone = settings.parallelCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === undefined) return settings.parallelCalls === false ? { type: "auto", ...alone } : undefined;
  const { mode, name } = toolChoice;
  if (mode === "none") return { type: "none" };
  return mode === "one" ? { type: "tool", name, ...alone } : { type: mode, ...alone };
}

/** Schemas of this API's own clients are already in its form. */
function closed(
  given: Json,
  { path, isInput }: { path: string; isInput: boolean },
  { shape }: Prompt,
  losses: Loss[],
): Json {
  if (shape === "messages") return given;
  const { schema, approximated } = closeSchema(given, isInput);
  if (approximated) losses.push({ kind: "approximated", path, why: WHY_CLOSED });
  return schema;
}

function writeThinking(prompt: Prompt, losses: Loss[]): JsonObject {
  const { thinking, format } = prompt.settings;
  const display = thinking?.summary === undefined ? {} : { display: "summarized" };
  const config = pickDefined({
    effort: thinking?.effort === "none" ? undefined : thinking?.effort,
    format: format?.type === "schema" ? writeFormat(format.schema, prompt, losses) : undefined,
  });
  return {
    thinking: thinking && thinkingOf(thinking, display),
    output_config: Object.keys(config).length > 0 ? config : undefined,
  };
}

const writeFormat = (schema: Json, prompt: Prompt, losses: Loss[]): JsonObject => ({
  type: "json_schema",
  schema: closed(schema, { path: prompt.paths.format ?? "response_format", isInput: false }, prompt, losses),
});

function thinkingOf({ effort, budgetTokens, adaptive }: NonNullable<Settings["thinking"]>, display: JsonObject): Json {
  if (effort === "none") return { type: "disabled" };
  if (budgetTokens !== undefined) return { type: "enabled", budget_tokens: budgetTokens, ...display };
  return adaptive === true ? { type: "adaptive", ...display } : undefined;
}

import type {
  Call,
  CallPart,
  Json,
  Loss,
  Message,
  Part,
  Prompt,
  Tool,
  WrittenRequest,
} from "../../../plugin-host/contract.ts";
import { argumentsObject } from "../../exact-json.ts";
import { type JsonObject, jsonText, pickDefined } from "../../json.ts";
import { addressOf } from "../../translate/source.ts";

/** A body for Cohere's chat, version 2. */
export function writeRequest(prompt: Prompt, call: Call): WrittenRequest {
  const { settings, tools } = prompt;
  const losses: Loss[] = [];
  const body = pickDefined({
    model: call.model,
    messages: prompt.messages.flatMap(writeMessage),
    tools: tools.length > 0 ? tools.flatMap(writeTool) : undefined,
    strict_tools: isStrict(tools, losses) ? true : undefined,
    tool_choice: writeChoice(prompt),
    response_format: writeFormat(prompt),
    max_tokens: settings.maxTokens,
    temperature: settings.temperature,
    p: within(prompt, "topP", losses),
    k: settings.topK,
    stop_sequences: settings.stop,
    seed: settings.seed,
    presence_penalty: within(prompt, "presencePenalty", losses),
    frequency_penalty: within(prompt, "frequencyPenalty", losses),
    logprobs: settings.logprobs === true ? true : undefined,
    thinking: writeThinking(prompt),
    stream: prompt.stream,
  });
  return { body, losses };
}

/** What Cohere accepts is less than other APIs have, and a request beyond it is a 400. Source: its API reference. */
const RANGES = { topP: [0.01, 0.99], presencePenalty: [0, 1], frequencyPenalty: [0, 1] } as const;

function within({ settings, paths }: Prompt, name: keyof typeof RANGES, losses: Loss[]): number | undefined {
  const value = settings[name];
  if (value === undefined) return undefined;
  const [least, most] = RANGES[name];
  const nearest = Math.min(Math.max(value, least), most);
  const path = paths[name];
  if (nearest !== value && path !== undefined)
    losses.push({ kind: "approximated", path, why: `from ${least} to ${most}` });
  return nearest;
}

/** Results are separate messages, before the user's other content. */
function writeMessage({ role, parts }: Message): JsonObject[] {
  const written: JsonObject[] = [];
  let said: Part[] = [];
  const flush = () => {
    const content = writeContent(said);
    if (content !== undefined) written.push({ role, content });
    said = [];
  };
  if (role === "assistant") return writeAssistant(parts);
  if (parts.length === 0) return [{ role, content: "" }];
  for (const part of parts) {
    if (part.type !== "result") {
      said.push(part);
      continue;
    }
    flush();
    written.push({ role: "tool", tool_call_id: part.id, content: textOf(part.parts) });
  }
  flush();
  return written;
}

const textOf = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

function writeAssistant(parts: readonly Part[]): JsonObject[] {
  const calls = parts.filter((part) => part.type === "call").map(writeCall);
  const content = writeContent(parts);
  if (content === undefined && calls.length === 0) return [];
  return [pickDefined({ role: "assistant", content, tool_calls: calls.length > 0 ? calls : undefined })];
}

const writeCall = ({ id, name, arguments: text }: CallPart): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: jsonText(argumentsObject(text)) },
});

/** A single text is a string; empty content is omitted. */
function writeContent(parts: readonly Part[]): Json {
  const content = parts.flatMap(writePart);
  if (content.length === 0) return undefined;
  return content.length === 1 && content[0]!.type === "text" ? content[0]!.text : content;
}

function writePart(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ type: "text", text: part.text }];
    case "image":
      return [{ type: "image_url", image_url: pickDefined({ url: addressOf(part.source), detail: part.detail }) }];
    case "reasoning":
      return part.text === "" ? [] : [{ type: "thinking", thinking: part.text }];
    default:
      return [];
  }
}

function writeTool(tool: Tool): JsonObject[] {
  if (tool.type !== "function") return [];
  const { name, description, parameters = { type: "object", properties: {} } } = tool;
  return [{ type: "function", function: pickDefined({ name, description, parameters }) }];
}

/** Either all tools are strict or none. */
function isStrict(tools: readonly Tool[], losses: Loss[]): boolean {
  const strict = tools.filter((tool) => tool.type === "function" && tool.strict === true);
  const all = strict.length > 0 && strict.length === tools.length;
  for (const { at } of all ? [] : strict)
    losses.push({ kind: "dropped", path: `${at ?? "tools"}.strict`, why: "all tools are strict, or none" });
  return all;
}

function writeChoice({ toolChoice, tools }: Prompt): Json {
  if (toolChoice === undefined || tools.length === 0) return undefined;
  if (toolChoice.mode === "none") return "NONE";
  return toolChoice.mode === "auto" ? undefined : "REQUIRED";
}

function writeFormat({ settings: { format } }: Prompt): Json {
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json") return { type: "json_object" };
  return { type: "json_object", json_schema: format.schema };
}

function writeThinking({ settings: { thinking } }: Prompt): Json {
  if (thinking === undefined) return undefined;
  if (thinking.effort === "none") return { type: "disabled" };
  return pickDefined({ type: "enabled", token_budget: thinking.budgetTokens });
}

import type {
  Call,
  CallPart,
  Effort,
  Json,
  Message,
  Part,
  Prompt,
  Tool,
  WrittenRequest,
} from "../../../plugin-host/contract.ts";
import { argumentsObject } from "../../exact-json.ts";
import { type JsonObject, pickDefined } from "../../json.ts";

/** A body for Ollama's chat. It streams by default. */
export function writeRequest(prompt: Prompt, call: Call): WrittenRequest {
  const { settings, tools } = prompt;
  const options = pickDefined({
    num_predict: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    stop: settings.stop,
    seed: settings.seed,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
  });
  const body = pickDefined({
    model: call.model,
    messages: prompt.messages.flatMap(writeMessage),
    tools: tools.length > 0 ? tools.flatMap(writeTool) : undefined,
    format: writeFormat(prompt),
    think: writeThinking(prompt, call.model),
    options: Object.keys(options).length > 0 ? options : undefined,
    stream: prompt.stream,
  });
  return { body };
}

/** Each result is a separate message; a message has one text, with its pictures beside it. */
function writeMessage({ role, parts }: Message): JsonObject[] {
  const results = parts.filter((part) => part.type === "result");
  const others = parts.filter(({ type }) => type !== "result");
  return [
    ...results.map(
      ({ id, name, parts: inner }): JsonObject =>
        pickDefined({ role: "tool", content: textIn(inner), tool_name: name, tool_call_id: id }),
    ),
    ...(others.length > 0 || results.length === 0 ? [writeTurn(role, others)] : []),
  ];
}

function writeTurn(role: Message["role"], parts: readonly Part[]): JsonObject {
  const images = parts.flatMap((part) => (part.type === "image" && "bytes" in part.source ? [part.source.bytes] : []));
  const calls = parts.filter((part) => part.type === "call").map(writeCall);
  const thinking = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");
  return pickDefined({
    role,
    content: textIn(parts),
    thinking: thinking === "" ? undefined : thinking,
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

const textIn = (parts: readonly Part[]) =>
  parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : [])).join("\n");

const writeCall = ({ id, name, arguments: text }: CallPart): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: argumentsObject(text) },
});

function writeTool(tool: Tool): JsonObject[] {
  if (tool.type !== "function") return [];
  const { name, description, parameters = { type: "object", properties: {} } } = tool;
  return [{ type: "function", function: pickDefined({ name, description, parameters }) }];
}

function writeFormat({ settings: { format } }: Prompt): Json {
  if (format === undefined || format.type === "text") return undefined;
  return format.type === "json" ? "json" : format.schema;
}

/** Thinking is on or off; OpenAI's open models always think and have levels. */
function writeThinking({ settings: { thinking } }: Prompt, model: string): Json {
  if (thinking === undefined) return undefined;
  const { effort } = thinking;
  if (model.includes("gpt-oss")) return effort === undefined ? undefined : LEVELS[effort];
  return effort !== "none";
}

const LEVELS: Readonly<Record<Effort, string>> = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

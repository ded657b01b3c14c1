import type { Call, Json, Message, Prompt, Tool, WrittenRequest } from "../../../plugin-host/contract.ts";
import { isObject, type JsonObject, jsonText, pickDefined } from "../../json.ts";
import { closeSchema, WHY_CLOSED } from "../../translate/closed-schema.ts";
import { objectSchema } from "../object-schema.ts";
import { BlockWriter } from "./blocks.ts";

/** A body for Bedrock's converse. The path determines the model and whether the response is streamed. */
export function writeRequest(prompt: Prompt, call: Call): WrittenRequest {
  const writer = new BlockWriter(call.model);
  const { messages, settings } = prompt;
  const turns = messages.findIndex(({ role }) => role !== "system");
  const leading = turns === -1 ? messages : messages.slice(0, turns);
  const system = leading.flatMap(({ parts }) => writer.blocks(parts));
  const inferenceConfig = pickDefined({
    maxTokens: settings.maxTokens,
    temperature: settings.temperature,
    topP: settings.topP,
    stopSequences: settings.stop,
  });
  const fields = writeFields(prompt, call, writer);
  const body = pickDefined({
    messages: (turns === -1 ? [] : messages.slice(turns)).map((message) => writeMessage(message, writer)),
    system: system.length > 0 ? system : undefined,
    inferenceConfig: Object.keys(inferenceConfig).length > 0 ? inferenceConfig : undefined,
    toolConfig: writeTools(prompt, writer),
    additionalModelRequestFields: Object.keys(fields).length > 0 ? fields : undefined,
    outputConfig: writeFormat(prompt, writer),
  });
  return { body, losses: writer.losses };
}

/** Text that is added to a document, which would be refused without text. */
const BESIDE_DOCUMENT = "(See the document.)";

function writeMessage({ role, parts }: Message, writer: BlockWriter): JsonObject {
  const content = writer.blocks(parts);
  const document = parts.find(({ type }) => type === "file");
  if (document !== undefined && !content.some(({ text }) => text !== undefined)) {
    content.push({ text: BESIDE_DOCUMENT });
    writer.losses.push({
      kind: "approximated",
      path: document.at ?? "messages",
      why: "a document needs a text beside it; one was added",
    });
  }
  return { role, content };
}

function writeTools({ tools, toolChoice }: Prompt, writer: BlockWriter): Json {
  if (tools.length === 0) return undefined;
  const written = tools.flatMap((tool) => {
    const own = writeTool(tool, writer);
    return tool.cache === undefined ? [own] : [own, writer.cachePoint(tool.cache)];
  });
  return pickDefined({ tools: written, toolChoice: toolChoice && writeChoice(toolChoice) });
}

function writeTool(tool: Tool, writer: BlockWriter): JsonObject {
  if (tool.type === "hosted") return tool.item;
  const name = tool.type === "search" ? "web_search" : tool.name;
  const { description } = tool as { description?: string };
  const { parameters, strict } = tool as { parameters?: Json; strict?: boolean };
  const schema = objectSchema(parameters);
  const json =
    strict === true ? closed(schema, { path: `${tool.at ?? "tools"}.parameters`, isInput: true }, writer) : schema;
  return { toolSpec: pickDefined({ name, description, inputSchema: { json }, strict }) };
}

function writeChoice({ mode, name }: NonNullable<Prompt["toolChoice"]>): Json {
  if (mode === "one") return { tool: { name } };
  return mode === "any" ? { any: {} } : mode === "auto" ? { auto: {} } : undefined;
}

function closed(given: Json, { path, isInput }: { path: string; isInput: boolean }, { losses }: BlockWriter): Json {
  const { schema, approximated } = closeSchema(given, isInput);
  if (approximated) losses.push({ kind: "approximated", path, why: WHY_CLOSED });
  return schema;
}

function writeFormat({ settings: { format }, paths }: Prompt, writer: BlockWriter): Json {
  if (format?.type !== "schema") return undefined;
  const { name, description } = format;
  const schema = closed(format.schema, { path: paths.format ?? "response_format", isInput: false }, writer);
  return {
    textFormat: {
      type: "json_schema",
      structure: { jsonSchema: pickDefined({ name, description, schema: jsonText(schema) }) },
    },
  };
}

/** Vendor-specific fields of models. */
function writeFields({ settings, paths }: Prompt, { model, facts }: Call, writer: BlockWriter): JsonObject {
  const { topK, thinking } = settings;
  const sampled: JsonObject =
    topK === undefined ? {} : model.includes("amazon.nova") ? { inferenceConfig: { topK } } : { top_k: topK };
  if (thinking === undefined) return sampled;
  const { effort, budgetTokens, adaptive } = thinking;
  if (budgetTokens !== undefined) return { ...sampled, thinking: { type: "enabled", budget_tokens: budgetTokens } };
  if (adaptive === true)
    return { ...sampled, thinking: { type: "adaptive" }, ...(effort && { output_config: { effort } }) };
  const known = effort === undefined ? undefined : facts.effortFields?.[effort];
  if (isObject(known)) return { ...sampled, ...known };
  // Without a request for thinking, the model does not think or has no such setting.
  if (effort !== undefined && effort !== "none")
    writer.losses.push({
      kind: "dropped",
      path: paths.thinking ?? "thinking",
      why: "the reasoning setting of this model is unknown",
    });
  return sampled;
}

import type { Json } from "../../plugin-host/contract.ts";
import type { LlmAnnotation, LlmMessage, LlmRequest, LlmToolCall } from "../../record/llm-schema.ts";
import { filledText, isObject, jsonText, listOf, parseJson, pickDefined, textOf } from "../json.ts";

/** Arguments as an object: text is parsed, or becomes `{ "_raw": text }` if it is not a JSON object. */
function toolArguments(value: Json): object {
  if (isObject(value)) return value;
  if (value === undefined || value === null || value === "") return {};
  const raw = typeof value === "string" ? value : jsonText(value);
  const parsed = typeof value === "string" ? parseJson(value) : undefined;
  return isObject(parsed) ? parsed : { _raw: raw };
}

export function toolCall(name: Json, args: Json, id: Json): LlmToolCall {
  return pickDefined({ name: textOf(name), arguments: toolArguments(args), id: filledText(id) }) as LlmToolCall;
}

/**
 * Calls in the form of chat completions and compatible APIs: `{ id, function: { name, arguments } }`, a custom tool's `{ id,
 * custom: { name, input } }`, or the bare members of a call.
 */
export function toolCallsOf(calls: Json): LlmToolCall[] {
  return listOf(calls)
    .filter(isObject)
    .map((call) => {
      const inner = [call.function, call.custom, call].find(isObject) ?? {};
      const args = inner.arguments ?? inner.input ?? inner.parameters;
      return toolCall(inner.name, args, call.id ?? inner.id);
    });
}

/**
 * A tool that the provider runs, as one message of a `contentArray`: its type, its name if it has one, and its input,
 * otherwise its result.
 */
export function hostedTool(part: Json): LlmMessage {
  const { action, input } = part;
  const inputs = [
    input?.query,
    input?.code,
    action?.query,
    action?.url,
    part.code,
    part.queries,
    part.arguments,
    input,
  ];
  const came = [part.content, part.output, part.outputs, part.results, part.tools];
  const said = [...inputs, ...came].find((each) => each !== undefined && each !== null && each !== "");
  return pickDefined({
    _type: "message",
    type: textOf(part.type)?.toLowerCase(),
    name: filledText(part.name),
    content: filledText(said) ?? (said === undefined ? undefined : filledText(jsonText(said))),
    id: filledText(part.id) ?? filledText(part.tool_use_id),
  }) as LlmMessage;
}

/**
 * Tool definitions of any provider: wrapped in `function`, `custom` or `toolSpec`, or bare; Gemini's may contain several.
 */
export function toolsOf(tools: Json): LlmRequest["tools"] {
  const found = listOf(tools)
    .filter(isObject)
    .flatMap((tool) => {
      const declared = [tool.functionDeclarations, tool.function_declarations].find(Array.isArray);
      if (declared !== undefined) return declared.filter(isObject).map(toolOf);
      return [toolOf([tool.function, tool.custom, tool.toolSpec].find(isObject) ?? tool)];
    });
  return found.length === 0 ? undefined : found;
}

type LlmTool = NonNullable<LlmRequest["tools"]>[number];

function toolOf(tool: Json): LlmTool {
  const parameters = [
    tool.parameters,
    tool.input_schema,
    tool.inputSchema?.json,
    tool.inputSchema,
    tool.parametersJsonSchema,
    // Google's Python SDK writes members of its own objects in snake case.
    tool.parameters_json_schema,
    tool.parameter_definitions,
  ];
  return pickDefined({
    name: textOf(tool.name) ?? textOf(tool.type) ?? builtInName(tool),
    description: filledText(tool.description),
    parameters: parameters.find(isObject),
  }) as LlmTool;
}
/** A tool that the provider runs, such as Gemini's `{ googleSearch: {} }`, is named by its member. */
const builtInName = (tool: object) => Object.keys(tool)[0];

/**
 * `required` becomes `any`; a named tool becomes `{ type: "tool", name }`; of a choice among some tools only the mode is
 * kept.
 */
export function toolChoiceOf(choice: Json): LlmRequest["tool_choice"] {
  if (typeof choice === "string") {
    const type = choice.toLowerCase();
    return { type: type === "required" ? "any" : type };
  }
  if (!isObject(choice)) return undefined;
  const name =
    textOf(choice.function?.name) ?? textOf(choice.custom?.name) ?? textOf(choice.tool?.name) ?? textOf(choice.name);
  if (name !== undefined) return { type: "tool", name };
  const stated = choice.type === "allowed_tools" ? (choice.allowed_tools?.mode ?? choice.mode) : choice.type;
  const type = textOf(stated)?.toLowerCase() ?? ["auto", "any", "none"].find((key) => isObject(choice[key]));
  return type === undefined ? undefined : { type: type === "required" ? "any" : type };
}

/** Citations of any provider as annotations. */
export function annotationsOf(citations: Json): LlmAnnotation[] | undefined {
  const found = listOf(citations).flatMap((citation): LlmAnnotation[] => {
    if (typeof citation === "string") return [{ type: "url_citation", url: citation }];
    if (!isObject(citation)) return [];
    const inner = isObject(citation.url_citation) ? citation.url_citation : citation;
    const url = filledText(inner.url) ?? filledText(inner.uri);
    const type = url === undefined ? textOf(citation.type)?.toLowerCase() : "url_citation";
    return [
      pickDefined({
        title: filledText(inner.title) ?? filledText(inner.document_title) ?? filledText(inner.filename),
        url,
        type,
        content: filledText(inner.content) ?? filledText(inner.cited_text) ?? filledText(inner.text),
      }),
    ];
  });
  return found.length === 0 ? undefined : found;
}

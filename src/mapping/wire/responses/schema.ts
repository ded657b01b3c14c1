import type { Json, Reading } from "../../../plugin-host/contract.ts";
import type { LlmMessage, LlmRequest, LlmResponse, LlmResponseItem } from "../../../record/llm-schema.ts";
import { countOf, filledText, isObject, listOf, pickDefined, textOf } from "../../json.ts";
import { messagesOf, roleOf } from "../../llm/messages.ts";
import { lastUserText, partsOf, plainText, textIn } from "../../llm/parts.ts";
import { settingsOf } from "../../llm/settings.ts";
import { hostedTool, toolCall, toolChoiceOf, toolsOf } from "../../llm/tools.ts";
import type { WireSchema } from "../../wire-schema.ts";
import { readOpenAi } from "../openai-reading.ts";
import { foldResponses } from "./fold.ts";

/** OpenAI responses. */
export const responses: WireSchema = {
  name: "responses",
  llmType: "chat",
  path: /\/responses(?:\/[^/]+)?(?:\/(?:cancel|compact|input_tokens))?$/,
  fits: (request, response) =>
    response?.object === "response" ||
    textOf(response?.type)?.startsWith("response.") === true ||
    (isObject(request) && (typeof request.input === "string" || Array.isArray(request.input)) && "model" in request),
  fold: foldResponses,
  readResponse,
  promptText: (request) => textOf(request?.input) ?? lastUserText(request?.input),
  completionText: (response) => {
    const said = listOf(response?.output)
      .filter((item) => item?.type === "message")
      .map((item) => plainText(item.content) ?? "");
    return filledText(said.join("")) ?? filledText(response?.output_text);
  },
  llmRequest,
  llmResponse: (response): LlmResponse =>
    pickDefined({
      instructions: textOf(response?.instructions),
      responses: listOf(response?.output).filter(isObject).map(responseItem),
    }),
};

function readResponse(body: Json): Reading {
  const read = readOpenAi(body);
  const tools = toolUsage(body);
  return read.usageRaw === undefined || tools === undefined
    ? read
    : { ...read, usageRaw: { ...read.usageRaw, tool_usage: tools } };
}

/**
 * Uses of the provider's own tools, which are charged in addition to the tokens: counted by the response, otherwise by its
 * items.
 */
function toolUsage(response: Json): Json {
  const calls = (type: string) =>
    listOf(response?.output).filter((item) => item?.type === type && isSearch(item)).length;
  const sent = response?.tool_usage;
  const web = countOf(sent?.web_search?.num_requests) ?? calls("web_search_call");
  const files = calls("file_search_call");
  const used = pickDefined({
    web_search: web > 0 ? { num_requests: web } : undefined,
    file_search: files > 0 ? { num_requests: files } : undefined,
    image_gen: countOf(sent?.image_gen?.total_tokens) ? sent.image_gen : undefined,
  });
  return Object.keys(used).length === 0 ? undefined : used;
}
/** Opening a search result, and searching inside it, is not a search. */
const isSearch = ({ action }: Json) => action?.type === undefined || action.type === "search";

function llmRequest(request: Json): LlmRequest {
  const input = request?.input;
  return pickDefined({
    ...settingsOf(request),
    instructions: textOf(request?.instructions),
    input: textOf(input),
    messages:
      typeof input === "string" ? messagesOf("user", input) : listOf(input).filter(isObject).flatMap(inputMessages),
    tools: toolsOf(request?.tools),
    tool_choice: toolChoiceOf(request?.tool_choice),
  });
}

/** An item of the input: a message, an earlier call of the model, its result, or its reasoning. */
function inputMessages(item: Json): LlmMessage[] {
  const call = callOf(item);
  if (call !== undefined) {
    return [
      pickDefined({
        _type: "functionCall",
        role: "assistant",
        tool_calls: [call],
        id: filledText(item.id),
      }) as LlmMessage,
    ];
  }
  if (isResult(item)) {
    return messagesOf("tool", item.output, { toolCallId: item.call_id, id: item.id });
  }
  if (isHosted(item)) {
    return [{ _type: "message", role: "assistant", contentArray: [hostedTool(item)] }];
  }
  if (item.type === "reasoning") {
    const reasoning = reasoningOf(item);
    return reasoning === undefined ? [] : [{ _type: "message", role: "assistant", content: "", reasoning }];
  }
  if (item.role === undefined && item.content === undefined) {
    return [
      pickDefined({ _type: "message", type: textOf(item.type)?.toLowerCase(), id: filledText(item.id) }) as LlmMessage,
    ];
  }
  return messagesOf(item.role, item.content, { id: item.id, name: item.name });
}
const isResult = (item: Json) => textOf(item.type)?.endsWith("_call_output") === true;

/** Items of tools that OpenAI, xAI and others run; a generated picture is shown as a picture. */
const HOSTED: ReadonlySet<string> = new Set([
  ...["web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "mcp_list_tools", "x_search_call"],
  ...["mcp_approval_request", "tool_search_call", "document_search_call", "collections_search_call"],
]);
const isHosted = (item: Json) => HOSTED.has(textOf(item?.type)?.toLowerCase() ?? "");

function callOf(item: Json) {
  const type = textOf(item.type) ?? "";
  if (type === "function_call" || type === "custom_tool_call") {
    return toolCall(item.name, item.arguments ?? item.input, item.call_id ?? item.id);
  }
  return undefined;
}

function reasoningOf(item: Json): string | undefined {
  const said = [...listOf(item.summary), ...listOf(item.content)];
  return filledText(said.map((part) => textOf(part?.text) ?? "").join(""));
}

/** An item of the output. Tools that the provider runs keep their type as the name. */
function responseItem(item: Json, idx: number): LlmResponseItem {
  const call = callOf(item);
  const type = textOf(item.type)?.toLowerCase();
  const shared = { id: filledText(item.id), idx, role: roleOf(item.role) ?? "assistant" };
  if (call !== undefined) {
    return pickDefined({
      ...shared,
      _type: "functionCall",
      type,
      name: call.name,
      tool_calls: [call],
    }) as LlmResponseItem;
  }
  if (type === "reasoning") {
    // Not in `text`, which belongs to the response: joining the texts of all items must not include reasoning.
    const reasoning = reasoningOf(item);
    const contentArray = reasoning === undefined ? undefined : [{ _type: "message", type, reasoning }];
    return pickDefined({ ...shared, _type: "message", type, contentArray }) as LlmResponseItem;
  }
  if (isHosted(item)) {
    return pickDefined({ ...shared, _type: "contentArray", type, contentArray: [hostedTool(item)] }) as LlmResponseItem;
  }
  if (type === "image_generation_call") {
    return pickDefined({ ...shared, _type: "image", type, image_url: filledText(item.result) }) as LlmResponseItem;
  }
  const parts = partsOf(item.content);
  const media = parts.flatMap((part) => (part.kind === "media" ? [part.media] : []));
  const texts = parts.filter((part) => part.kind === "text");
  return pickDefined({
    ...shared,
    _type: media.length + texts.length > 1 ? "contentArray" : "message",
    type,
    text: textIn(parts) ?? (type === "message" ? "" : undefined),
    contentArray: media.length + texts.length > 1 ? [...texts.map(textPart), ...media] : undefined,
  }) as LlmResponseItem;
}
const textPart = (part: { readonly text: string }) => ({ _type: "message", type: "output_text", content: part.text });

import type { Json } from "../plugin-host/contract.ts";
import { beginning, type Excerpts, shownExcerpts, TEXT_BOUNDARY, UNMASKED_MAX } from "../record/excerpt.ts";
import type { LlmMessage } from "../record/llm-schema.ts";
import { errorOf } from "./errors-and-costs.ts";
import { filledText, isObject, jsonText, pickDefined, textOf } from "./json.ts";
import { roleOf } from "./llm/messages.ts";
import type { WireSchema } from "./wire-schema.ts";

/** The new part of a conversation in one exchange. */
export interface Said {
  /** The last message of the user or a tool. */
  readonly input?: string;
  /** All text of the request that the previous request did not contain, with a boundary between its messages. */
  readonly newInput?: string;
  /** The response's text and its tool calls. */
  readonly output?: string;
  /** The error that the response reports, if it has no text: its message, type and code. */
  readonly error?: string;
}

/** Maximum characters of `newInput` and of `output`. */
const NEW_TEXT_MAX = 65_536;

type Reader = Pick<WireSchema, "promptText" | "completionText" | "llmRequest" | "llmResponse"> &
  Pick<Partial<WireSchema>, "plainMessages" | "plainResponse">;

/** Pure; never throws, for any body. */
export function whatWasSaid({ schema, request, response }: { schema: Reader; request: Json; response: Json }): Said {
  const input = newTexts(schema, request);
  const output = responseTexts(schema, response, request);
  return pickDefined({
    input: input.at(-1),
    newInput: joined(input, TEXT_BOUNDARY),
    output: joined(output, "\n"),
    error: output.length > 0 ? undefined : errorTextOf(response),
  });
}

/** A single text, as most are, is not copied. */
const joined = (texts: readonly string[], between: string) =>
  filledText(beginning(texts.length === 1 ? texts[0]! : texts.join(between), NEW_TEXT_MAX));

/** New texts of the request; the last text is that of the last message. */
function newTexts(schema: Reader, request: Json): readonly string[] {
  if (request === undefined || request === null) return [];
  const plain = schema.plainMessages && plainTexts(request.messages);
  if (plain !== undefined && plain.length > 0) return plain;
  const turn = newestTurn(request);
  const inTurn = turn === undefined ? [] : saidIn(schema.llmRequest(turn).messages);
  if (inTurn.length > 0) return inTurn;
  const read = schema.llmRequest(withoutHistory(request));
  const messages = read.messages ?? [];
  const said = saidIn(messages);
  if (said.length > 0) return said;
  const { prompt: whole, input, toolDetails: tool } = read;
  const called = tool && callText({ name: tool.toolName, arguments: tool.input as Json });
  const prompt = filledText(whole) ?? filledText(input) ?? called ?? filledText(schema.promptText(request));
  // Documents to be ranked are messages without a role; they come before the query.
  const others = filled(messages.filter(({ role }) => role === undefined).map(textOfMessage));
  return prompt === undefined ? others : [...others, prompt];
}

/**
 * Texts of the newest turn if each of its messages has only a role and a text, as most do; nothing else then needs to be
 * read.
 */
function plainTexts(messages: Json): readonly string[] | undefined {
  if (!Array.isArray(messages)) return undefined;
  const texts: string[] = [];
  for (const message of newest<Json>(messages, isFromModel)) {
    if (!isObject(message)) return undefined;
    for (const name in message) if (name !== "role" && name !== "content") return undefined;
    const { role, content } = message;
    if (role === "system" || role === "developer") continue;
    if (role !== "user" || typeof content !== "string") return undefined;
    if (content !== "") texts.push(content);
  }
  return texts;
}

const saidIn = (messages: readonly LlmMessage[] = []) =>
  filled(newest(messages, isAssistants).filter(isSaid).map(textOfMessage));

/** Members that hold a conversation, in any format. */
const CONVERSATIONS = ["messages", "input", "contents"] as const;

/** Only a conversation's newest turn, because the rest of a request, such as its tools, is rarely new. */
function newestTurn(request: Json): Json {
  if (!isObject(request)) return undefined;
  const name = CONVERSATIONS.find((each) => Array.isArray(request[each]));
  return name && { [name]: newest(request[name], isFromModel) };
}

/** The request with only its newest turn: a long conversation need not be read completely. */
function withoutHistory(request: Json): Json {
  if (!isObject(request)) return request;
  const name = CONVERSATIONS.find((each) => Array.isArray(request[each]) && request[each].length > 1);
  return name === undefined ? request : { ...request, tools: undefined, [name]: newest(request[name], isFromModel) };
}

/** The last run of messages that are not the model's; a model message to be continued may follow it. */
function newest<T>(messages: readonly T[], isModels: (message: T) => boolean): readonly T[] {
  let end = messages.length;
  while (end > 0 && isModels(messages[end - 1]!)) end--;
  let start = end;
  while (start > 0 && !isModels(messages[start - 1]!)) start--;
  return messages.slice(start, end);
}

/** Whether the model sent a message, or an item in formats with separate items for the model's steps. */
function isFromModel(item: Json): boolean {
  const role = roleOf(item?.role);
  if (role !== undefined) return role === "assistant";
  const type = textOf(item?.type) ?? "";
  return type === "reasoning" || type === "model_output" || type.endsWith("_call");
}

const isAssistants = ({ role }: LlmMessage) => role === "assistant";
/** Instructions are not part of the conversation. */
const isSaid = ({ role }: LlmMessage) => role !== undefined && role !== "system" && role !== "developer";

/** With several choices, the texts of the first. */
function responseTexts(schema: Reader, response: Json, request: Json): readonly string[] {
  if (response === undefined || response === null) return [];
  const plain = schema.plainResponse?.(response);
  if (plain !== undefined) return [plain];
  const { messages = [], responses } = schema.llmResponse(response, request);
  const items = responses?.map(({ text = "", ...item }): LlmMessage => ({ ...item, content: text }));
  const said = items ?? messages.slice(0, 1);
  const texts = filled(said.map(textOfMessage));
  const calls = said.flatMap(({ tool_calls: list = [] }) => list.map(callText));
  if (texts.length + calls.length > 0) return [...texts, ...calls];
  return filled([schema.completionText(response) ?? ""]);
}

/** An error in words, as a user would search for it. */
function errorTextOf(response: Json): string | undefined {
  const error = errorOf(response, 0);
  if (error === undefined) return undefined;
  const stated = isObject(response) ? response.error : undefined;
  const words = new Set([error.message, error.type, textOf(stated?.code)]);
  return filledText(beginning(filled([...words].map((word) => word ?? "")).join(" "), NEW_TEXT_MAX));
}

function callText({
  name = "tool",
  arguments: args,
}: {
  readonly name?: string | undefined;
  readonly arguments?: Json;
}): string {
  const text = jsonText(args);
  return `→ ${name}(${text === "{}" ? "" : text})`;
}

/** A message's text; a word in brackets replaces each picture, file and sound. */
function textOfMessage(message: LlmMessage): string {
  const { contentArray = [], role } = message;
  const parts = contentArray.map((part) => partText(part as LlmMessage));
  if (parts.length === 0 || role === "tool") parts.unshift(partText(message));
  return filled(parts).join(" ");
}

const MEDIA: ReadonlySet<string> = new Set(["image", "file", "audio"]);
const TEXTS: ReadonlySet<string> = new Set(["message", "input_text", "output_text", "text"]);

/** The work of a provider's own tool is not text of the message. */
function partText({ _type = "", type = "message", content = "" }: LlmMessage): string {
  if (MEDIA.has(_type)) return content === "" ? `[${_type}]` : `[${_type}] ${content}`;
  return TEXTS.has(type) ? content : "";
}

const filled = (texts: readonly string[]) => texts.filter((text) => text !== "");

interface Omitted {
  readonly omitRequest?: boolean | undefined;
  readonly omitResponse?: boolean | undefined;
}

/** A record's `input` and `output` before they are masked. Text of an omitted body is not kept. */
export function excerptsOf({ input, output }: Said = {}, { omitRequest, omitResponse }: Omitted = {}): Excerpts {
  const kept = (text: string | undefined) => (text === undefined ? null : beginning(text, UNMASKED_MAX));
  return { input: omitRequest ? null : kept(input), output: omitResponse ? null : kept(output) };
}

/** A record's `input` and `output`. */
export const shownTexts = (said?: Said, omitted?: Omitted): Excerpts => shownExcerpts(excerptsOf(said, omitted));

/** An exchange's text for the word index; null if there is none, or if it must not be kept. */
export function newText(
  { newInput, output, error }: Said = {},
  { omitRequest, omitResponse }: Omitted = {},
): string | null {
  const [before, after] = [omitRequest ? undefined : newInput, omitResponse ? undefined : (output ?? error)];
  if (before === undefined || after === undefined) return filledText(before ?? after) ?? null;
  return `${before}${TEXT_BOUNDARY}${after}`;
}

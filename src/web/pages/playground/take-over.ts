import type { LlmMessage, LlmRequest } from "../../../record/llm-schema.ts";
import { get } from "../../api.ts";
import type { RequestRecord } from "../request/record.ts";
import type { Attempt } from "./attempt.ts";
import { type Body, type Draft, EMPTY, formPrompt, jsonPrompt, type Prompt, type Shape } from "./draft.ts";
import { NO_RESPONSE } from "./read-response.ts";
import { restoreFiles } from "./restore-files.ts";

/** A recorded request, ready to be sent again. */
interface TakenOver {
  readonly draft: Draft;
  readonly recorded: Omit<Attempt, "id">;
}

const ENDS: readonly (readonly [RegExp, Shape])[] = [
  [/\/chat\/completions$/, "chat-completions"],
  [/\/responses$/, "responses"],
  [/\/messages$/, "messages"],
];

/** Reads a record. @throws ApiFailure. @throws Error if it holds no prompt. */
export async function takeOver(id: string, signal: AbortSignal): Promise<TakenOver> {
  const record = await get<RequestRecord>(`/v1/request/${encodeURIComponent(id)}`, signal);
  const path = (record.request_path ?? "").replace(/\?.*/, "");
  const shape = ENDS.find(([end]) => end.test(path))?.[1];
  const body = shape === undefined || !isObject(record.request_body) ? undefined : record.request_body;
  const whole = body && ((await restoreFiles(body, id, signal)) as Body);
  const prompt = whole === undefined ? promptOf(record.llmSchema?.request) : written(shape!, whole);
  if (prompt === undefined)
    throw new Error(
      "This request has no prompt that was recorded: its body was omitted or deleted, or is no conversation.",
    );
  const stream = typeof whole?.["stream"] === "boolean" ? whole["stream"] : record.streamed;
  return { draft: { ...EMPTY, models: [modelOf(record)], prompt, stream }, recorded: recordedAttempt(record) };
}

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const written = (shape: Shape, body: Body): Prompt =>
  (shape === "chat-completions" ? formPrompt(body) : undefined) ?? jsonPrompt(shape, body);

/** For the unified address, the model that the client wrote; otherwise, and for a single attempt, with the provider's name in front. */
function modelOf({ request_model, model, provider, credential, attempt_of }: RequestRecord): string {
  const name = request_model ?? model ?? "";
  return (credential !== null && attempt_of === null) || name === "" || provider === null || provider === "CUSTOM"
    ? name
    : `${provider.toLowerCase()}/${name}`;
}

/** Conversations in other formats, converted to chat: their texts, tools and settings. */
function promptOf(request: LlmRequest | undefined): Prompt | undefined {
  if (request === undefined) return undefined;
  const { messages = [], instructions, prompt, input, tools = [], stop } = request;
  const single = messages.length === 0 ? (prompt ?? input) : undefined;
  const all = [
    ...(instructions === undefined ? [] : [{ role: "system", content: instructions }]),
    ...messages.flatMap(chatMessage),
    ...(single === undefined ? [] : [{ role: "user", content: single }]),
  ];
  if (all.length === 0) return undefined;
  const { max_tokens, temperature, top_p, seed, reasoning_effort } = request;
  return formPrompt({
    messages: all,
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...JSON.parse(JSON.stringify({ max_tokens, temperature, top_p, seed, reasoning_effort, stop })),
  });
}

function chatMessage({ role = "user", content, contentArray, tool_calls, tool_call_id }: LlmMessage): Body[] {
  const parts = (contentArray ?? []).map((part) => (part as { readonly text?: unknown })?.text);
  const text = content ?? parts.filter((part) => typeof part === "string").join("\n");
  const calls = (tool_calls ?? []).map(({ id, name, arguments: given }, at) => ({
    id: id ?? `call_${at}`,
    type: "function",
    function: { name, arguments: JSON.stringify(given ?? {}) },
  }));
  if (text === "" && calls.length === 0) return [];
  if (tool_call_id !== undefined) return [{ role: "tool", tool_call_id, content: text }];
  return [
    { role: role === "model" ? "assistant" : role, content: text, ...(calls.length > 0 && { tool_calls: calls }) },
  ];
}

function recordedAttempt(record: RequestRecord): Omit<Attempt, "id"> {
  const { messages = [], responses = [], error } = record.llmSchema?.response ?? {};
  const parts = [...messages, ...responses] as readonly (LlmMessage & { readonly text?: string })[];
  const isFailed = (record.response_status ?? 0) >= 400;
  const said = error?.gatewayMessage ?? record.error_message;
  const failure =
    typeof said === "string"
      ? said
      : said == null
        ? `It has the status ${record.response_status}.`
        : JSON.stringify(said);
  return {
    recorded: true,
    model: modelOf(record),
    requestId: record.request_id,
    provider: record.provider ?? "–",
    ...(record.model !== null && { answeredBy: record.model }),
    state: isFailed ? "failed" : "done",
    answer: {
      ...NO_RESPONSE,
      text: parts
        .map((part) => part.content ?? part.text ?? "")
        .filter((text) => text !== "")
        .join("\n"),
      reasoning: messages.map(({ reasoning = "" }) => reasoning).join(""),
      calls: parts.flatMap(({ tool_calls = [] }) =>
        tool_calls.map((call) => ({ name: call.name ?? "", arguments: JSON.stringify(call.arguments ?? {}) })),
      ),
    },
    ...(isFailed && { failure: { message: failure } }),
  };
}

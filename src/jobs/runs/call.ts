import { eventReader } from "../../mapping/events/event-reader.ts";
import { foldChatCompletions } from "../../mapping/wire/chat-completions/fold.ts";
import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import type { PassedOn } from "../../runtime/http/pass-on.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import type { Item } from "../../store/datasets/items.ts";
import type { Run, Target } from "../../store/datasets/runs.ts";
import { type SentFor, sendThroughGateway } from "../../unified/through-gateway.ts";

/** Maximum bytes of a response; a longer one is an error. */
const RESPONSE_BYTES_MAX = 16 * 1_024 * 1_024;
/** Maximum characters of a stored error. */
const ERROR_CHARS_MAX = 2_000;

/** One call of a run. */
export interface Call {
  readonly run: Run;
  readonly item: Item;
  /** Index in the run's targets. */
  readonly target: number;
}

export interface CallOutcome {
  readonly requestId: string;
  readonly status: number | null;
  readonly error: string | null;
  /** The assistant's message, or null. */
  readonly output: Json;
}

/** Sends an item to a target through the unified address. Never rejects. */
export async function makeCall(passedOn: PassedOn, sentFor: SentFor, call: Call): Promise<CallOutcome> {
  const { run, item } = call;
  const target = run.targets[call.target]!;
  const requestId = uuidv7();
  const body = Buffer.from(JSON.stringify(bodyOf(item, target, run.settings.stream)));
  const request = new Request("http://ai/v1/chat/completions", { method: "POST", body });
  let status: number | null = null;
  try {
    const headers = headersOf(call, target, { requestId, length: body.byteLength });
    const response = await sendThroughGateway(passedOn, request, { url: "/v1/chat/completions", headers, sentFor });
    status = response.status;
    return { requestId, status, ...(await read(response)) };
  } catch (error) {
    return { requestId, status, error: error instanceof Error ? error.message : String(error), output: null };
  }
}

/** The request for an item: its conversation, with the target's system prompt if it has one. */
function bodyOf(
  { input }: Pick<Item, "input">,
  { model, system, parameters }: Pick<Target, "model" | "system" | "parameters">,
  stream: boolean,
): Json {
  const messages: readonly Json[] = input.messages;
  const others = messages.filter(({ role }) => role !== "system" && role !== "developer");
  return {
    model,
    messages: system === null ? messages : [{ role: "system", content: system }, ...others],
    ...(input.tools !== undefined && { tools: input.tools }),
    ...parameters,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
}

function headersOf(
  { run, item }: Call,
  { name, prompt_id, prompt_version }: Target,
  { requestId, length }: { readonly requestId: string; readonly length: number },
): string[] {
  const { retries } = run.settings;
  return [
    ...["Host", "ai", "User-Agent", "weir-dataset-run", "Content-Type", "application/json"],
    ...["Content-Length", String(length), "Gateway-Request-Id", requestId],
    ...["Gateway-Property-Dataset-Run", run.id, "Gateway-Property-Dataset-Item", item.id],
    ...["Gateway-Property-Dataset-Target", onWire(name)],
    ...(retries > 0 ? ["Gateway-Retry-Enabled", "true", "Gateway-Retry-Num", String(retries)] : []),
    ...(prompt_id === null ? [] : ["Gateway-Prompt-Id", onWire(prompt_id)]),
    ...(prompt_version === null ? [] : ["Gateway-Prompt-Version", onWire(prompt_version)]),
  ];
}

/** Raw headers are bytes, one per character. */
const onWire = (text: string) => Buffer.from(text, "utf8").toString("latin1");

async function read(response: Response): Promise<Pick<CallOutcome, "error" | "output">> {
  const isStream = response.ok && /^text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  const reader = eventReader("sse");
  const events: StreamEvent[] = [];
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > RESPONSE_BYTES_MAX) return failed(`the response is longer than ${RESPONSE_BYTES_MAX} bytes`);
    if (isStream) events.push(...reader.push(chunk));
    else chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (!response.ok) return failed(errorIn(text) ?? `the response has the status ${response.status}`);
  if (!isStream) return outputOf(parsed(text));
  events.push(...reader.end());
  const broken = events.find(({ data }) => data?.error !== undefined && data?.error !== null);
  return broken === undefined ? outputOf(foldChatCompletions(events)) : failed(messageIn(broken.data.error));
}

function outputOf(completion: Json): Pick<CallOutcome, "error" | "output"> {
  const message = completion?.choices?.[0]?.message;
  if (message === null || typeof message !== "object") return failed("the response holds no message");
  const { content = null, tool_calls, refusal } = message;
  const said = content ?? (typeof refusal === "string" ? refusal : null);
  const calls = Array.isArray(tool_calls) && tool_calls.length > 0 ? { tool_calls } : {};
  return { error: null, output: { role: "assistant", content: said, ...calls } };
}

const failed = (error: string) => ({ error: error.slice(0, ERROR_CHARS_MAX), output: null });

function errorIn(text: string): string | undefined {
  const body = parsed(text);
  if (body === undefined) return text === "" ? undefined : text;
  return messageIn(body.error ?? body);
}

function messageIn(error: Json): string {
  if (typeof error === "string") return error;
  const message = typeof error?.message === "string" ? error.message : JSON.stringify(error);
  return typeof error?.code === "string" ? `${error.code}: ${message}` : message;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { Json, RecordDraft } from "weir/plugin";
import type { Trace } from "./trace.ts";

/** A span in OTLP's JSON format: 64-bit numbers are text. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: 0 | 2; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: Json;
}

type Value = string | number | boolean | readonly string[] | null | undefined;

/** `gen_ai.operation.name` of each format; the default is chat. */
const OPERATIONS: Readonly<Record<string, string>> = {
  completions: "text_completion",
  "cohere-generate": "text_completion",
  "ollama-generate": "text_completion",
  "text-generation": "text_completion",
  embeddings: "embeddings",
  "generate-content": "generate_content",
  interactions: "generate_content",
  images: "image_generation",
  speech: "speech",
  transcriptions: "transcription",
  moderations: "moderation",
  rerank: "rerank",
};

/** `gen_ai.provider.name`, if it differs from the provider's name in lower case. */
const PROVIDERS: Readonly<Record<string, string>> = {
  AWS: "aws.bedrock",
  AZURE: "azure.ai.openai",
  GOOGLE: "gcp.gen_ai",
  MISTRAL: "mistral_ai",
  WATSONX: "ibm.watsonx.ai",
  X: "x_ai",
};

/** Settings of a request, with their names in the various formats. */
const SETTINGS: readonly (readonly [string, readonly string[]])[] = [
  ["gen_ai.request.temperature", ["temperature"]],
  ["gen_ai.request.top_p", ["top_p", "topP", "p"]],
  ["gen_ai.request.top_k", ["top_k", "topK", "k"]],
  [
    "gen_ai.request.max_tokens",
    ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"],
  ],
  ["gen_ai.request.frequency_penalty", ["frequency_penalty", "frequencyPenalty"]],
  ["gen_ai.request.presence_penalty", ["presence_penalty", "presencePenalty"]],
  ["gen_ai.request.seed", ["seed"]],
];

/** Members in which some formats put settings, instead of the body's top level. */
const SETTING_PLACES = ["generationConfig", "inferenceConfig", "options"] as const;

export function spanOf(draft: Readonly<RecordDraft>, trace: Trace, labels: boolean): Span {
  const { facts } = draft;
  const operation = OPERATIONS[facts.wireSchema ?? ""] ?? "chat";
  const model = facts.requestModel ?? draft.model;
  const error = errorOf(draft);
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentSpanId !== undefined && { parentSpanId: trace.parentSpanId }),
    ...(trace.traceState !== undefined && { traceState: trace.traceState }),
    name: model === null ? operation : `${operation} ${model}`,
    kind: 3,
    startTimeUnixNano: nanoseconds(facts.startedAt),
    endTimeUnixNano: nanoseconds(facts.endedAt ?? facts.startedAt),
    attributes: toAttributes({
      "gen_ai.operation.name": operation,
      ...providerOf(draft.provider),
      "gen_ai.request.model": model,
      ...settingsOf(draft.request_body),
      "gen_ai.response.model": facts.responseModel,
      "gen_ai.response.id": facts.responseId,
      "gen_ai.response.finish_reasons": finishReasons(draft.response_body),
      "gen_ai.usage.input_tokens": facts.usage.prompt_tokens,
      "gen_ai.usage.output_tokens": facts.usage.completion_tokens,
      "gen_ai.usage.cache_read.input_tokens": facts.usage.prompt_cache_read_tokens,
      "gen_ai.usage.cache_creation.input_tokens": facts.usage.prompt_cache_write_tokens,
      "gen_ai.conversation.id": facts.sessionId,
      ...serverOf(facts.target),
      "http.request.method": facts.method,
      "http.response.status_code": draft.response_status,
      "error.type": error?.type,
      "weir.request.id": draft.request_id,
      "weir.organization.id": draft.organization_id,
      "weir.cost.usd": draft.cost,
      "weir.cached": facts.cached,
      "weir.streamed": facts.streamed,
      "weir.usage.estimated": facts.usageEstimated ? true : undefined,
      "weir.time_to_first_token_ms": facts.timeToFirstToken,
      ...(labels ? labelsOf(draft) : {}),
    }),
    status: error === undefined ? { code: 0 } : { code: 2, message: error.message },
  };
}

function providerOf(provider: string): Record<string, Value> {
  const name = PROVIDERS[provider] ?? provider.toLowerCase();
  // The older name of the same attribute, which many trace backends still read.
  return { "gen_ai.provider.name": name, "gen_ai.system": name };
}

/** Labels that the operator and the clients gave the request. */
function labelsOf({ properties, request_user_id }: Readonly<RecordDraft>): Record<string, Value> {
  const named = Object.entries(properties).map(([name, value]) => [`weir.property.${name}`, value] as const);
  return { "user.id": request_user_id, ...Object.fromEntries(named) };
}

function serverOf(target: string | null): Record<string, Value> {
  if (target === null || !URL.canParse(target)) return {};
  const { hostname, port, protocol } = new URL(target);
  return { "server.address": hostname, "server.port": Number(port) || (protocol === "https:" ? 443 : 80) };
}

function settingsOf(body: Json): Record<string, Value> {
  const places = [body, ...SETTING_PLACES.map((name) => body?.[name])];
  const found: Record<string, Value> = {};
  for (const [attribute, names] of SETTINGS) {
    const value = places.flatMap((place) => names.map((name) => place?.[name])).find((each) => Number.isFinite(each));
    if (typeof value === "number") found[attribute] = value;
  }
  return found;
}

function finishReasons(body: Json): readonly string[] | undefined {
  const choices = Array.isArray(body?.choices) ? body.choices : Array.isArray(body?.candidates) ? body.candidates : [];
  const reasons = [
    ...choices.map((choice: Json) => choice?.finish_reason ?? choice?.finishReason),
    body?.stop_reason,
    body?.stopReason,
    body?.done_reason,
  ].filter((reason) => typeof reason === "string");
  return reasons.length === 0 ? undefined : reasons;
}

/** A failure's type, of low cardinality, and its description. */
function errorOf({ response_status, facts }: Readonly<RecordDraft>) {
  const failed = response_status === null || response_status >= 400 || response_status === 0;
  if (!failed && facts.error === null) return undefined;
  const status = response_status === null ? "cut_off" : String(response_status);
  const type = facts.error?.code ?? (facts.outcome === null || facts.outcome === "complete" ? status : facts.outcome);
  return { type, message: facts.error?.message ?? `status ${status}` };
}

function toAttributes(values: Readonly<Record<string, Value>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  );
}

function toAnyValue(value: NonNullable<Value>): Json {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}

/** Fractional milliseconds as whole nanoseconds, in text: a number cannot hold that many digits. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1e6)).padStart(6, "0")}`;
}

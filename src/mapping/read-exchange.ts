import { Buffer } from "node:buffer";
import type {
  ExchangeView,
  Json,
  ProviderPlugin,
  Reading,
  RequestReading,
  StreamEvent,
  StreamReading,
  Usage,
  WireSchemaName,
} from "../plugin/contract.ts";
import { filledText, isObject, parseJson, pickDefined } from "./json.ts";
import { errorOf } from "./outcome.ts";
import { barePath, isBilledElsewhere, modelInPath } from "./path.ts";
import { sampleOf, selectSchema } from "./select.ts";
import { bedrockHeaderUsage, withTotal } from "./usage.ts";
import type { WireSchema } from "./wire-schema.ts";

export { toLlmSchema } from "./to-llm-schema.ts";

export interface ExchangeInput extends ExchangeView {
  readonly provider: ProviderPlugin | undefined;
  /** The whole answer where it is no stream: JSON, else its text. */
  readonly responseBody: Json;
  /** The answer's events where it is a stream. */
  readonly events: readonly StreamEvent[] | undefined;
  readonly modelOverride: string | undefined;
}

/** All that is told by the bodies of one exchange. A missing member means that nothing said it. */
export interface ExchangeReading extends Reading {
  readonly requestModel?: string;
  readonly responseModel?: string;
  readonly userId?: string;
  readonly usage?: Usage;
  readonly usageEstimated?: true;
  /** The answer as one object, also where it came as a stream. */
  readonly responseBody?: Json;
  /** Last user message or prompt, as text. */
  readonly promptText?: string;
  /** The answer's text. */
  readonly completionText?: string;
  /** The schema that both bodies were read with; missing while the model is pending mapping. */
  readonly wireSchema?: WireSchemaName;
  /** What a hook of the provider threw; the exchange was then read without it. */
  readonly fault?: string;
}

/** Reads model, usage, text and outcome of one exchange. Pure; never throws, whatever the bodies hold. */
export function readExchange(input: ExchangeInput): ExchangeReading {
  const path = barePath(input.path);
  const events = eventsOf(input, path);
  const schema = selectSchema({
    path,
    declared: input.provider?.wireSchemas,
    requestBody: input.requestBody,
    answer: events === undefined ? input.responseBody : sampleOf(events),
  });
  const hooks = callHooks(input, events);
  const body = hooks.stream?.body ?? (events === undefined ? input.responseBody : foldWith(schema, events));
  const told: Reading = { ...schema?.readResponse(body, input), ...hooks.stream, ...hooks.response };
  const billedElsewhere = isBilledElsewhere(input.method, path) || input.status >= 400;
  const usage = billedElsewhere ? undefined : usageOf(told, input);
  return pickDefined({
    id: told.id,
    requestModel: hooks.request?.model ?? requestModel(input.requestBody, input.path, schema),
    responseModel: told.model,
    model: told.model,
    userId: hooks.request?.userId ?? userIdOf(input.requestBody),
    usage: usage === undefined ? undefined : withTotal(usage),
    usageRaw: billedElsewhere ? undefined : told.usageRaw,
    cost: billedElsewhere ? undefined : told.cost,
    error: told.error ?? errorOf(body ?? errorEvent(events), input.status),
    responseBody: body,
    promptText: schema?.promptText(input.requestBody),
    completionText: schema?.completionText(body),
    wireSchema: schema?.name,
    fault: hooks.fault,
  }) as ExchangeReading;
}

/** Gemini streams a JSON array unless asked for SSE; Bedrock wraps what a model sends into base64. */
function eventsOf({ events, responseBody }: ExchangeInput, path: string): readonly StreamEvent[] | undefined {
  if (events === undefined) {
    const isArrayStream = Array.isArray(responseBody) && path.endsWith(":streamGenerateContent");
    return isArrayStream ? responseBody.map((data: Json) => ({ data })) : undefined;
  }
  return events.some(({ data }) => typeof data?.bytes === "string") ? events.map(unwrapped) : events;
}

function unwrapped(event: StreamEvent): StreamEvent {
  const bytes = event.data?.bytes;
  if (typeof bytes !== "string") return event;
  const data = parseJson(Buffer.from(bytes, "base64").toString("utf8"));
  return isObject(data) ? { ...event, data } : event;
}

/** Where no wire schema is known the events are kept as they came. */
function foldWith(schema: WireSchema | undefined, events: readonly StreamEvent[]): Json {
  const folded = schema?.fold(events);
  if (folded !== undefined) {
    const failure = isObject(folded) && !isObject(folded.error) ? errorEvent(events)?.error : undefined;
    return failure === undefined ? folded : { ...folded, error: failure };
  }
  return errorEvent(events) ?? events.map(({ data }) => data);
}

/** A stream's own report of its failure, as an object with `error`. */
function errorEvent(events: readonly StreamEvent[] | undefined): Json {
  const event = events?.findLast(
    ({ name, data }) => name === "error" || name?.endsWith("Exception") === true || isFailure(data?.error),
  );
  if (event === undefined) return undefined;
  const { name, data } = event;
  if (isFailure(data?.error)) return typeof data.error === "string" ? { ...data } : { error: data.error };
  return { error: isObject(data) ? { type: name, ...data } : { type: name, message: filledText(data) ?? name } };
}
const isFailure = (error: Json) =>
  filledText(error) !== undefined || (isObject(error) && Object.keys(error).length > 0);

/** Bodies speak first, headers where they are silent. */
function usageOf({ usage }: Reading, input: ExchangeInput): Usage | undefined {
  const isStated = usage?.prompt_tokens !== undefined || usage?.completion_tokens !== undefined;
  return isStated ? usage : (bedrockHeaderUsage(input.responseHeaders) ?? usage);
}

/** Body first, except for formats that put it into the path: there the body's name is another way to write it. */
function requestModel(body: Json, path: string, schema: WireSchema | undefined): string | undefined {
  const inBody = filledText(body?.model) ?? filledText(body?.model_id) ?? filledText(body?.modelId);
  const inPath = modelInPath(path);
  const pathFirst = schema?.name === "generate-content" || barePath(path).includes(":");
  const name = pathFirst ? (inPath ?? inBody) : (inBody ?? inPath);
  return name?.replace(/^models\//, "");
}

function userIdOf(body: Json): string | undefined {
  return filledText(body?.user) ?? filledText(body?.metadata?.user_id);
}

interface HookReadings {
  readonly request?: RequestReading;
  readonly response?: Reading;
  readonly stream?: StreamReading;
  readonly fault?: string;
}

/** A provider's own readers may be anybody's code: what they throw must not cost the record. */
function callHooks(input: ExchangeInput, events: readonly StreamEvent[] | undefined): HookReadings {
  const { provider, requestBody, responseBody } = input;
  if (provider === undefined) return {};
  try {
    const request = provider.readRequest?.(requestBody, input);
    const { readEvent } = provider;
    const stream =
      events && readEvent && events.reduce<StreamReading>((kept, event) => readEvent(kept, event, input), {});
    const response = events === undefined ? provider.readResponse?.(responseBody, input) : undefined;
    return { ...(request && { request }), ...(stream && { stream }), ...(response && { response }) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

import { Buffer } from "node:buffer";
import { messageOf } from "../log.ts";
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
} from "../plugin-host/contract.ts";
import { errorOf, isError } from "./errors-and-costs.ts";
import { finishReasonOf } from "./finish-reason.ts";
import { filledText, isObject, parseJson, pickDefined } from "./json.ts";
import { MAPPED, type MappedSchema, mappedSchema } from "./mapped-schema.ts";
import type { MappingOf } from "./mapping.ts";
import { barePath, isBilledElsewhere, modelInPath } from "./path.ts";
import { valueAt } from "./pointer.ts";
import { type Said, whatWasSaid } from "./said.ts";
import { sampleOf, selectSchema } from "./select.ts";
import { bedrockHeaderUsage, soundUsage, withTotal } from "./usage.ts";
import { userIdIn } from "./user-id.ts";
import type { WireSchema } from "./wire-schema.ts";

export { toLlmSchema } from "./to-llm-schema.ts";

export interface ExchangeInput extends ExchangeView {
  readonly provider: ProviderPlugin | undefined;
  /** The complete response if it is not a stream: JSON, otherwise its text. */
  readonly responseBody: Json;
  /** The response's events if it is a stream. */
  readonly events: readonly StreamEvent[] | undefined;
  readonly modelOverride: string | undefined;
  /** Mappings of this exchange's provider, for models without a known wire format. */
  readonly mappingOf?: MappingOf;
}

/** The reading of the bodies of one exchange. A missing member was not reported. */
export interface ExchangeReading extends Reading {
  readonly requestModel?: string;
  readonly responseModel?: string;
  readonly userId?: string;
  readonly usage?: Usage;
  readonly usageEstimated?: true;
  /** The response as one object, also for a stream. */
  readonly responseBody?: Json;
  /** The last user message or prompt, as text. */
  readonly promptText?: string;
  /** The response's text. */
  readonly completionText?: string;
  /** The exchange's new part of its conversation. */
  readonly said?: Said;
  /** The schema with which both bodies were read; missing while the model's mapping is pending. */
  readonly wireSchema?: WireSchemaName | typeof MAPPED;
  /** The error of a provider's hook; the exchange was then read without it. */
  readonly fault?: string;
}

/** Reads model, usage, text and outcome of one exchange. Pure; never throws, for any body. */
export function readExchange(input: ExchangeInput): ExchangeReading {
  const path = barePath(input.path);
  const events = eventsOf(input, path);
  const response = events === undefined ? input.responseBody : sampleOf(events);
  const declared = input.provider?.wireSchemas;
  const own = ownSchemaOf(input, response);
  const known = selectSchema({
    path,
    declared,
    isMapped: own !== undefined,
    requestBody: input.requestBody,
    responseBody: response,
  });
  const hooks = callHooks(input, events);
  const requestedModel = hooks.request?.model ?? requestModel(input, known);
  const schema = known ?? own ?? mappedSchemaOf(input, requestedModel, response);
  const body = hooks.stream?.body ?? (events === undefined ? input.responseBody : foldWith(schema, events));
  const reading = withHooks(schema?.readResponse(body, input) ?? {}, hooks);
  const billedElsewhere = isBilledElsewhere(input.method, path) || input.status >= 400;
  const usage = billedElsewhere ? undefined : soundUsage(usageOf(reading, input));
  return pickDefined({
    id: reading.id,
    requestModel: requestedModel,
    responseModel: reading.model,
    model: reading.model,
    userId: hooks.request?.userId ?? userIdIn(input.requestBody),
    usage: usage === undefined ? undefined : withTotal(usage),
    usageRaw: billedElsewhere ? undefined : reading.usageRaw,
    cost: billedElsewhere ? undefined : reading.cost,
    finishReason: input.status >= 400 ? undefined : finishReasonOf(body, reading.finishReason),
    error: reading.error ?? errorOf(body ?? errorEvent(events), input.status),
    responseBody: body,
    promptText: schema?.promptText(input.requestBody),
    completionText: schema?.completionText(body),
    said: schema && whatWasSaid({ schema, request: input.requestBody, response: body }),
    wireSchema: known?.name ?? (schema && MAPPED),
    fault: hooks.fault,
  }) as ExchangeReading;
}

/** The provider's own readers take precedence, member by member. */
function withHooks(reading: Reading, { stream, response }: HookReadings): Reading {
  if (stream === undefined && response === undefined) return reading;
  return { ...reading, ...(stream && pickDefined(stream)), ...(response && pickDefined(response)) };
}

/** Gemini streams a JSON array unless SSE is requested; Bedrock wraps a model's events in base64. */
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

/** Without a known wire schema, the events are kept as received. */
function foldWith(schema: MappedSchema | undefined, events: readonly StreamEvent[]): Json {
  const folded = schema?.fold(events);
  if (folded !== undefined) {
    const failure = isObject(folded) && !isObject(folded.error) ? errorEvent(events)?.error : undefined;
    return failure === undefined ? folded : { ...folded, error: failure };
  }
  return errorEvent(events) ?? events.map(({ data }) => data);
}

/** A failure that the stream itself reports, as an object with `error`. */
function errorEvent(events: readonly StreamEvent[] | undefined): Json {
  const event = events?.findLast(
    ({ name, data }) =>
      name === "error" || name?.endsWith("Exception") === true || isFailure(data?.error) || isError(data),
  );
  if (event === undefined) return undefined;
  const { name, data } = event;
  if (isFailure(data?.error)) return typeof data.error === "string" ? { ...data } : { error: data.error };
  return { error: isObject(data) ? { type: name, ...data } : { type: name, message: filledText(data) ?? name } };
}
const isFailure = (error: Json) =>
  filledText(error) !== undefined || (isObject(error) && Object.keys(error).length > 0);

/** The provider's own mapping, if it fits the bodies. */
function ownSchemaOf({ provider, requestBody }: ExchangeInput, response: Json): MappedSchema | undefined {
  const schema = provider?.mapping && mappedSchema(provider.mapping);
  return schema?.fits(requestBody, response) ? schema : undefined;
}

/** The learnt mapping of the model, if it fits the bodies. A provider's own mapping takes precedence. */
function mappedSchemaOf(
  input: ExchangeInput,
  requestedModel: string | undefined,
  response: Json,
): MappedSchema | undefined {
  if (input.provider?.mapping !== undefined) return undefined;
  const model = input.modelOverride ?? requestedModel;
  const mapping = model === undefined ? undefined : input.mappingOf?.(model);
  const schema = mapping && mappedSchema(mapping);
  return schema?.fits(input.requestBody, response) ? schema : undefined;
}

/** Bodies take precedence over headers. */
function usageOf({ usage }: Reading, input: ExchangeInput): Usage | undefined {
  const isStated = usage?.prompt_tokens !== undefined || usage?.completion_tokens !== undefined;
  return isStated ? usage : (bedrockHeaderUsage(input.responseHeaders) ?? usage);
}

const MODELS = "models/";

/**
 * The body takes precedence, except in formats with the model in the path, where the body's name is an alternative spelling.
 */
function requestModel(input: ExchangeInput, schema: WireSchema | undefined): string | undefined {
  const { method, path, requestBody: body } = input;
  const inBody =
    filledText(body?.model) ??
    filledText(body?.model_id) ??
    filledText(body?.modelId) ??
    mappedModel(input) ??
    (schema === undefined ? oddModel(body) : undefined);
  const pathFirst = schema?.name === "generate-content" || barePath(path).includes(":");
  const name = pathFirst ? (modelInPath(method, path) ?? inBody) : (inBody ?? modelInPath(method, path));
  return name?.startsWith(MODELS) ? name.slice(MODELS.length) : name;
}

/** The model, read with the provider's mapping. */
function mappedModel({ provider, requestBody }: ExchangeInput): string | undefined {
  return filledText(valueAt(requestBody, provider?.mapping?.request.model));
}

const MODEL_NAMES = ["model_name", "modelName", "engine", "engine_id", "deployment", "llm", "model_version"] as const;
/** Members that wrap a complete request in custom formats. */
const ENVELOPES = ["payload", "request", "data", "body", "params", "input", "options", "config"] as const;

/** Without a known format, the model is found by its usual member names, also inside an envelope. */
function oddModel(body: Json): string | undefined {
  for (const name of MODEL_NAMES) if (filledText(body?.[name]) !== undefined) return body[name];
  for (const name of ENVELOPES) {
    const inner = body?.[name];
    for (const member of ["model", ...MODEL_NAMES]) if (filledText(inner?.[member]) !== undefined) return inner[member];
  }
  return filledText(body?.model?.name) ?? filledText(body?.model?.id);
}

interface HookReadings {
  readonly request?: RequestReading | undefined;
  readonly response?: Reading | undefined;
  readonly stream?: StreamReading | undefined;
  readonly fault?: string;
}

/** A provider's own readers may be foreign code: their errors must not lose the record. */
function callHooks(input: ExchangeInput, events: readonly StreamEvent[] | undefined): HookReadings {
  const { provider, requestBody, responseBody } = input;
  if (provider === undefined) return {};
  try {
    const request = provider.readRequest?.(requestBody, input);
    const { readEvent } = provider;
    const stream =
      events && readEvent && events.reduce<StreamReading>((kept, event) => readEvent(kept, event, input), {});
    const response = events === undefined ? provider.readResponse?.(responseBody, input) : undefined;
    return { request, stream, response };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import { mergedEvents } from "../fold-mapped.ts";
import { isObject } from "../json.ts";
import { mappedSchema } from "../mapped-schema.ts";
import { faultOf, type Mapping, type RequestPlaces } from "../mapping.ts";
import { coverageOf } from "./coverage.ts";
import { bestKnown, type Judged } from "./known-formats.ts";
import { leavesOf } from "./leaves.ts";
import { inferRequest } from "./request.ts";
import { inferError, inferReading, inferText, type ResponseContext } from "./response.ts";
import type { Sample } from "./sample.ts";
import { inferDeltas } from "./stream.ts";
import { toolNames } from "./tools.ts";

/** A mapping with its confidence, 0 to 1, and its number of samples; or the reason why there is none. */
export type Inference =
  | { readonly mapping: Mapping; readonly confidence: number; readonly samples: number }
  | { readonly reason: string; readonly samples: number };

/** A sufficient number of samples. */
const SAMPLES_ENOUGH = 3;
/** Deduction from the confidence for a single sample. */
const FEW_SAMPLES = 0.15;
/** Minimum coverage of a mapping. */
const COVERAGE_MIN = 0.5;

/**
 * Learns how to read the bodies of a model from a few of its exchanges: as one of the known wire formats if one reads
 * everything, otherwise by structure. Pure; never throws, for any body.
 */
export function inferMapping(all: readonly Sample[], model: string): Inference {
  const usable = all.filter(({ requestBody }) => typeof requestBody === "object" && requestBody !== null);
  const samples = usable.filter(
    ({ status, responseBody, events }) => status < 400 && hasResponse(responseBody, events),
  );
  const none = (reason: string): Inference => ({ reason, samples: samples.length });
  if (all.length === 0) return none("no exchange with bodies is recorded");
  if (usable.length === 0) return none("no recorded request body is JSON");
  if (samples.length === 0) return none("no recorded response succeeded with JSON or a stream");
  const known = bestKnown(samples);
  const described = describe(samples, usable, model);
  const coverage = "mapping" in described ? coverageOf(described.mapping, samples) : 0;
  const better = known !== undefined && isBetter(known, coverage) ? known : undefined;
  const mapping = better?.mapping ?? ("mapping" in described ? described.mapping : undefined);
  if (mapping === undefined) return none("reason" in described ? described.reason : "nothing was found");
  const share = better?.coverage ?? coverage;
  if (share < COVERAGE_MIN)
    return none("reason" in described ? described.reason : "too little of the samples could be read");
  const doubt = samples.length >= SAMPLES_ENOUGH ? 0 : FEW_SAMPLES / samples.length;
  return { mapping, confidence: Math.round(Math.max(0, share - doubt) * 100) / 100, samples: samples.length };
}

/** A known format with equal coverage is more reliable, except the loosest one, which accepts any text as the response. */
const isBetter = ({ mapping, coverage }: Judged, than: number) =>
  mapping.wire_schema === "text-generation" ? coverage > than : coverage >= than;

const hasResponse = (body: Json, events: readonly StreamEvent[] | undefined) =>
  events === undefined ? typeof body === "object" && body !== null : events.length > 0;

function describe(
  samples: readonly Sample[],
  all: readonly Sample[],
  model: string,
): { readonly mapping: Mapping } | { readonly reason: string } {
  const requests = samples.map(({ requestBody }) => requestBody);
  const request = inferRequest(requests, model);
  if (request === undefined) return { reason: "neither messages nor a prompt were found in the requests" };
  const names = toolNames(requests, request.tools);
  const context = (of: readonly Sample[]): ResponseContext => ({
    model,
    toolNames: names,
    inputs: of.map(({ requestBody }) =>
      leavesOf(requestBody).flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
    ),
  });
  const whole = samples.filter(({ events }) => events === undefined);
  const streamed = samples.filter(({ events }) => events !== undefined);
  const response = whole.length > 0 ? inferWhole(whole, request, context(whole), all) : undefined;
  const stream = streamed.length > 0 ? inferStream(streamed, request, context(streamed)) : undefined;
  const mapping: Mapping = { format: 1, request, ...(response && { response }), ...(stream && { stream }) };
  const fault = faultOf(mapping);
  if (fault === undefined) return { mapping };
  return { reason: "no text and no tool calls were found in the responses" };
}

function inferWhole(
  samples: readonly Sample[],
  request: RequestPlaces,
  context: ResponseContext,
  all: readonly Sample[],
) {
  const bodies = samples.map(({ responseBody }) => responseBody);
  const text = inferText(bodies, context);
  const lengths = lengthsOf(samples, { format: 1, request, response: text === undefined ? {} : { text } });
  const failures = all
    .filter(({ status }) => status >= 400)
    .flatMap(({ responseBody }) => (isObject(responseBody) && !isRefusal(responseBody) ? [responseBody] : []));
  const error = failures.length === 0 ? undefined : inferError(failures);
  return { ...inferReading(bodies, text, lengths, context), ...(error && { error }) };
}

/** The gateway's own error responses say nothing about the provider's error format. */
const isRefusal = (body: Json) => body.error?.type === "gateway_error";

function inferStream(samples: readonly Sample[], request: RequestPlaces, context: ResponseContext) {
  const streams = samples.map(({ events }) => events ?? []);
  const { text, reasoning } = inferDeltas(streams, context.model);
  const deltas = { ...(text && { text }), ...(reasoning && { reasoning }) };
  const lengths = lengthsOf(samples, { format: 1, request, stream: deltas });
  const {
    text: _,
    reasoning: __,
    tool_calls,
    ...rest
  } = inferReading(streams.map(mergedEvents), undefined, lengths, context);
  return { ...rest, ...(tool_calls && { tool_calls }), ...deltas };
}

/** Lengths in characters of requests and responses, as read by the mapping so far. */
function lengthsOf(samples: readonly Sample[], mapping: Mapping) {
  const schema = mappedSchema(mapping);
  const said = samples.map(({ requestBody, responseBody, events }) => ({
    input: (schema.llmRequest(requestBody).messages ?? []).reduce(
      (sum, { content = "" }) => sum + content.length,
      schema.promptText(requestBody)?.length ?? 0,
    ),
    output: schema.completionText(events === undefined ? responseBody : schema.fold(events))?.length ?? 0,
  }));
  return { inputs: said.map(({ input }) => input), outputs: said.map(({ output }) => output) };
}

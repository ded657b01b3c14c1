import { type Inputs, merged, type Readings, readBoth } from "../../bodies/readings.ts";
import { lacksUsage, withEstimate } from "../../mapping/estimate.ts";
import { type Cost, costOf, FREE } from "../../mapping/prices/cost.ts";
import type { ExchangeInput, ExchangeReading } from "../../mapping/read-exchange.ts";
import { excerptsOf, newText } from "../../mapping/said.ts";
import type { CallMemory } from "../../mapping/translate/call-memory.ts";
import type { TimeLimit } from "../../plugin-host/hooks/time-limit.ts";
import { NO_TEXTS } from "../../record/record-texts.ts";
import type { RequestRow } from "../../record/written-row.ts";
import type { EndMeta } from "../../spool/frame.ts";
import { isWholeStream } from "../../spool/last-event.ts";
import type { CallState } from "../../store/earlier-responses/call-states.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { toParts } from "./exchange-parts.ts";
import { type Labels, readLabels } from "./labels.ts";
import { messageLines } from "./messages.ts";
import type { PrepareDeps, Prepared } from "./prepared.ts";
import {
  type ProviderBodies,
  type ProviderBytes,
  plainProviderBytes,
  providerBodies,
  providerBytes,
  providerParts,
} from "./provider-parts.ts";
import { toRow } from "./row.ts";
import { inputsOf } from "./side-inputs.ts";
import { decodedSide, hasCoding, plainSide, routingOf, type Side, type SideBytes, toSide } from "./sides.ts";
import { unreadReason } from "./unread.ts";

/** A record made without reading its bodies: for an exchange in flight, or one whose bodies cannot be read. */
export function prepareBare(exchange: Exchange, now: number): Prepared {
  const labels = readLabels(exchange.begin.gateway);
  return {
    exchange,
    row: toRow(exchange, labels, undefined, now),
    labels,
    requestBody: null,
    responseBody: null,
    input: undefined,
    changedByPlugins: false,
    parts: [],
    texts: NO_TEXTS,
    assets: [],
  };
}

/** Like `prepare`, but synchronous; undefined if something must be awaited: a body is compressed, or tokens must be counted. */
export function prepareAtOnce(exchange: Exchange, deps: PrepareDeps, now: number): Prepared | undefined {
  if (hasCoding(exchange)) return undefined;
  const bytes = {
    requestBytes: plainSide(exchange, "request", deps),
    responseBytes: plainSide(exchange, "response", deps),
    provider: exchange.provider === undefined ? undefined : plainProviderBytes(exchange, deps),
  };
  const read = readExchangeOf(exchange, bytes, deps);
  return lacksUsage(read.inputs.provider, read.readings.provider) ? undefined : put(exchange, read, deps, now);
}

/**
 * Decodes and reads the bodies of an ended exchange, and returns what is to be stored of it.
 *
 * @param within - bounds the CPU time of each step. It may cut a step off; the complete function can then be called again.
 */
export async function prepare(
  exchange: Exchange,
  deps: PrepareDeps,
  now: number,
  within: TimeLimit = unlimited,
): Promise<Prepared> {
  // Awaits only if a body is compressed; each await costs as much as reading a small body.
  const request = decodedSide(exchange, "request", deps);
  const requestBytes = request instanceof Promise ? await request : request;
  const response = decodedSide(exchange, "response", deps);
  const responseBytes = response instanceof Promise ? wholeIfEnded(exchange, await response) : response;

  const provider = exchange.provider === undefined ? undefined : await providerBytes(exchange, deps);

  const size = [requestBytes, responseBytes, provider?.provider_request, provider?.provider_response].reduce(
    (sum, side) => sum + (side?.bytes.byteLength ?? 0),
    0,
  );
  const first = within(size, () => {
    const read = readExchangeOf(exchange, { requestBytes, responseBytes, provider }, deps);
    // Most records are finished in this one step, because each step has a cost.
    return lacksUsage(read.inputs.provider, read.readings.provider) ? read : put(exchange, read, deps, now);
  });
  if (!("readings" in first)) return first;
  const estimated = await withEstimate(first.inputs.provider, first.readings.provider);
  const readings = {
    client: first.readings.client === first.readings.provider ? estimated : first.readings.client,
    provider: estimated,
  };
  return within(size, () => put(exchange, { ...first, readings }, deps, now));
}

/** A client that closed a compressed stream after its last event has received all of the response. */
function wholeIfEnded(exchange: Exchange, response: SideBytes): SideBytes {
  const { end } = exchange;
  if (end?.mayBeWhole !== true || !isWholeStream([response.bytes])) return response;
  exchange.end = { ...end, outcome: "complete", status: undefined };
  return { ...response, incomplete: false };
}

const unlimited: TimeLimit = (_bytes, step) => step();

/** The reading of an exchange, before its record is assembled. */
interface Read {
  readonly labels: Labels;
  readonly request: Side;
  readonly response: Side;
  readonly messages: Buffer | undefined;
  readonly provider: ProviderBodies | undefined;
  readonly inputs: Inputs;
  readonly readings: Readings;
  /** Why the bodies were not read. */
  readonly unread: string | undefined;
  /** Versions of the mappings that read it, or earlier versions. */
  readonly versionOf: ((model: string) => number) | undefined;
}

interface DecodedBodies {
  readonly requestBytes: SideBytes | undefined;
  readonly responseBytes: SideBytes | undefined;
  readonly provider: ProviderBytes | undefined;
}

function readExchangeOf(
  exchange: Exchange,
  { requestBytes, responseBytes, provider: other }: DecodedBodies,
  deps: PrepareDeps,
): Read {
  const { begin } = exchange;
  const versionOf = deps.learnt?.versionsOf(begin.organization, begin.provider);
  const labels = readLabels(begin.gateway);
  const request = toSide(exchange, "request", requestBytes, deps);
  const response = toSide(exchange, "response", responseBytes, deps);
  const messages = (exchange.messages?.bytes ?? 0) === 0 ? undefined : messageLines(exchange, deps.spool);
  const provider = other && providerBodies(exchange, other, deps, request);
  const inputs = inputsOf(exchange, { request, response, provider }, labels, {
    provider: deps.provider(begin.provider),
    mappingOf: deps.learnt?.mappingOf(begin.organization, begin.provider),
  });
  return { labels, request, response, messages, provider, inputs, versionOf, ...readSafely(deps, inputs) };
}

function put(
  exchange: Exchange,
  { labels, request, response, messages, provider, inputs, readings, unread, versionOf }: Read,
  deps: PrepareDeps,
  now: number,
): Prepared {
  const { begin, head, end } = exchange;
  const reading = merged(readings);
  const cost = head?.cacheReferenceId === undefined ? whatItCost(inputs.provider, reading, exchange, deps) : FREE;
  const streamed = response.body?.events !== undefined;
  const truncated =
    request.truncated ||
    response.truncated ||
    provider?.provider_request.truncated ||
    provider?.provider_response.truncated ||
    exchange.messages?.truncated ||
    end?.requestTruncated === true ||
    end?.responseTruncated === true ||
    exchange.incomplete;
  const responseBody = streamed ? reading.responseBody : response.body?.json;
  const stored = {
    request: begin.omitRequest ? undefined : request.body,
    response: begin.omitResponse ? undefined : response.body,
  };
  const row = toRow(exchange, labels, { reading, cost, streamed, truncated: truncated === true, unread }, now);
  const { parts, assets } = toParts(exchange, stored, responseBody, messages);
  if (provider !== undefined) parts.push(...providerParts(exchange, provider));
  if (assets.length > 0) row.assets = JSON.stringify(assets.map(({ id }) => id));
  return {
    exchange,
    row,
    labels,
    requestBody: stored.request?.json ?? stored.request?.text,
    responseBody: stored.response === undefined ? undefined : (responseBody ?? stored.response.text),
    input: inputs.client,
    changedByPlugins: false,
    texts: {
      prompt: begin.omitRequest ? null : (reading.promptText ?? null),
      completion: begin.omitResponse ? null : (reading.completionText ?? null),
      said: newText(reading.said, begin),
    },
    excerpts: excerptsOf(reading.said, begin),
    parts,
    assets,
    mappingVersion: versionOf && mappingVersion(row, versionOf),
    ...(end?.callStates !== undefined && { callStates: callStatesOf(exchange, end) }),
  };
}

function mappingVersion(row: RequestRow, versionOf: (model: string) => number): number | undefined {
  const model = row.model_override ?? row.request_model ?? row.model ?? undefined;
  const isMapped = (row.wire_schema ?? "mapped") === "mapped" && (row.unread ?? null) === null;
  return model !== undefined && isMapped ? versionOf(model) : undefined;
}

function callStatesOf({ id, begin }: Exchange, { callStates = {}, time }: EndMeta): CallState[] {
  return Object.entries(callStates).map(([callId, state]) => ({
    organizationId: begin.organization,
    callId,
    requestId: id,
    state: state as CallMemory,
    createdAt: Math.trunc(time),
  }));
}

function whatItCost(
  input: ExchangeInput,
  reading: ExchangeReading,
  exchange: Exchange,
  { learnt, onReadingFailed }: Pick<PrepareDeps, "learnt" | "onReadingFailed">,
): Cost {
  const { begin } = exchange;
  return costOf({
    ownPrice: input.status < 400 ? learnt?.priceOf(begin.organization, begin.provider) : undefined,
    provider: input.provider,
    models: [input.modelOverride, reading.responseModel, routingOf(exchange)?.routedModel, reading.requestModel],
    usage: reading.usage,
    usageRaw: reading.usageRaw,
    statedCost: reading.cost,
    exchange: input,
    at: new Date(begin.time),
    onFault: (error) => onReadingFailed(error, begin.provider),
  });
}

function readSafely(deps: PrepareDeps, inputs: Inputs): Pick<Read, "readings" | "unread"> {
  const provider = inputs.provider.provider?.name ?? "CUSTOM";
  try {
    const readings = readBoth(inputs, deps.readExchange);
    if (readings.provider.fault !== undefined) deps.onReadingFailed(readings.provider.fault, provider);
    return { readings, unread: undefined };
  } catch (error) {
    deps.onReadingFailed(error, provider);
    const nothing = {};
    return { readings: { client: nothing, provider: nothing }, unread: unreadReason(error) };
  }
}

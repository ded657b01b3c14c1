import { lacksUsage, withEstimate } from "../../mapping/estimate.ts";
import { type Cost, costOf } from "../../mapping/prices/cost.ts";
import type { ExchangeInput, ExchangeReading } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../plugin/contract.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { SealKey } from "../../spool/seal.ts";
import type { Learnt } from "../../store/models/learnt.ts";
import type { Asset } from "../bodies/assets.ts";
import { messageLines } from "../bodies/messages.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { type Labels, readLabels } from "./labels.ts";
import { providerParts } from "./provider-parts.ts";
import { RecordedExchange } from "./recorded-exchange.ts";
import { type RequestRow, toRow } from "./row.ts";
import { decodedSide, type Side, type SideBytes, toSide } from "./sides.ts";
import { type StoredPart, toParts } from "./stored-parts.ts";
import type { TimeLimit } from "./time-limit.ts";
import { unreadReason } from "./unread.ts";

/** Everything that will be stored of one exchange. */
export interface Prepared {
  readonly exchange: Exchange;
  readonly row: RequestRow;
  readonly labels: Labels;
  /** Value or text of the bodies, for plugins: what `parts` holds as bytes. */
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly input: ExchangeInput | undefined;
  /** Its properties are to be written anew even where the row has some already. */
  readonly changedByPlugins: boolean;
  parts: StoredPart[];
  texts: { prompt: string | null; completion: string | null };
  assets: readonly Asset[];
}

export interface PrepareDeps {
  readonly spool: Pick<SpoolReader, "readBack">;
  readonly readExchange: (input: ExchangeInput) => ExchangeReading;
  readonly provider: (name: string) => ProviderPlugin | undefined;
  /** Mappings and prices of this deployment. */
  readonly learnt?: Learnt | undefined;
  readonly bodyBytesMax: number;
  /** The key of the run that is going on; omitted bodies of earlier runs cannot be read any more. */
  readonly sealKey: SealKey | undefined;
  /** A reader of bodies or a price function threw; the record is made without what it would have said. */
  readonly onReadingFailed: (error: unknown, provider: string) => void;
}

/** A record without a look at its bodies: of an exchange in flight, or of one whose bodies cannot be read. */
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
    texts: { prompt: null, completion: null },
    assets: [],
  };
}

/**
 * Decodes and reads the bodies of an exchange that has ended and says what is to be stored of it.
 *
 * @param within - bounds the CPU time of each step; it may cut one off, and then all of this can be done again.
 */
export async function prepare(
  exchange: Exchange,
  deps: PrepareDeps,
  now: number,
  within: TimeLimit = unlimited,
): Promise<Prepared> {
  // Only a compressed body has to be waited for; each wait costs as much as reading a small body.
  const asked = decodedSide(exchange, "request", deps);
  const requestBytes = asked instanceof Promise ? await asked : asked;
  const answered = decodedSide(exchange, "response", deps);
  const responseBytes = answered instanceof Promise ? await answered : answered;

  const size = (requestBytes?.bytes.byteLength ?? 0) + (responseBytes?.bytes.byteLength ?? 0);
  const first = within(size, () => {
    const read = readExchangeOf(exchange, { requestBytes, responseBytes }, deps);
    // Most records are done here, in one step: each costs something.
    return lacksUsage(read.input, read.told) ? read : put(exchange, { ...read, reading: read.told }, deps, now);
  });
  let prepared: Prepared;
  if ("told" in first) {
    const reading = await withEstimate(first.input, first.told);
    prepared = within(size, () => put(exchange, { ...first, reading }, deps, now));
  } else prepared = first;
  if (exchange.provider !== undefined) prepared.parts.push(...(await providerParts(exchange, deps, within)));
  return prepared;
}

const unlimited: TimeLimit = (_bytes, step) => step();

/** What was read of an exchange before its record is put together. */
interface Read {
  readonly labels: Labels;
  readonly request: Side;
  readonly response: Side;
  readonly messages: Buffer | undefined;
  readonly input: RecordedExchange;
  readonly told: ExchangeReading;
  /** Why the bodies were not read. */
  readonly unread: string | undefined;
}

function readExchangeOf(
  exchange: Exchange,
  { requestBytes, responseBytes }: Readonly<Record<"requestBytes" | "responseBytes", SideBytes | undefined>>,
  deps: PrepareDeps,
): Read {
  const { begin } = exchange;
  const labels = readLabels(begin.gateway);
  const request = toSide(exchange, "request", requestBytes, deps);
  const response = toSide(exchange, "response", responseBytes, deps);
  const messages = exchange.messages.bytes === 0 ? undefined : messageLines(exchange, deps.spool);
  const provider = deps.provider(begin.provider);
  const mappingOf = deps.learnt?.mappingOf(begin.organization, begin.provider);
  const input = new RecordedExchange(exchange, request.body, response.body, provider, labels, mappingOf);
  return { labels, request, response, messages, input, ...readSafely(deps, input) };
}

function put(
  exchange: Exchange,
  { labels, request, response, messages, input, reading, unread }: Read & { readonly reading: ExchangeReading },
  deps: PrepareDeps,
  now: number,
): Prepared {
  const { begin, head, end } = exchange;
  const cost = head?.cacheReferenceId === undefined ? whatItCost(input, reading, exchange, deps) : FREE;
  const streamed = response.body?.events !== undefined;
  const truncated =
    request.truncated ||
    response.truncated ||
    exchange.messages.truncated ||
    end?.requestTruncated === true ||
    end?.responseTruncated === true ||
    exchange.incomplete;
  const responseBody = streamed ? reading.responseBody : response.body?.json;
  const stored = {
    request: begin.omitRequest ? undefined : request.body,
    response: begin.omitResponse ? undefined : response.body,
  };
  const row = toRow(
    exchange,
    labels,
    { reading, cost, streamed, truncated, ...(unread !== undefined && { unread }) },
    now,
  );
  const { parts, assets } = toParts(exchange, stored, responseBody, messages);
  if (assets.length > 0) row.assets = JSON.stringify(assets.map(({ id }) => id));
  return {
    exchange,
    row,
    labels,
    requestBody: stored.request?.json ?? stored.request?.text,
    responseBody: stored.response === undefined ? undefined : (responseBody ?? stored.response.text),
    input,
    changedByPlugins: false,
    texts: {
      prompt: begin.omitRequest ? null : (reading.promptText ?? null),
      completion: begin.omitResponse ? null : (reading.completionText ?? null),
    },
    parts,
    assets,
  };
}

/** A cache hit costs nothing. */
const FREE: Cost = { cost: 0, source: "cache" };

function whatItCost(
  input: ExchangeInput,
  reading: ExchangeReading,
  { begin }: Exchange,
  { learnt, onReadingFailed }: Pick<PrepareDeps, "learnt" | "onReadingFailed">,
): Cost {
  return costOf({
    ownPrice: input.status < 400 ? learnt?.priceOf(begin.organization, begin.provider) : undefined,
    provider: input.provider,
    models: [input.modelOverride, reading.responseModel, reading.requestModel],
    usage: reading.usage,
    usageRaw: reading.usageRaw,
    statedCost: reading.cost,
    exchange: input,
    at: new Date(begin.time),
    onFault: (error) => onReadingFailed(error, begin.provider),
  });
}

function readSafely(deps: PrepareDeps, input: ExchangeInput): Pick<Read, "told" | "unread"> {
  const provider = input.provider?.name ?? "CUSTOM";
  try {
    const told = deps.readExchange(input);
    if (told.fault !== undefined) deps.onReadingFailed(told.fault, provider);
    return { told, unread: undefined };
  } catch (error) {
    deps.onReadingFailed(error, provider);
    return { told: {}, unread: unreadReason(error) };
  }
}

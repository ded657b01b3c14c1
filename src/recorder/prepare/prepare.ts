import { lacksUsage, withEstimate } from "../../mapping/estimate.ts";
import { type Cost, costOf } from "../../mapping/prices/cost.ts";
import type { ExchangeInput, ExchangeReading } from "../../mapping/read-exchange.ts";
import type { Json, ProviderPlugin } from "../../plugin/contract.ts";
import { type Decoded, decodeBody } from "../../runtime/content-coding.ts";
import type { SpoolReader } from "../../spool/reader.ts";
import type { SealedSide, SealKey } from "../../spool/seal.ts";
import type { Learnt } from "../../store/models/learnt.ts";
import type { Asset } from "../bodies/assets.ts";
import { type Body, readBody } from "../bodies/body.ts";
import { messageLines } from "../bodies/messages.ts";
import { readTailEvents } from "../bodies/tail.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { headerValue, joinedValue } from "./headers.ts";
import { type Labels, readLabels } from "./labels.ts";
import { RecordedExchange } from "./recorded-exchange.ts";
import { type RequestRow, toRow } from "./row.ts";
import { type StoredPart, toParts } from "./stored-parts.ts";

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

/** Decodes and reads the bodies of an exchange that has ended and says what is to be stored of it. */
export async function prepare(exchange: Exchange, deps: PrepareDeps, now: number): Promise<Prepared> {
  const { begin, head, end } = exchange;
  const labels = readLabels(begin.gateway);
  // Only a compressed body has to be waited for; each wait costs as much as reading a small body.
  const asked = readSide(exchange, "request", deps);
  const request = asked instanceof Promise ? await asked : asked;
  const answered = readSide(exchange, "response", deps);
  const response = answered instanceof Promise ? await answered : answered;
  const messages = exchange.messages.bytes === 0 ? undefined : messageLines(exchange, deps.spool);

  const provider = deps.provider(begin.provider);
  const mappingOf = deps.learnt?.mappingOf(begin.organization, begin.provider);
  const input = new RecordedExchange(exchange, request.body, response.body, provider, labels, mappingOf);
  const told = readSafely(deps, input);
  const reading = lacksUsage(input, told) ? await withEstimate(input, told) : told;
  const cost = head?.cacheReferenceId === undefined ? whatItCost(input, reading, exchange, deps) : FREE;
  const streamed = response.body?.events !== undefined;
  const truncated =
    request.truncated ||
    response.truncated ||
    exchange.messages.truncated ||
    end?.requestTruncated === true ||
    end?.responseTruncated === true;
  const responseBody = streamed ? reading.responseBody : response.body?.json;
  const stored = {
    request: begin.omitRequest ? undefined : request.body,
    response: begin.omitResponse ? undefined : response.body,
  };
  const row = toRow(exchange, labels, { reading, cost, streamed, truncated }, now);
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

interface Side {
  readonly body: Body | undefined;
  readonly truncated: boolean;
}

const NO_BODY: Side = { body: undefined, truncated: false };

function readSide(exchange: Exchange, side: SealedSide, deps: PrepareDeps): Side | Promise<Side> {
  const capture = exchange[side];
  if (capture.bytes === 0) return NO_BODY;
  const headers = side === "request" ? exchange.begin.headers : (exchange.head?.headers ?? []);
  const raw = unsealed(exchange, side, capture.read(deps.spool), deps.sealKey);
  if (raw === undefined) return NO_BODY;
  const coding = joinedValue(headers, "content-encoding");
  const plain = { bytes: raw, incomplete: false, coded: false };
  if (coding === undefined) return toSide(exchange, side, plain, deps);
  return decodeBody(raw, coding, deps.bodyBytesMax).then((decoded) =>
    toSide(exchange, side, { ...decoded, coded: true }, deps),
  );
}

function toSide(
  exchange: Exchange,
  side: SealedSide,
  { bytes, incomplete, coded }: Decoded & { readonly coded: boolean },
  { spool }: PrepareDeps,
): Side {
  const capture = exchange[side];
  const headers = side === "request" ? exchange.begin.headers : (exchange.head?.headers ?? []);
  const truncated = capture.truncated || incomplete;
  const contentType = headerValue(headers, "content-type");
  const context = { contentType, path: exchange.begin.path, isResponse: side === "response", incomplete: truncated };
  const body = readBody(bytes, context);
  if (body.events === undefined || !capture.truncated || coded || exchange.begin.omitResponse) {
    return { body, truncated };
  }
  const tail = readTailEvents(capture.readTail(spool), body.mime);
  return { body: { ...body, events: [...body.events, ...tail] }, truncated };
}

/** The bytes of a body, decrypted where it is one to leave out; undefined where the key is gone. */
function unsealed({ begin, id }: Exchange, side: SealedSide, bytes: Buffer, key: SealKey | undefined) {
  const omitted = side === "request" ? begin.omitRequest : begin.omitResponse;
  if (!omitted || begin.seal === undefined) return bytes;
  if (key?.name !== begin.seal || begin.salt === undefined) return undefined;
  return key.open(begin.salt, id, side, bytes);
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

function readSafely(deps: PrepareDeps, input: ExchangeInput): ExchangeReading {
  const provider = input.provider?.name ?? "CUSTOM";
  try {
    const reading = deps.readExchange(input);
    if (reading.fault !== undefined) deps.onReadingFailed(reading.fault, provider);
    return reading;
  } catch (error) {
    deps.onReadingFailed(error, provider);
    return {};
  }
}

import { type Body, readBody } from "../../bodies/body.ts";
import { fromLatin1 } from "../../bodies/headers.ts";
import { readTailEvents } from "../../bodies/tail.ts";
import { type Edit, edited } from "../../json-text/edits.ts";
import { type Decoded, decodeBody } from "../../runtime/content-coding.ts";
import type { RoutingMeta } from "../../spool/frame.ts";
import { HeaderList } from "../../spool/header-list.ts";
import type { Capture } from "../exchanges/capture.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { PrepareDeps } from "./prepared.ts";

export type ClientSide = "request" | "response";
/** Recorded if the provider received or sent something other than the client sent or received. */
export type OtherSide = "provider_request" | "provider_response";
type BodySide = ClientSide | OtherSide;

const OTHER_SIDES: readonly OtherSide[] = ["provider_request", "provider_response"];

/** A body, and whether a part of it is missing. */
export interface Side {
  readonly body: Body | undefined;
  readonly truncated: boolean;
}

const NO_BODY: Side = { body: undefined, truncated: false };

/** The bytes of a body, decoded. */
export interface SideBytes extends Decoded {
  /** They had a content coding. */
  readonly coded: boolean;
}

type SideDeps = Pick<PrepareDeps, "spool" | "bodyBytesMax" | "bodyKey">;

/** @returns undefined if there is no body or it can no longer be read; a promise if it is compressed. */
export function decodedSide(
  exchange: Exchange,
  side: BodySide,
  deps: SideDeps,
): SideBytes | undefined | Promise<SideBytes> {
  const coding = codingOf(exchange, side);
  const plain = plainSide(exchange, side, deps);
  if (plain === undefined || coding === undefined || plain.bytes.byteLength === 0) return plain;
  return decodeBody(plain.bytes, coding, deps.bodyBytesMax).then((decoded) => ({ ...decoded, coded: true }));
}

/** Reads a body without a content coding. @returns undefined if there is none or it can no longer be read. */
export function plainSide(exchange: Exchange, side: BodySide, deps: SideDeps): SideBytes | undefined {
  const edit = side === "provider_request" ? exchange.provider?.requestHead?.edited : undefined;
  if (edit !== undefined) {
    const client = plainSide(exchange, "request", deps)?.bytes;
    // Edits could be misplaced in a body of which a part is missing.
    return client?.byteLength === edit.of ? new EditedBytes(client, edit.edits) : undefined;
  }
  const capture = captureOf(exchange, side);
  const bytes = capture && decrypted(exchange, side, { bytes: capture.read(deps.spool), at: 0 }, deps);
  return bytes && { bytes, incomplete: false, coded: false };
}

/** The content coding of a body, which takes time to decode; undefined if it has none. */
function codingOf(exchange: Exchange, side: BodySide): string | undefined {
  return headersOf(exchange, side).known.contentEncoding;
}

/** Whether any of the bodies takes time to decode. */
export function hasCoding(exchange: Exchange): boolean {
  const { begin, head, provider } = exchange;
  if (begin.headers.known.contentEncoding !== undefined || head?.headers.known.contentEncoding !== undefined)
    return true;
  return provider !== undefined && OTHER_SIDES.some((side) => codingOf(exchange, side) !== undefined);
}

/** The content type of a body; undefined if it has none. */
export function contentTypeOf(exchange: Exchange, side: BodySide): string | undefined {
  const { contentType } = headersOf(exchange, side).known;
  return contentType === undefined ? undefined : fromLatin1(contentType);
}

export function toSide(
  exchange: Exchange,
  side: BodySide,
  decoded: SideBytes | undefined,
  deps: Pick<PrepareDeps, "spool" | "bodyKey">,
): Side {
  const capture = captureOf(exchange, side);
  if (decoded === undefined || capture === undefined) return NO_BODY;
  const { bytes, incomplete, coded } = decoded;
  const truncated = capture.truncated || incomplete;
  const contentType = contentTypeOf(exchange, side);
  const path = side === "request" || side === "response" ? exchange.begin.path : providerPath(exchange);
  const body = readBody(bytes, { contentType, path, isResponse: !isRequest(side), incomplete: truncated });
  if (body.events === undefined || !capture.truncated || coded) return { body, truncated };
  const tail = decrypted(exchange, side, capture.readTail(deps.spool), deps);
  const last = tail === undefined ? [] : readTailEvents(tail, body.mime);
  return { body: { ...body, events: [...body.events, ...last] }, truncated };
}

export function headersOf({ begin, head, provider }: Exchange, side: BodySide): HeaderList {
  if (side === "request") return begin.headers;
  if (side === "response") return head?.headers ?? HeaderList.none;
  return (side === "provider_request" ? provider?.requestHead : provider?.responseHead)?.headers ?? HeaderList.none;
}

/** The exchange's routing at the unified address. */
export const routingOf = ({ begin, head }: Exchange): RoutingMeta | undefined => head?.routing ?? begin.routing;

/** Path and query as the provider received them. */
export const providerPath = (exchange: Exchange): string => routingOf(exchange)?.path ?? exchange.begin.path;

const isRequest = (side: BodySide) => side === "request" || side === "provider_request";

/** The client's body as the provider got it. It is made when it is read: the record of most requests does not need it. */
export class EditedBytes implements SideBytes {
  readonly of: Buffer;
  readonly edits: readonly Edit[];
  readonly incomplete = false;
  readonly coded = false;
  #bytes: Buffer | undefined;

  constructor(of: Buffer, edits: readonly Edit[]) {
    this.of = of;
    this.edits = edits;
  }

  get bytes(): Buffer {
    this.#bytes ??= edited(this.of, this.edits);
    return this.#bytes;
  }
}

/** An empty client body counts as none; on the provider's side it replaces what the client sent or received. */
function captureOf(exchange: Exchange, side: BodySide): Capture | undefined {
  const { provider } = exchange;
  if (side === "provider_request") {
    if (provider?.requestHead?.edited !== undefined) return exchange.request;
    return provider?.requestHead?.hasBody ? provider.request : undefined;
  }
  if (side === "provider_response") return provider?.responseHead && provider.response;
  return exchange[side].bytes === 0 ? undefined : exchange[side];
}

/** The part of a body that begins at `at`, decrypted if the body is to be omitted; undefined if the key is gone. */
function decrypted(
  { begin, id }: Exchange,
  side: BodySide,
  { bytes, at }: { readonly bytes: Buffer; readonly at: number },
  { bodyKey }: Pick<PrepareDeps, "bodyKey">,
): Buffer | undefined {
  const omitted = isRequest(side) ? begin.omitRequest : begin.omitResponse;
  if (!omitted || begin.seal === undefined || side === "provider_request") return bytes;
  if (bodyKey?.name !== begin.seal || begin.salt === undefined) return undefined;
  return bodyKey.open({ salt: begin.salt, id, side }, bytes, at);
}

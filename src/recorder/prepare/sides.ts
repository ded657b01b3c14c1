import { type Decoded, decodeBody } from "../../runtime/content-coding.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import type { SealKey } from "../../spool/seal.ts";
import { type Body, readBody } from "../bodies/body.ts";
import { readTailEvents } from "../bodies/tail.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { headerValue, joinedValue } from "./headers.ts";
import type { PrepareDeps } from "./prepare.ts";

export type ClientSide = "request" | "response";

/** A body as it is read, and whether a part of it is missing. */
export interface Side {
  readonly body: Body | undefined;
  readonly truncated: boolean;
}

const NO_BODY: Side = { body: undefined, truncated: false };

/** The bytes of a body after its codings are undone. */
export interface SideBytes extends Decoded {
  /** They came under a content coding. */
  readonly coded: boolean;
}

type SideDeps = Pick<PrepareDeps, "spool" | "bodyBytesMax" | "sealKey">;

/** @returns undefined where there is no body, or one that cannot be read any more; a promise where it is compressed. */
export function decodedSide(
  exchange: Exchange,
  side: ClientSide,
  deps: SideDeps,
): SideBytes | undefined | Promise<SideBytes> {
  const capture = exchange[side];
  if (capture.bytes === 0) return undefined;
  const raw = unsealed(exchange, side, capture.read(deps.spool), deps.sealKey);
  if (raw === undefined) return undefined;
  const coding = joinedValue(headersOf(exchange, side), "content-encoding");
  if (coding === undefined) return { bytes: raw, incomplete: false, coded: false };
  return decodeBody(raw, coding, deps.bodyBytesMax).then((decoded) => ({ ...decoded, coded: true }));
}

export function toSide(
  exchange: Exchange,
  side: ClientSide,
  decoded: SideBytes | undefined,
  { spool }: Pick<PrepareDeps, "spool">,
): Side {
  if (decoded === undefined) return NO_BODY;
  const { bytes, incomplete, coded } = decoded;
  const capture = exchange[side];
  const truncated = capture.truncated || incomplete;
  const contentType = headerValue(headersOf(exchange, side), "content-type");
  const context = { contentType, path: exchange.begin.path, isResponse: side === "response", incomplete: truncated };
  const body = readBody(bytes, context);
  if (body.events === undefined || !capture.truncated || coded || exchange.begin.omitResponse) {
    return { body, truncated };
  }
  const tail = readTailEvents(capture.readTail(spool), body.mime);
  return { body: { ...body, events: [...body.events, ...tail] }, truncated };
}

export const headersOf = (exchange: Exchange, side: ClientSide): RawHeaders =>
  side === "request" ? exchange.begin.headers : (exchange.head?.headers ?? []);

/** The bytes of a body, decrypted where it is one to leave out; undefined where the key is gone. */
function unsealed({ begin, id }: Exchange, side: ClientSide, bytes: Buffer, key: SealKey | undefined) {
  const omitted = side === "request" ? begin.omitRequest : begin.omitResponse;
  if (!omitted || begin.seal === undefined) return bytes;
  if (key?.name !== begin.seal || begin.salt === undefined) return undefined;
  return key.open(begin.salt, id, side, bytes);
}

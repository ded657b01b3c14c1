import { GatewayError } from "../../errors.ts";
import type { BodyNeed } from "../../plugin-host/contract.ts";
import { after, type Soon } from "../../runtime/pending.ts";
import type { Admitted } from "../admitted.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import type { RequestHeaders } from "../headers/headers.ts";
import { type OwnResponse, ownResponse } from "../refusal.ts";
import type { SeenRequest } from "../seen-request.ts";
import type { BodyShare } from "./budget.ts";
import { Upload } from "./upload.ts";

/** Whether a request's body streams to the provider or is read into memory first. */
type BodyPlan = { readonly kind: "stream" } | WholeBodyPlan;

interface WholeBodyPlan {
  readonly kind: "whole";
  readonly bytesMax: number;
  /** What happens to a larger body. */
  readonly tooLarge: "stream" | "refuse";
}

/** A larger body is streamed: it is sent once, bypasses the cache, and its user is not read. */
const USUAL_BYTES_MAX = 4 * 1_024 * 1_024;
/** Plugins that decide by model or content must see every request, so a larger body is refused. */
const JUDGED_BYTES_MAX = 64 * 1_024 * 1_024;

/** The body of a unified request names its target. The general limit on body size is checked where the body is read. */
const UNIFIED: BodyPlan = { kind: "whole", bytesMax: 2 ** 31, tooLarge: "refuse" };
const STREAM: BodyPlan = { kind: "stream" };
const USUAL: BodyPlan = { kind: "whole", bytesMax: USUAL_BYTES_MAX, tooLarge: "stream" };
const JUDGED: BodyPlan = { kind: "whole", bytesMax: JUDGED_BYTES_MAX, tooLarge: "refuse" };

/** Decides how a request's body is handled, before its first byte is read. */
export function planBody({ caching, retry, needs: all, seen, unified }: Admitted): BodyPlan {
  if (unified !== undefined) return UNIFIED;
  const needs = all.length === 0 ? all : unknown(all, seen);
  if (needs.includes("model") || needs.includes("body")) return JUDGED;
  return caching !== undefined || retry !== undefined || needs.length > 0 ? USUAL : STREAM;
}

const unknown = (needs: readonly BodyNeed[], seen: SeenRequest) => needs.filter((need) => !isKnown(need, seen));

/** Whether the head already contains what would be read from the body. */
function isKnown(need: BodyNeed, { userId, model }: SeenRequest): boolean {
  return (need === "user" && !!userId) || (need === "model" && model !== undefined);
}

/**
 * Reads a body according to its plan.
 *
 * @returns undefined if it is too large and is streamed, or the exchange has ended.
 * @throws GatewayError `body_too_large`, `bodies_full`.
 */
export function readBody(parts: GatewayParts, admitted: Admitted, plan: WholeBodyPlan): Soon<Uint8Array | undefined> {
  const { exchange, headers } = admitted;
  if (!hasBody(headers)) return EMPTY;
  const isTooLarge = (headers.contentLength ?? 0) > plan.bytesMax;
  return after(isTooLarge ? undefined : readInShare(parts, admitted, plan.bytesMax), (body) => {
    if (body === undefined && plan.tooLarge === "refuse" && !exchange.ended)
      throw new GatewayError(
        "body_too_large",
        `the body is over ${plan.bytesMax} bytes, which is as far as plugins read bodies`,
      );
    return body;
  });
}

/** Initial room for a body of unknown length; more is requested as it arrives. */
const UNSAID_BYTES = 64 * 1_024;

/** Reads a body within the memory budget for complete bodies. @throws GatewayError `bodies_full`. */
function readInShare(parts: GatewayParts, admitted: Admitted, bytesMax: number): Soon<Uint8Array | undefined> {
  const { exchange, headers } = admitted;
  const share = parts.bodies.ask(headers.contentLength ?? UNSAID_BYTES, () =>
    exchange.respondOwn(TOO_SLOW, "client_gone"),
  );
  exchange.reportEnd(() => share.release());
  return after(share.given, (given) => {
    if (exchange.ended) return undefined;
    if (!given) throw new GatewayError("bodies_full");
    return after(wholeOf(openUpload(parts, admitted), bytesMax, share), (body) => {
      if (body === undefined) share.release();
      else share.arrived();
      return body;
    });
  });
}

/** Synchronous if the body arrived with its head, as small ones do. */
function wholeOf(upload: Upload, bytesMax: number, share: BodyShare): Soon<Uint8Array | undefined> {
  let read: { readonly body: Uint8Array | undefined } | undefined;
  let resolve: ((body: Uint8Array | undefined) => void) | undefined;
  upload.readWhole(
    bytesMax,
    (body) => {
      read = { body };
      resolve?.(body);
    },
    share,
  );
  if (read !== undefined) return (read as { readonly body: Uint8Array | undefined }).body;
  return new Promise((settle) => {
    resolve = settle;
  });
}

/** The response to an upload that is too slow while others wait for its memory. */
export const TOO_SLOW: OwnResponse = {
  ...ownResponse("bad_request", "the request body came too slowly while others waited for its memory; send it again"),
  status: 408,
};

/** The upload of a request's body, which may already be partly read. */
export function openUpload(parts: GatewayParts, { exchange, request }: Admitted): Upload {
  exchange.upload ??= new Upload(exchange, request.incoming, parts);
  return exchange.upload;
}

export function hasBody({ contentLength, transferEncoding }: RequestHeaders): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength > 0);
}

const EMPTY = new Uint8Array(0);

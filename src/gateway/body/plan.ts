import { GatewayError } from "../../errors.ts";
import type { BodyNeed } from "../../plugin/contract.ts";
import type { Admitted } from "../admit.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import type { RequestHeaders } from "../headers/headers.ts";
import { type OwnAnswer, ownAnswer } from "../refusal.ts";
import type { SeenRequest } from "../seen-request.ts";
import { Upload } from "./upload.ts";

/** Whether a request's body goes to the provider as it comes, or is in memory before anything is decided. */
export type BodyPlan = { readonly kind: "stream" } | WholeBodyPlan;

interface WholeBodyPlan {
  readonly kind: "whole";
  readonly bytesMax: number;
  /** What happens to a larger one. */
  readonly tooLarge: "stream" | "refuse";
}

/** A larger body is sent once, answered by nothing but its provider, and names no user. */
const USUAL_BYTES_MAX = 4 * 1_024 * 1_024;
/** What decides by model or content decides about every request, so a larger body is refused. */
const JUDGED_BYTES_MAX = 64 * 1_024 * 1_024;

/** The body of a unified request names its target. How large any body may be is checked where it is read. */
const UNIFIED: BodyPlan = { kind: "whole", bytesMax: 2 ** 31, tooLarge: "refuse" };
const STREAM: BodyPlan = { kind: "stream" };
const USUAL: BodyPlan = { kind: "whole", bytesMax: USUAL_BYTES_MAX, tooLarge: "stream" };
const JUDGED: BodyPlan = { kind: "whole", bytesMax: JUDGED_BYTES_MAX, tooLarge: "refuse" };

/** Says what becomes of a request's body, before its first byte is read. */
export function planBody({ caching, retry, needs: all, seen, unified }: Admitted): BodyPlan {
  if (unified !== undefined) return UNIFIED;
  const needs = all.length === 0 ? all : all.filter((need) => !isKnown(need, seen));
  if (needs.includes("model") || needs.includes("body")) return JUDGED;
  return caching !== undefined || retry !== undefined || needs.length > 0 ? USUAL : STREAM;
}

/** Whether the head tells already what the body would. */
function isKnown(need: BodyNeed, { userId, model }: SeenRequest): boolean {
  return (need === "user" && !!userId) || (need === "model" && model !== undefined);
}

/**
 * Reads a body as far as its plan says.
 *
 * @returns undefined where it is too large and goes out as it comes, or the exchange has ended.
 * @throws GatewayError `body_too_large`, `bodies_full`.
 */
export async function readBody(
  parts: GatewayParts,
  admitted: Admitted,
  plan: WholeBodyPlan,
): Promise<Uint8Array | undefined> {
  const { exchange, headers } = admitted;
  if (!hasBody(headers)) return EMPTY;
  const isTooLarge = (headers.contentLength ?? 0) > plan.bytesMax;
  const body = isTooLarge ? undefined : await readInShare(parts, admitted, plan.bytesMax);
  if (body === undefined && plan.tooLarge === "refuse" && !exchange.ended)
    throw new GatewayError(
      "body_too_large",
      `the body is over ${plan.bytesMax} bytes, which is as far as plugins read bodies`,
    );
  return body;
}

/** Room for a body whose length nobody has said; more is asked for as it comes. */
const UNSAID_BYTES = 64 * 1_024;

/** Reads a body within the memory for all bodies that are held whole. @throws GatewayError `bodies_full`. */
async function readInShare(parts: GatewayParts, admitted: Admitted, bytesMax: number): Promise<Uint8Array | undefined> {
  const { exchange, headers } = admitted;
  const share = parts.bodies.ask(headers.contentLength ?? UNSAID_BYTES, () =>
    exchange.answerOwn(TOO_SLOW, "client_gone"),
  );
  exchange.tellEnd(() => share.release());
  const given = share.given === true || (await share.given);
  if (exchange.ended) return undefined;
  if (!given) throw new GatewayError("bodies_full");
  const upload = openUpload(parts, admitted);
  const body = await new Promise<Uint8Array | undefined>((resolve) => upload.readWhole(bytesMax, resolve, share));
  if (body === undefined) share.release();
  else share.arrived();
  return body;
}

/** An upload that holds memory for which others wait. */
export const TOO_SLOW: OwnAnswer = {
  ...ownAnswer("bad_request", "the request body came too slowly while others waited for its memory; send it again"),
  status: 408,
};

/** The upload of a request's body, as far as it has been read. */
export function openUpload(parts: GatewayParts, { exchange, request }: Admitted): Upload {
  exchange.upload ??= new Upload(exchange, request.incoming, {
    bytesMax: parts.bodyBytesMax,
    stallMs: parts.uploadStallMs,
    upstreamMs: parts.upstreamTimeoutMs,
  });
  return exchange.upload;
}

export function hasBody({ contentLength, transferEncoding }: RequestHeaders): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength > 0);
}

const EMPTY = new Uint8Array(0);

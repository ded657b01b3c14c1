import type { Socket } from "node:net";
import type { IncomingRequest } from "../runtime/http/server.ts";
import type { UpstreamRequest } from "../runtime/http/upstream.ts";
import type { BeginMeta } from "../spool/frame.ts";
import { COLLECT_BYTES_MAX, Upload, type UploadLimits } from "./body/upload.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { RequestHeaders } from "./headers/headers.ts";
import { askOnForward, type SeenRequest } from "./hooks.ts";
import type { FallbackTarget } from "./retry/fallback-request.ts";
import type { RetryPlan } from "./retry/plan.ts";
import type { Route } from "./target.ts";

/** A request as the HTTP parser hands it over. */
export interface ClientRequest {
  readonly incoming: IncomingRequest;
  /** The socket and what came behind the head, where the client wants to speak another protocol. */
  readonly client?: { readonly socket: Socket; readonly early: Uint8Array };
}

/** A request that may be passed on: who sent it is known, and where it goes. */
export interface Admitted {
  readonly exchange: Exchange;
  readonly request: ClientRequest;
  readonly headers: RequestHeaders;
  readonly route: Route;
  readonly seen: SeenRequest;
  /** How its record begins. */
  readonly meta: BeginMeta;
  /** What to do when the provider fails, where the client said so. */
  readonly retry: { readonly plan: RetryPlan; readonly targets: readonly FallbackTarget[] } | undefined;
}

/** Asks the plugins that count what goes to providers. @throws Refused, GatewayError `plugin_failed`. */
export function askToForward({ hooks }: GatewayParts, { seen, exchange }: Admitted): void | Promise<void> {
  if (hooks === undefined || !(hooks.has("onForward") || hooks.has("onEnd"))) return;
  return askOnForward(hooks, seen, exchange);
}

/** Passes a request on, its body as it comes. */
export function forward(parts: GatewayParts, admitted: Admitted): void {
  const { exchange, request } = admitted;
  const { contentLength } = admitted.headers;
  const call = toUpstream(parts, admitted);
  if (!hasBody(admitted.headers)) {
    exchange.send(call);
    return;
  }
  request.incoming.sendContinue();
  const limits = uploadLimits(parts);
  exchange.upload =
    contentLength !== undefined && contentLength <= COLLECT_BYTES_MAX
      ? Upload.collect(exchange, request.incoming, limits, (body) => exchange.send({ ...call, body }))
      : Upload.stream(exchange, request.incoming, limits, exchange.send(call));
  exchange.upload.begin();
}

export function hasBody({ contentLength, transferEncoding }: RequestHeaders): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength > 0);
}

export function uploadLimits(parts: GatewayParts): UploadLimits {
  return { bytesMax: parts.bodyBytesMax, stallMs: parts.uploadStallMs, upstreamMs: parts.upstreamTimeoutMs };
}

/** The request as the provider gets it, without its body. */
export function toUpstream(parts: GatewayParts, { request, headers, route }: Admitted): UpstreamRequest {
  const { incoming, client } = request;
  const { contentLength, transferEncoding } = headers;
  const upgrade = client !== undefined;
  return {
    origin: route.target.upstream,
    method: incoming.method,
    path: incoming.url,
    headers: parts.headers.forward(headers, route.target.authority, upgrade),
    framing: transferEncoding !== undefined ? "chunked" : contentLength !== undefined ? "length" : "none",
    upgrade,
  };
}

/** The same with a body that is in memory, framed as the client framed it. */
export function withBody(request: UpstreamRequest, body: Uint8Array): UpstreamRequest {
  if (request.framing === "none") return request;
  if (request.framing === "length") return { ...request, body };
  const last = "0\r\n\r\n";
  const framed =
    body.byteLength === 0
      ? Buffer.from(last)
      : Buffer.concat([Buffer.from(`${body.byteLength.toString(16)}\r\n`), body, Buffer.from(`\r\n${last}`)]);
  return { ...request, body: framed };
}

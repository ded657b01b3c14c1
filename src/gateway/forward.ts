import type { UpstreamRequest } from "../runtime/http/upstream.ts";
import type { Admitted } from "./admitted.ts";
import { type BodyShare, SMALL_BYTES } from "./body/budget.ts";
import { hasBody, openUpload, TOO_SLOW } from "./body/plan.ts";
import type { Upload } from "./body/upload.ts";
import type { Exchange } from "./exchange.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { maskOf } from "./headers/secrets.ts";
import type { SentInstead } from "./recording.ts";
import type { Route } from "./target.ts";

/** Bodies up to this size go out in one write with their head, which also allows resending them. */
const ONE_WRITE_BYTES_MAX = 1_024 * 1_024;

/** Forwards a request, with the part of its body already read and the rest. */
export function forward(parts: GatewayParts, admitted: Admitted): void {
  const { exchange, headers } = admitted;
  if (admitted.client !== undefined)
    exchange.recording.providerRequest(sentInstead(parts, admitted.route, toUpstream(parts, admitted), undefined));
  if (!hasBody(headers)) {
    exchange.send(toUpstream(parts, admitted));
    return;
  }
  const isUnread = exchange.upload === undefined;
  const upload = openUpload(parts, admitted);
  const { contentLength } = headers;
  if (isUnread && contentLength !== undefined && contentLength <= SMALL_BYTES) readAndSend(parts, admitted, upload);
  else {
    // Without memory to hold it until it is complete, it is streamed.
    const share =
      isUnread && contentLength !== undefined && contentLength <= ONE_WRITE_BYTES_MAX
        ? takeShare(parts, exchange, contentLength)
        : undefined;
    if (share !== undefined) readAndSend(parts, admitted, upload, share);
    else upload.pipe(exchange.send(toUpstream(parts, admitted)));
  }
}

/** A function of its own: in `forward` the closure would cost every request its scope. */
const takeShare = (parts: GatewayParts, exchange: Exchange, bytes: number) =>
  parts.bodies.take(bytes, () => exchange.respondOwn(TOO_SLOW, "client_gone"));

/** @param share - the body's memory, if it is counted. */
function readAndSend(parts: GatewayParts, admitted: Admitted, upload: Upload, share?: BodyShare): void {
  upload.readWhole(ONE_WRITE_BYTES_MAX, (body) => {
    share?.release();
    if (body !== undefined) admitted.exchange.send(toUpstream(parts, admitted, body));
  });
}

/** The request as the provider gets it. @param body - if it is sent in one write with its head. */
export function toUpstream(
  parts: GatewayParts,
  { request, headers, route }: Admitted,
  body?: Uint8Array,
): UpstreamRequest {
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
    body,
  };
}

/** A request with its body, and how it differs from the client's request. */
export interface Outgoing {
  readonly request: UpstreamRequest;
  readonly instead: SentInstead | undefined;
}

/** The client's request with its body, both with plugins' changes. */
export function outgoing(parts: GatewayParts, admitted: Admitted, body: Uint8Array): Outgoing {
  const { client, route } = admitted;
  const request = withBody(toUpstream(parts, admitted), body);
  if (client === undefined) return { request, instead: undefined };
  return { request, instead: sentInstead(parts, route, request, body === client.body ? undefined : body) };
}

/** The record of what a provider was sent. @param body - undefined if it is the client's. */
export function sentInstead(
  parts: GatewayParts,
  { provider }: Route,
  { headers }: UpstreamRequest,
  body: Uint8Array | undefined,
): SentInstead {
  return { headers: parts.headers.recorded(parts.headers.read(headers), maskOf(provider).headers), body };
}

/** The request with a body that is in memory, framed as the client framed it. */
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

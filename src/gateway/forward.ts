import type { UpstreamRequest } from "../runtime/http/upstream.ts";
import type { Admitted } from "./admit.ts";
import { hasBody, openUpload } from "./body/plan.ts";
import type { GatewayParts } from "./gateway-parts.ts";

/** Bodies up to here go out in one write with their head, which also allows sending them a second time. */
const ONE_WRITE_BYTES_MAX = 1_024 * 1_024;

/** Passes a request on, with what was read of its body and what is still to come. */
export async function forward(parts: GatewayParts, admitted: Admitted): Promise<void> {
  const { exchange, headers } = admitted;
  const call = toUpstream(parts, admitted);
  if (!hasBody(headers)) {
    exchange.send(call);
    return;
  }
  const isUnread = exchange.upload === undefined;
  const upload = openUpload(parts, admitted);
  const { contentLength } = headers;
  if (isUnread && contentLength !== undefined && contentLength <= ONE_WRITE_BYTES_MAX) {
    const body = await upload.readWhole(ONE_WRITE_BYTES_MAX);
    if (body !== undefined) exchange.send({ ...call, body });
  } else upload.pipe(exchange.send(call));
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

import type { UpstreamCall } from "../../runtime/http/upstream.ts";
import { type Admitted, forward, hasBody, toUpstream, uploadLimits } from "../forward.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { Upload } from "./upload.ts";

/** Request bodies up to here are gathered. Larger ones are passed on as they come. */
const GATHERED_BYTES_MAX = 4 * 1_024 * 1_024;

interface Takers {
  /** The whole body is in memory. */
  readonly onBody: (body: Uint8Array) => Promise<void>;
  /** The body is too large, and goes to the provider when this has resolved. */
  readonly beforePassing: () => void | Promise<void>;
}

/** Reads a request's body into memory. Rejects as the takers do. */
export async function gather(parts: GatewayParts, admitted: Admitted, takers: Takers): Promise<void> {
  const { exchange, headers, request } = admitted;
  if ((headers.contentLength ?? 0) > GATHERED_BYTES_MAX) {
    await takers.beforePassing();
    if (!exchange.ended) forward(parts, admitted);
    return;
  }
  if (!hasBody(headers)) return takers.onBody(new Uint8Array(0));
  request.incoming.sendContinue();
  const passOn = async (pass: (call: UpstreamCall) => void) => {
    await takers.beforePassing();
    if (!exchange.ended) pass(exchange.send(toUpstream(parts, admitted)));
  };
  await new Promise<void>((resolve, reject) => {
    // Where the client leaves or stalls, the exchange ends without either of these, and this promise with it.
    exchange.upload = Upload.collect(
      exchange,
      request.incoming,
      uploadLimits(parts),
      (body) => takers.onBody(body).then(resolve, reject),
      { bytesMax: GATHERED_BYTES_MAX, onMore: (pass) => passOn(pass).then(resolve, reject) },
    );
    exchange.upload.begin();
  });
}

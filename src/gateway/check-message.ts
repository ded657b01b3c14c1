import { GatewayError } from "../errors.ts";
import type { ClientRequest } from "./admitted.ts";
import type { RequestHeaders } from "./headers/headers.ts";

/** Refuses messages that the parser accepts but no upstream should have to interpret, and repeats checks of the parser. */
export function checkMessage({ incoming, client }: ClientRequest, headers: RequestHeaders): void {
  const { hosts, transferEncoding, contentLength } = headers;
  const { old, url } = incoming;
  if (hosts.length > 1) throw malformed("the request has more than one Host");
  if (hosts.length === 0 && !old) throw malformed("the request has no Host");
  if (!url.startsWith("/")) throw malformed("the request target must be a path, such as /v1/models");
  if (contentLength !== undefined && !Number.isSafeInteger(contentLength))
    throw malformed("Content-Length is no length");
  if (transferEncoding === undefined) {
    if (client !== undefined && contentLength !== undefined && contentLength > 0)
      throw malformed("an upgrade cannot have a body");
    return;
  }
  if (old || transferEncoding.toLowerCase() !== "chunked" || contentLength !== undefined || client !== undefined)
    throw malformed("Transfer-Encoding must be exactly: chunked");
}

/** Closes the connection: a reader that reads this message differently would also read the next one differently. */
function malformed(message: string): GatewayError {
  return new GatewayError("bad_request", message, { headers: { Connection: "close" } });
}

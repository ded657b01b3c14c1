import type { RequestFault } from "../runtime/http/server.ts";
import { JSON_HEADERS } from "./envelope.ts";

const FAULTS: Readonly<Record<RequestFault, readonly [status: string, message: string]>> = {
  malformed: ["400 Bad Request", "the request is not well-formed HTTP"],
  method: ["405 Method Not Allowed", "the API does not take this method"],
  timeout: ["408 Request Timeout", "the request did not arrive in time"],
  size: ["431 Request Header Fields Too Large", "the request has too many header fields, or too long ones"],
  plain: ["400 Bad Request", "this port speaks TLS: use an https:// address"],
};

/** The response to what the HTTP parser refuses, in the API's usual form; the connection then closes. */
export function onFault(fault: RequestFault): Uint8Array {
  const [status, message] = FAULTS[fault];
  const body = JSON.stringify({
    data: [],
    error: Number(status.slice(0, 3)),
    code: "bad_request",
    message,
    path: null,
  });
  const headers = Object.entries({ ...JSON_HEADERS, "content-length": Buffer.byteLength(body), connection: "close" });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

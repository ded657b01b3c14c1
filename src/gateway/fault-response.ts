import { ERRORS } from "../errors.ts";
import type { RequestFault } from "../runtime/http/server.ts";
import { uuidv7 } from "../runtime/uuid.ts";
import { errorBody, reasonOf } from "./refusal.ts";

const RESPONSES: Readonly<Record<RequestFault, readonly [status: number, message: string]>> = {
  malformed: [400, ERRORS.bad_request.text],
  method: [405, "the gateway does not take this method"],
  plain: [400, "this port speaks TLS: use an https:// address"],
  timeout: [408, "the request did not arrive in time"],
  size: [431, "the request has too many header fields, or too long ones"],
};

/** The response to a request that the HTTP parser refused, in the JSON shape of every other error; the connection then closes. */
export function faultResponse(fault: RequestFault, why: string | undefined, idHeaders: readonly string[]): Buffer {
  const [status, text] = RESPONSES[fault];
  const message = fault === "malformed" && why !== undefined ? `${text}: ${why}` : text;
  const id = uuidv7();
  const body = errorBody({ code: "bad_request", message }, id);
  const head = [
    `HTTP/1.1 ${status} ${reasonOf(status)}`,
    "Content-Type: application/json",
    `Content-Length: ${body.byteLength}`,
    ...idHeaders.map((name) => `${name}: ${id}`),
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

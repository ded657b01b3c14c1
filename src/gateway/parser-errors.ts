import type { Socket } from "node:net";
import { ERRORS } from "../errors.ts";
import { uuidv7 } from "../runtime/uuid.ts";
import { errorBody, reasonOf } from "./refusal.ts";

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

interface Verdict {
  readonly status: number;
  readonly code: "bad_request" | "invalid_path";
  readonly message: string;
}

const REQUEST_LINE_BYTES_MAX = 16 * 1_024;

const bad = (status: number, message: string): Verdict => ({ status, code: "bad_request", message });

/** What the HTTP parser refused, in the JSON shape of every other error; the connection closes behind it. */
export function answerParserError(error: Error, socket: Socket, idHeaders: readonly string[]): void {
  // It also fires for connections that died, and for garbage behind a request whose answer is under way.
  if (!socket.writable || isAnswering(socket)) socket.destroy();
  else write(socket, judge(error), idHeaders);
}

export function refuseMethod(socket: Socket, idHeaders: readonly string[]): void {
  write(socket, bad(405, "the gateway does not take this method"), idHeaders);
}

function judge({ code = "", rawPacket }: ParserError): Verdict {
  if (code === "HPE_HEADER_OVERFLOW") return bad(431, "the request has too many header fields, or too long ones");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return bad(408, "the request did not arrive in time");
  if (code === "HPE_INVALID_METHOD") return bad(405, "the gateway does not take this method");
  if (hasBadPath(rawPacket)) return { status: 400, code: "invalid_path", message: ERRORS.invalid_path.text };
  return bad(400, ERRORS.bad_request.text);
}

/** Spaces, control bytes and bytes over 0x7e in the request target. */
function hasBadPath(packet: Uint8Array | undefined): boolean {
  if (packet === undefined) return false;
  const start = Buffer.from(packet.subarray(0, REQUEST_LINE_BYTES_MAX)).toString("latin1").split("\r\n", 1)[0] ?? "";
  const target = /^[A-Z-]+ (\/.*) HTTP\/1\.[01]$/s.exec(start)?.[1];
  return target !== undefined && /[^\x21-\x7e]/.test(target);
}

function isAnswering(socket: Socket): boolean {
  return "_httpMessage" in socket && socket._httpMessage !== null && socket._httpMessage !== undefined;
}

function write(socket: Socket, { status, code, message }: Verdict, idHeaders: readonly string[]): void {
  const id = uuidv7();
  const body = errorBody({ code, message }, id);
  const head = [
    `HTTP/1.1 ${status} ${reasonOf(status)}`,
    "Content-Type: application/json",
    `Content-Length: ${body.byteLength}`,
    ...idHeaders.map((name) => `${name}: ${id}`),
    "Connection: close",
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
}

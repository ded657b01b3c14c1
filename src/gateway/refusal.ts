import { ERRORS, type ErrorCode, GatewayError } from "../errors.ts";
import { maskText } from "../masking/mask.ts";
import type { Refusal } from "../plugin-host/contract.ts";
import type { ClientApi } from "../unified/client-api.ts";
import { writeErrorIn } from "../unified/response.ts";
import { toHeaderValue } from "./headers/headers.ts";
import { ofPlugin } from "./headers/response-headers.ts";

/** A plugin's refusal, thrown so that it is handled like every other one. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "Refused";
    this.refusal = refusal;
  }
}

/** A response of the gateway's own. */
export interface OwnResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Path of the wrong member in the body. */
  readonly path?: string | undefined;
}

/** The response to a thrown value; an unknown one is a bug, and the client sees nothing of it. */
export function toOwnResponse(error: unknown): OwnResponse {
  if (error instanceof GatewayError)
    return { status: error.status, code: error.code, message: error.message, headers: error.headers, path: error.path };
  return {
    status: 500,
    code: "internal_error",
    message: "the gateway failed on this request; its log says why",
    headers: {},
  };
}

export function ownResponse(code: ErrorCode, message: string = ERRORS[code].text): OwnResponse {
  return { status: ERRORS[code].status, code, message, headers: {} };
}

export function bodyTooLarge(bytesMax: number): string {
  return `the body is over ${bytesMax} bytes; WEIR_MAX_BODY_BYTES sets the limit`;
}

/** A plugin's message may quote what the client sent, and the response is recorded. */
export function fromRefusal(
  { status, code, message, headers = {} }: Refusal,
  idHeaders: readonly string[],
): OwnResponse {
  return { status, code, message: maskText(message), headers: Object.fromEntries(ofPlugin(headers, idHeaders)) };
}

/** The JSON body of every error of the gateway. */
export function errorBody({ code, message }: Pick<OwnResponse, "code" | "message">, id: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { type: "gateway_error", code, message, request_id: id } }));
}

/** The error in the client's API shape, if that is not the gateway's own. */
export function ownError(own: OwnResponse, id: string, shape: ClientApi | undefined): { status: number; body: Buffer } {
  const { status, code, message, path } = own;
  if (shape === undefined) return { status, body: errorBody(own, id) };
  const param = path === undefined ? {} : { param: path };
  const written = writeErrorIn(shape, { status, code, message, type: "gateway_error", requestId: id, ...param });
  return { status: written.status, body: Buffer.from(JSON.stringify(written.body)) };
}

/** Seconds after which a client may retry what this program could not take now. */
const RETRY_SECONDS = 2;
const PASSES_OVER: ReadonlySet<string> = new Set<ErrorCode>(["bodies_full", "spool_full", "shutting_down"]);

/** The headers of an error, raw pairs. */
export function errorHeaders({ status, code, headers }: OwnResponse, bodyBytes: number): string[] {
  const pairs = ["Content-Type", "application/json", "Content-Length", String(bodyBytes)];
  for (const [name, value] of Object.entries(headers)) pairs.push(name, toHeaderValue(value));
  if (PASSES_OVER.has(code)) pairs.push("Retry-After", String(RETRY_SECONDS));
  if (status === 401) pairs.push("WWW-Authenticate", "Bearer");
  return pairs;
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  417: "Expectation Failed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

export function reasonOf(status: number): string {
  return REASONS[status] ?? "Error";
}

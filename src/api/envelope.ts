import { ERRORS, type ErrorCode, GatewayError } from "../errors.ts";

/** `Retry-After` seconds for temporary failures. */
const RETRY_SECONDS = 2;

export const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff", // responses contain text that clients chose
};

/** 200 with `{ data, error: null }`; `extra` adds members beside them, such as `next_cursor`. */
export function success(
  data: unknown,
  headers: Readonly<Record<string, string>> = {},
  extra: Readonly<Record<string, unknown>> = {},
): Response {
  return new Response(JSON.stringify({ data, error: null, ...extra }), { headers: { ...JSON_HEADERS, ...headers } });
}

/** 200 with `{ data, error: null }`, for `data` that is JSON text already. */
export function successText(data: string): Response {
  return new Response(`{"data":${data},"error":null}`, { headers: JSON_HEADERS });
}

/** Any other JSON, without the envelope: probes and the API description. */
export function plainJson(value: unknown, status = 200): Response {
  const later = status === 503 ? { "retry-after": `${RETRY_SECONDS}` } : {};
  return new Response(JSON.stringify(value), { status, headers: { ...JSON_HEADERS, ...later } });
}

/** A failure, never to be mistaken for "no results": `path` names the wrong member of the body, if there is one. */
export function failure({ status, code, message, path, headers }: GatewayError): Response {
  return failed({ status, code, message, path: path ?? null }, headers);
}

/** A failure as the response shows it. */
interface Failed {
  readonly status: number;
  /** One of the table of errors, or a plugin's own. */
  readonly code: string;
  readonly message: string;
  readonly path: string | null;
}

export function failed(
  { status, code, message, path }: Failed,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const later = status === 503 ? { "retry-after": `${RETRY_SECONDS}` } : {};
  return new Response(JSON.stringify({ data: [], error: status, code, message, path }), {
    status,
    headers: { ...JSON_HEADERS, ...later, ...headers },
  });
}

/** Codes for plugin responses that have none. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_body",
  401: "invalid_auth",
  403: "insufficient_permission",
  404: "not_found",
  409: "duplicate_name",
  429: "rate_limited",
  503: "database_unavailable",
};

export function codeOfStatus(status: number): ErrorCode {
  return CODE_OF_STATUS[status] ?? (status < 500 ? "invalid_body" : "plugin_failed");
}

/** An error from another thread has lost its class, but not its code and path. */
export function asGatewayError(error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  if (!Object.hasOwn(ERRORS, error.code)) return undefined;
  const path = "path" in error && typeof error.path === "string" ? { path: error.path } : {};
  return new GatewayError(error.code as keyof typeof ERRORS, error.message, { ...path, cause: error });
}

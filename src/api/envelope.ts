import { ERRORS, GatewayError } from "../errors.ts";

export const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff", // what clients sent stands in it
};

/** 200 with `{ data, error: null }`. */
export function success(data: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify({ data, error: null }), { headers: { ...JSON_HEADERS, ...headers } });
}

/** The same where `data` is JSON text already; `extra` stands beside it, such as `next_cursor`. */
export function successText(data: string, extra: Readonly<Record<string, unknown>> = {}): Response {
  return new Response(`{"data":${data},${JSON.stringify({ error: null, ...extra }).slice(1)}`, {
    headers: JSON_HEADERS,
  });
}

/** Any other JSON, without the envelope: probes and the API's description. */
export function plainJson(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: JSON_HEADERS });
}

/** A failure, never to be mistaken for "no results": `path` names the wrong member of the body, where one is to blame. */
export function failure({ status, message, path, headers }: GatewayError): Response {
  return failed(status, message, path ?? null, headers);
}

export function failed(
  status: number,
  message: string,
  path: string | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify({ data: [], error: status, message, path }), {
    status,
    headers: { ...JSON_HEADERS, ...headers },
  });
}

/** An error from another thread has lost its class, but not its code. */
export function asGatewayError(error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  if (!Object.hasOwn(ERRORS, error.code)) return undefined;
  return new GatewayError(error.code as keyof typeof ERRORS, error.message, { cause: error });
}

import type { ApiError, Json } from "../../plugin-host/contract.ts";
import { errorOf } from "../errors-and-costs.ts";
import { filledText, isObject, pickDefined, scalarText, textOf } from "../json.ts";
import { isContextError } from "../translate/errors.ts";

/** An error body of OpenAI, or of less strict compatible APIs. `status` 0: it came inside a stream. */
export function readError(status: number, body: Json): ApiError {
  const known = errorOf(body, status === 0 ? 500 : status);
  const error = isObject(body?.error) ? body.error : body;
  return pickDefined({
    status: status === 0 ? statusIn(error) : status,
    message: known?.message ?? "the provider reported an error without a message",
    type: known?.type,
    code: scalarText(error?.code),
    param: textOf(error?.param),
  }) as ApiError;
}

/** Error types that mean 429 inside streams. */
const LIMITS: ReadonlySet<Json> = new Set(["rate_limit_error", "rate_limit_exceeded", "insufficient_quota"]);

/** Some streams include the status that the response would have had; otherwise it counts as a provider failure. */
function statusIn(error: Json): number {
  for (const value of [error?.status, error?.status_code, error?.code]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  if (error?.type === "invalid_request_error") return 400;
  return LIMITS.has(error?.type) || LIMITS.has(error?.code) ? 429 : 502;
}

/** 529 is Anthropic's equivalent of 503. */
export const writeStatus = (status: number): number => (status === 529 ? 503 : status);

/** The error in the format of OpenAI's SDKs. */
export function writeError(error: ApiError): Json {
  return {
    error: pickDefined({
      message: error.message,
      type: typeOf(error),
      param: error.param ?? null,
      code: isContextError(error) ? "context_length_exceeded" : (filledText(error.code) ?? null),
      request_id: error.requestId,
      upstream: error.upstream,
    }),
  };
}

function typeOf({ status, upstream, type }: ApiError): string {
  if (upstream === undefined && type === "gateway_error") return type;
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

import type { ApiError, Json } from "../../../plugin-host/contract.ts";
import { errorOf } from "../../errors-and-costs.ts";
import { isObject, pickDefined, textOf } from "../../json.ts";
import { isContextError } from "../../translate/errors.ts";

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "invalid_request_error",
  413: "request_too_large",
  422: "invalid_request_error",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/** An Anthropic error. `status` 0: it came inside a stream, and its type determines the status. */
export function readError(status: number, body: Json): ApiError {
  const error = isObject(body?.error) ? body.error : body;
  const type = textOf(error?.type) ?? "";
  const inStream = Object.hasOwn(STATUSES, type) ? STATUSES[type]! : 500;
  return pickDefined({
    status: status === 0 ? inStream : status,
    message: errorOf(body, status === 0 ? 500 : status)?.message ?? "the provider reported an error without a message",
    type: type === "" ? undefined : type,
    requestId: textOf(body?.request_id),
  }) as ApiError;
}

/** The text that coding tools search for when a prompt is too long. */
const TOO_LONG = "prompt is too long";

/** The error in the format of Anthropic's SDKs; a message about a member begins with its path. */
export function writeError(error: ApiError): Json {
  const { status, param, requestId, code, upstream } = error;
  const aboutMember =
    param !== undefined && !error.message.startsWith(param) ? `${param}: ${error.message}` : error.message;
  const isThread = code === "thread_not_found";
  const tooLong = isContextError(error) && !error.message.startsWith(TOO_LONG);
  return pickDefined({
    type: "error",
    error: pickDefined({
      type: Object.hasOwn(TYPES, status)
        ? TYPES[status]
        : status < 500 && status >= 400
          ? "invalid_request_error"
          : "api_error",
      message: tooLong ? `${TOO_LONG}: ${error.message}` : aboutMember,
      param,
      code,
      // Anthropic's SDKs look for it here, and send the whole conversation.
      details: isThread ? { error_code: code } : undefined,
      upstream,
    }),
    request_id: requestId,
  });
}

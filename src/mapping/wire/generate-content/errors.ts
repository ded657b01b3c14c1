import type { ApiError, Json } from "../../../plugin-host/contract.ts";
import { errorOf } from "../../errors-and-costs.ts";
import { isObject, listOf, numberOf, pickDefined, textOf } from "../../json.ts";

/** Google's status names. Source: `google.rpc.Code`. */
const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** A Google error, also as the only element of a list. `status` 0: it came inside a stream, and its code is the status. */
export function readError(status: number, body: Json): ApiError {
  const around = Array.isArray(body) ? body[0] : body;
  const error = isObject(around?.error) ? around.error : around;
  const code = numberOf(error?.code);
  const inStream = code !== undefined && code >= 400 && code < 600 ? code : 502;
  const violation = listOf(error?.details).find((detail) => Array.isArray(detail?.fieldViolations));
  return pickDefined({
    status: status === 0 ? inStream : status,
    message:
      errorOf(around, status === 0 ? 500 : status)?.message ?? "the provider reported an error without a message",
    type: textOf(error?.status),
    param: textOf(violation?.fieldViolations[0]?.field),
  }) as ApiError;
}

/** The error in the format of Google's SDKs. */
export const writeError = ({ status, message, upstream }: ApiError): Json => ({
  error: pickDefined({
    code: status,
    message,
    status: Object.hasOwn(STATUSES, status) ? STATUSES[status] : status < 500 ? "INVALID_ARGUMENT" : "INTERNAL",
    upstream,
  }),
});

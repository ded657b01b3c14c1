import type { ApiError, Json } from "../../../plugin-host/contract.ts";
import { errorOf } from "../../errors-and-costs.ts";
import { filledText, pickDefined } from "../../json.ts";

/** A Cohere error: a message and possibly an id. `status` 0: it came inside a stream. */
export function readError(status: number, body: Json): ApiError {
  return pickDefined({
    status: status === 0 ? 502 : status,
    message: errorOf(body, status === 0 ? 500 : status)?.message ?? "the provider reported an error without a message",
    requestId: filledText(body?.id),
  }) as ApiError;
}

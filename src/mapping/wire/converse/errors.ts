import type { ApiError, Json } from "../../../plugin-host/contract.ts";
import { errorOf } from "../../errors-and-costs.ts";
import { filledText, isObject, numberOf, pickDefined, textOf } from "../../json.ts";

/** Bedrock's exceptions, with their statuses outside of streams. */
const STATUSES: Readonly<Record<string, number>> = {
  validationException: 400,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  modelErrorException: 424,
  modelStreamErrorException: 424,
  throttlingException: 429,
  modelNotReadyException: 429,
  serviceQuotaExceededException: 400,
  internalServerException: 500,
  serviceUnavailableException: 503,
};

const NO_MESSAGE = "the provider reported an error without a message";

/** A Bedrock error: a message, sometimes with its type. */
export function readError(status: number, body: Json): ApiError {
  const type = textOf(body?.__type)?.replace(/^.*#/, "");
  return pickDefined({
    status: status === 0 ? statusOf(type ?? "") : status,
    message: errorOf(body, status === 0 ? 500 : status)?.message ?? NO_MESSAGE,
    type,
  }) as ApiError;
}

/** The names of Bedrock's frames that are errors, in streams of every vendor's events. */
export const EXCEPTION = /Exception$|Error$/;

/** An exception instead of the next event. If the model itself failed, its own status is included. */
export function readException(name: string, data: Json): ApiError {
  const original = isObject(data) ? numberOf(data.originalStatusCode) : undefined;
  const message = filledText(data?.message) ?? filledText(data?.Message) ?? filledText(data) ?? name;
  return {
    status: original !== undefined && original >= 400 && original < 600 ? original : statusOf(name),
    message,
    type: name,
  };
}

function statusOf(name: string): number {
  const known = name.charAt(0).toLowerCase() + name.slice(1);
  return Object.hasOwn(STATUSES, known) ? STATUSES[known]! : 500;
}

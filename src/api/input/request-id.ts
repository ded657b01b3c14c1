import { GatewayError } from "../../errors.ts";
import { isUuid } from "../../runtime/uuid.ts";

/** The request ids of a body, in lower case, without duplicates, in their order. @throws GatewayError `invalid_body`. */
export function readIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id, index) => readId(id, `requestIds.${index}`)))];
}

/** The request id at `path` in a body, in lower case. @throws GatewayError `invalid_body`. */
export function readId(id: string, path: string): string {
  if (!isUuid(id)) throw new GatewayError("invalid_body", "this is not a UUID", { path });
  return id.toLowerCase();
}

/** The request id in an address, in lower case as ids are stored. @throws GatewayError `not_found` for anything else. */
export function requestIdOf(text: string): string {
  if (!isUuid(text)) throw noSuchRequest();
  return text.toLowerCase();
}

export function noSuchRequest(): GatewayError {
  return new GatewayError("not_found", "there is no request with this id");
}

import { GatewayError } from "../errors.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The request id in an address, in lower case as ids are stored. @throws GatewayError `not_found` for anything else. */
export function requestIdOf(text: string): string {
  if (!isUuid(text)) throw noSuchRequest();
  return text.toLowerCase();
}

export function noSuchRequest(): GatewayError {
  return new GatewayError("not_found", "there is no request of this id");
}

import { GatewayError } from "../errors.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The request ids of a body, in lower case, each once, in their order. @throws GatewayError `invalid_body`. */
export function readIds(ids: readonly string[], path = "requestIds"): string[] {
  const wrong = ids.findIndex((id) => !UUID.test(id));
  if (wrong !== -1) throw new GatewayError("invalid_body", "this is not a UUID", { path: `${path}.${wrong}` });
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** The request id in an address, in lower case as ids are stored. @throws GatewayError `not_found` for anything else. */
export function requestIdOf(text: string): string {
  if (!UUID.test(text)) throw noSuchRequest();
  return text.toLowerCase();
}

export function noSuchRequest(): GatewayError {
  return new GatewayError("not_found", "there is no request of this id");
}

import { storedBody } from "../../bodies/stored-parts.ts";
import { EditedPart } from "../../store/packs/repeated-part.ts";
import type { StoredPart } from "../../store/packs/request-content.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { EditedJson, editedSide } from "./edited-body.ts";
import type { PrepareDeps } from "./prepared.ts";
import { decodedSide, type OtherSide, plainSide, type Side, type SideBytes, toSide } from "./sides.ts";

/** The decoded bodies of the provider's side, if they differ from the client's. */
export type ProviderBytes = Readonly<Partial<Record<OtherSide, SideBytes | undefined>>>;
export type ProviderBodies = Readonly<Record<OtherSide, Side>>;

export async function providerBytes(exchange: Exchange, deps: PrepareDeps): Promise<ProviderBytes> {
  return {
    provider_request: await decodedSide(exchange, "provider_request", deps),
    provider_response: await decodedSide(exchange, "provider_response", deps),
  };
}

/** The bodies of the provider's side that differ from the client's, neither of them compressed. */
export function plainProviderBytes(exchange: Exchange, deps: PrepareDeps): ProviderBytes {
  return {
    provider_request: plainSide(exchange, "provider_request", deps),
    provider_response: plainSide(exchange, "provider_response", deps),
  };
}

/** @param client - the client's request, if it is already read. */
export function providerBodies(
  exchange: Exchange,
  bytes: ProviderBytes,
  deps: PrepareDeps,
  client?: Side,
): ProviderBodies {
  const { provider_request: request } = bytes;
  const edited = request && client && editedSide(exchange, request, client);
  return {
    provider_request: edited ?? toSide(exchange, "provider_request", request, deps),
    provider_response: toSide(exchange, "provider_response", bytes.provider_response, deps),
  };
}

/** These bodies as they are stored, a stream as its text. A body that the client wants omitted is not stored here either. */
export function providerParts({ begin }: Exchange, bodies: ProviderBodies): StoredPart[] {
  const { provider_request: request, provider_response: response } = bodies;
  return [
    ...(begin.omitRequest ? [] : toPart("provider_request", request)),
    ...(begin.omitResponse ? [] : toPart("provider_response", response)),
  ];
}

function toPart(part: OtherSide, { body }: Side): StoredPart[] {
  if (body === undefined) return [];
  if (!(body instanceof EditedJson)) return [storedBody(part, body)];
  const { client, given, form, mime } = body;
  return [new EditedPart({ part, form, contentType: mime || null }, { of: client, edits: given.edits })];
}

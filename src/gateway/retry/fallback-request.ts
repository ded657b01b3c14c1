import type { RequestChange } from "../../plugin-host/contract.ts";
import type { Admitted } from "../admitted.ts";
import { changeBody, codedBody, framingOf } from "../change-request.ts";
import { type Outgoing, sentInstead, toUpstream, withBody } from "../forward.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { replaceHeaders } from "../headers/headers.ts";
import type { FallbackTarget } from "./fallback-target.ts";

/** The body for a fallback; undefined if its members are to be replaced and it is not a JSON object. */
export async function fallbackBody(
  parts: GatewayParts,
  { headers }: Admitted,
  { fallback }: FallbackTarget,
  body: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (fallback.body === undefined) return body;
  return parts.content.replaceMembers(codedBody(headers, body), { set: fallback.body, removed: [] });
}

/** The parts of a fallback's request. */
interface FallbackParts {
  readonly target: FallbackTarget;
  /** The result of `fallbackBody`. */
  readonly body: Uint8Array;
  /** The body as the client sent it. */
  readonly clientBody: Uint8Array;
  /** Plugins' changes. */
  readonly change: RequestChange | undefined;
}

/**
 * The client's request as a fallback gets it. Credentials go only to the target that the client meant them for.
 *
 * @throws GatewayError `plugin_failed` if plugins change members of a body that is not a JSON object.
 */
export async function fallbackRequest(
  parts: GatewayParts,
  admitted: Admitted,
  { target: { fallback, route, path }, body, clientBody, change = {} }: FallbackParts,
): Promise<Outgoing> {
  const sent = change.body === undefined ? body : await changeBody(parts, admitted.headers, body, change.body);
  const base = toUpstream(parts, { ...admitted, route });
  const foreign = route.target.origin !== admitted.route.target.origin;
  const headers = foreign ? parts.headers.withoutCredentials(base.headers, admitted.route.provider) : base.headers;
  const framing = sent === clientBody ? {} : framingOf(admitted.headers, sent);
  const set = { ...fallback.headers, ...change.headers, ...framing };
  const request = withBody({ ...base, path, headers: replaceHeaders(headers, set) }, sent);
  const isAsSent = admitted.client === undefined && Object.keys(set).length === 0;
  const instead = isAsSent ? undefined : sentInstead(parts, route, request, sent === clientBody ? undefined : sent);
  return { request, instead };
}

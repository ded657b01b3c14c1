import { GatewayError } from "../../errors.ts";
import { maskPath } from "../../masking/mask.ts";
import type { RequestChange } from "../../plugin/contract.ts";
import type { Admitted } from "../admit.ts";
import { changeBody, codedBody, framingOf } from "../change-request.ts";
import { type Outgoing, sentInstead, toUpstream, withBody } from "../forward.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { replaceHeaders } from "../headers/headers.ts";
import { maskOf } from "../headers/secrets.ts";
import { checkPath, findRoute, isOrigin, type Route } from "../target.ts";
import type { Fallback, RetryPlan } from "./plan.ts";

/** A fallback that can be called. */
export interface FallbackTarget {
  readonly fallback: Fallback;
  readonly route: Route;
  readonly path: string;
}

/** Headers that frame the message or say where it goes: the gateway's own business. */
const NOT_SETTABLE =
  /^(?:host|content-length|transfer-encoding|connection|te|upgrade|keep-alive|proxy-.*|gateway-.*)$/i;

/**
 * Where the fallbacks of a plan lead.
 *
 * @throws GatewayError `invalid_header`, `invalid_target`, `invalid_path`, `target_forbidden` for one that never could be called.
 */
export function findFallbacks(parts: GatewayParts, plan: RetryPlan, first: Route, url: string): FallbackTarget[] {
  return plan.fallbacks.map((fallback) => {
    const asked = { targetUrl: fallback.target, targetProvider: undefined };
    if (!isOrigin(fallback.target))
      throw new GatewayError(
        "invalid_target",
        "Gateway-Fallbacks takes targets that are origins such as https://api.example.com",
      );
    const route = findRoute(asked, undefined, "", parts.providers());
    const refused = parts.guard.refuseHost(route.target.host, route.target.upstream.port);
    if (refused !== undefined) throw new GatewayError("target_forbidden", refused);
    const path = fallback.path ?? url;
    checkPath(path);
    const foreign = route.target.origin !== first.target.origin;
    if (foreign && fallback.path === undefined && maskPath(url, maskOf(first.provider).query) !== url)
      throw invalid("needs a path: the request's own holds a credential of another target");
    for (const [name, value] of Object.entries(fallback.headers ?? {})) {
      if (NOT_SETTABLE.test(name)) throw invalid(`cannot set the header ${name}`);
      if (value !== null && /[^\t\x20-\x7e\x80-\uffff]/.test(value)) throw invalid(`has a bad value for ${name}`);
    }
    return { fallback, route, path };
  });
}

function invalid(what: string): GatewayError {
  return new GatewayError("invalid_header", `Gateway-Fallbacks ${what}`);
}

/** The body as a fallback gets it; undefined where its members are to be replaced and it is no JSON object. */
export async function fallbackBody(
  parts: GatewayParts,
  { headers }: Admitted,
  { fallback }: FallbackTarget,
  body: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (fallback.body === undefined) return body;
  return parts.content.replaceMembers(codedBody(headers, body), { set: fallback.body, removed: [] });
}

/** What goes to a fallback. */
interface FallbackParts {
  readonly target: FallbackTarget;
  /** What `fallbackBody` gave. */
  readonly body: Uint8Array;
  /** The body as the client sent it. */
  readonly clientBody: Uint8Array;
  /** What plugins change of it. */
  readonly change: RequestChange | undefined;
}

/**
 * The client's request as a fallback gets it. Credentials go to the target that the client meant them for and to no
 * other.
 *
 * @throws GatewayError `plugin_failed` where plugins change members of a body that is no JSON object.
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

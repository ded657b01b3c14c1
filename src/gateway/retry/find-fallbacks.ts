import { GatewayError } from "../../errors.ts";
import { maskPath } from "../../masking/mask.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { maskOf } from "../headers/secrets.ts";
import { checkPath, findRoute, isOrigin, type Route } from "../target.ts";
import type { FallbackTarget } from "./fallback-target.ts";
import type { RetryPlan } from "./plan.ts";

/** Headers that frame the message or say where it goes; only the gateway sets them. */
const NOT_SETTABLE =
  /^(?:host|content-length|transfer-encoding|connection|te|upgrade|keep-alive|proxy-.*|gateway-.*)$/i;

/**
 * Resolves the targets of a plan's fallbacks.
 *
 * @throws GatewayError `invalid_header`, `invalid_target`, `invalid_path`, `target_forbidden` for one that can never be
 * called.
 */
export function findFallbacks(parts: GatewayParts, plan: RetryPlan, first: Route, url: string): FallbackTarget[] {
  return plan.fallbacks.map((fallback) => {
    const wanted = { targetUrl: fallback.target, targetProvider: undefined };
    if (!isOrigin(fallback.target))
      throw new GatewayError(
        "invalid_target",
        "Gateway-Fallbacks takes targets that are origins such as https://api.example.com",
      );
    const route = findRoute(wanted, undefined, "", parts.providers());
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

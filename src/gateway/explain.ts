import { GatewayError } from "../errors.ts";
import { KEY_PREFIX } from "../keys.ts";
import { nearestName } from "../nearest.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import type { RequestHeaders } from "./headers/headers.ts";
import { KNOWN_SETTINGS, NAMED_SETTINGS } from "./headers/known-settings.ts";
import { labelOf } from "./target.ts";

/** Headers where SDKs put a key; the gateway's own key is not read from these. */
const KEY_HEADERS: ReadonlySet<string> = new Set(["authorization", "x-api-key", "api-key", "x-goog-api-key"]);

type Known = Pick<GatewayParts, "keys" | "providers" | "domain">;

/**
 * Returns the error, or one that names the likely mistake: a request without a key or a target often has one under another
 * name. Looks at names only, and is called only for refused requests.
 */
export function explain(error: unknown, headers: RequestHeaders, known: Known): unknown {
  if (!(error instanceof GatewayError)) return error;
  if (error.code === "missing_gateway_auth") {
    const why = misspelt(headers, ["auth"]) ?? keyElsewhere(headers, known);
    return why === undefined ? error : new GatewayError(error.code, why);
  }
  if (error.code === "missing_target") {
    const why =
      misspelt(headers, ["target-url", "target-provider"]) ??
      providerAlone(headers, known) ??
      unknownLabel(headers, known);
    return why === undefined ? error : new GatewayError(error.code, why);
  }
  return error;
}

/** A nonexistent `Gateway-*` header whose spelling is closest to one of `wanted`. */
function misspelt({ gateway }: RequestHeaders, wanted: readonly string[]): string | undefined {
  for (const { name, setting } of gateway) {
    if (Object.hasOwn(KNOWN_SETTINGS, setting) || NAMED_SETTINGS.some((prefix) => setting.startsWith(prefix))) continue;
    const meant = nearestName(setting, Object.keys(KNOWN_SETTINGS));
    if (meant !== undefined && wanted.includes(meant))
      return `unknown header ${name}; did you mean ${KNOWN_SETTINGS[meant]}?`;
  }
  return undefined;
}

function keyElsewhere({ raw }: RequestHeaders, { keys }: Known): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    if (!KEY_HEADERS.has(raw[at]!.toLowerCase())) continue;
    const key = raw[at + 1]!.trim().replace(/^bearer[ \t]+/i, "");
    if (!keys.has(key)) {
      if (!key.startsWith(KEY_PREFIX)) continue;
      return `the Weir key in ${raw[at]} is no service key of this gateway; create one with: weir keys create`;
    }
    return `your Weir key came as ${raw[at]}; send it as Gateway-Auth: Bearer <service key>, and the provider's own key as ${raw[at]}`;
  }
  return undefined;
}

/** The request names a provider, which says how to read it, and no target. */
function providerAlone({ gateway }: RequestHeaders, { providers }: Known): string | undefined {
  const named = gateway.find(({ setting }) => setting === "target-provider")?.value;
  const target = named === undefined ? undefined : providers().providerByName(named)?.target;
  if (target === undefined) return undefined;
  return `Gateway-Target-Provider sets no target; send Gateway-Target-Url: ${target}`;
}

/** The request used a subdomain of the gateway's domain that belongs to no provider. */
function unknownLabel({ hosts }: RequestHeaders, { domain, providers }: Known): string | undefined {
  const label = labelOf(hosts[0], domain);
  if (label === undefined) return undefined;
  const index = providers();
  const known = index.providerByLabel(label);
  if (known !== undefined) return `${known.name} has no fixed address; send Gateway-Target-Url`;
  const meant = nearestName(label, index.labels());
  const hint = meant === undefined ? "" : `; did you mean ${meant}.${domain}?`;
  return `no provider has the address ${label}.${domain}${hint || "; send Gateway-Target-Url, or use a provider's own address"}`;
}

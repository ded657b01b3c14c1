import type { ClientRequest } from "../../admitted.ts";
import type { GatewayParts } from "../../gateway-parts.ts";
import type { GatewayHeader } from "../../headers/gateway-header.ts";
import { firstValue, type RequestHeaders } from "../../headers/headers.ts";
import { labelOf } from "../../target.ts";
import type { UnifiedArrival } from "./unified-admission.ts";

/** First labels of the unified address below the gateway's domain. No provider may have them. */
const LABELS = ["ai", "ai-gateway"];

/**
 * Whether a request belongs to the unified address: by its port, by its `Host`, or because it arrives at the generic address
 * with only a service key where SDKs put their keys. The last check costs a pass-through request nothing: that one has
 * `Gateway-Auth` and a target.
 *
 * @returns undefined for pass-through.
 */
export function asUnified(
  parts: GatewayParts,
  request: ClientRequest,
  headers: RequestHeaders,
): UnifiedArrival | undefined {
  const { url } = request.incoming;
  if (request.unified === true || isUnifiedHost(headers.hosts[0], parts.domain))
    return { sdkKey: sdkKey(headers, url) };
  if (headers.auth.length > 0 || headers.settings.once(nameTarget)) return undefined;
  if (isDedicated(headers.hosts[0], parts)) return undefined;
  const key = sdkKey(headers, url);
  return key !== undefined && parts.keys.has(key) ? { sdkKey: key } : undefined;
}

function nameTarget(lines: readonly GatewayHeader[]): boolean {
  return lines.some(({ setting }) => setting === "target-url");
}

export function isUnifiedHost(host: string | undefined, domain: string): boolean {
  const label = labelOf(host, domain);
  return label !== undefined && LABELS.includes(label);
}

function isDedicated(host: string | undefined, { domain, providers }: GatewayParts): boolean {
  const label = labelOf(host, domain);
  return label !== undefined && providers().providerByLabel(label) !== undefined;
}

/** Places where SDKs put their key, in order of precedence. */
const PLACES: readonly ((headers: RequestHeaders, url: string) => string | undefined)[] = [
  (headers) => /^bearer[ \t]+(\S+)$/i.exec(firstValue(headers, "authorization")?.trim() ?? "")?.[1],
  (headers) => firstValue(headers, "x-api-key")?.trim() || undefined,
  (headers) => firstValue(headers, "x-goog-api-key")?.trim() || undefined,
  (_headers, url) => queryKey(url) || undefined,
];

/** The first key in the places where SDKs put theirs. */
function sdkKey(headers: RequestHeaders, url: string): string | undefined {
  for (const place of PLACES) {
    const key = place(headers, url);
    if (key !== undefined) return key;
  }
  return undefined;
}

function queryKey(url: string): string | undefined {
  const query = url.indexOf("?");
  return query < 0 ? undefined : (new URLSearchParams(url.slice(query + 1)).get("key") ?? undefined);
}

/** The query of a request without the key in it, with its `?`; empty if nothing is left. */
export function queryWithoutKey(url: string): string {
  const query = url.indexOf("?");
  if (query < 0) return "";
  const kept = url
    .slice(query + 1)
    .split("&")
    .filter((part) => part !== "" && !new URLSearchParams(part).has("key"));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

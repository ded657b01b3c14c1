import { shellWord } from "../requests/commands.ts";
import type { HeadersView, RequestRecord } from "./record.ts";

/** Headers that a new request gets by itself. */
const OWN =
  /^(?:host|content-length|connection|transfer-encoding|accept-encoding|user-agent|accept|gateway-request-id)$/i;
/** What the gateway puts in place of a credential. */
const MASKED = "***";
const KEY = "$PROVIDER_API_KEY";

/** Sends the same request again, through the gateway. Keys come from the environment: none was recorded. */
export function replayText(record: RequestRecord, headers: HeadersView | undefined, gatewayUrl: string): string {
  const target = targetOrigin(record.target_url);
  const sent = (headers?.request ?? []).filter(
    ([name, value]) => !OWN.test(name) && !/^gateway-/i.test(name) && !/[\r\n]/.test(value),
  );
  const kept = sent.filter(([, value]) => !value.includes(MASKED));
  const hasType = kept.some(([name]) => name.toLowerCase() === "content-type");
  const body = bodyText(record.request_body);
  const parts = [
    `curl ${shellWord(gatewayUrl + (record.request_path ?? "/"))}`,
    ...(record.request_method === "POST" && body !== undefined ? [] : [`-X ${shellWord(record.request_method)}`]),
    '-H "Gateway-Auth: Bearer $WEIR_KEY"',
    ...(target === undefined ? [] : [header("Gateway-Target-Url", target)]),
    ...ownHeaders(record).map(([name, value]) => header(name, value)),
    ...sent.filter(([, value]) => value.includes(MASKED)).map(([name]) => keyHeader(name)),
    ...(body !== undefined && !hasType ? [header("Content-Type", "application/json")] : []),
    ...kept.map(([name, value]) => header(name, value)),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

const header = (name: string, value: string) => `-H ${shellWord(`${name}: ${value}`)}`;

/** Where a key was sent, one belongs again. */
function keyHeader(name: string): string {
  const value = name.toLowerCase() === "authorization" ? `Bearer ${KEY}` : KEY;
  return `-H "${name}: ${value}"`;
}

/** What the client told the gateway about the request, and the record still says. */
function ownHeaders(record: RequestRecord): (readonly [string, string])[] {
  const { provider, request_user_id: user, session_id: session, properties } = record;
  return [
    ...(provider === "CUSTOM" ? [] : [["Gateway-Target-Provider", provider] as const]),
    ...(user === null ? [] : [["Gateway-User-Id", user] as const]),
    ...(session === null ? [] : [["Gateway-Session-Id", session] as const]),
    ...Object.entries(properties)
      .filter(([name]) => /^[\w.~+-]+$/.test(name))
      .map(([name, value]) => [`Gateway-Property-${name}`, value] as const),
  ].filter(([, value]) => !/[\r\n]/.test(value));
}

function targetOrigin(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}

function bodyText(body: unknown): string | undefined {
  if (body === null || body === undefined) return undefined;
  return typeof body === "string" ? body : JSON.stringify(body);
}

import { shellWord } from "../requests/commands.ts";
import type { HeadersView, RequestRecord } from "./record.ts";

/** Headers that a new request gets by itself. */
const OWN =
  /^(?:host|content-length|connection|transfer-encoding|accept-encoding|user-agent|accept|gateway-request-id)$/i;
/** By the provider: where its key goes. Others take a bearer. */
const KEY_HEADERS: Readonly<Record<string, string>> = {
  ANTHROPIC: "x-api-key: $PROVIDER_API_KEY",
  AZURE: "api-key: $PROVIDER_API_KEY",
  GOOGLE: "x-goog-api-key: $PROVIDER_API_KEY",
};

/** Sends the same request again, through the gateway. Keys come from the environment: none was recorded. */
export function replayText(record: RequestRecord, headers: HeadersView | undefined, gatewayUrl: string): string {
  const target = targetOrigin(record.target_url);
  const path = record.request_path ?? "/";
  const kept = (headers?.request ?? []).filter(
    ([name, value]) => !OWN.test(name) && !/^gateway-(?:auth|target-url)$/i.test(name) && !/[\r\n]/.test(value),
  );
  const hasType = kept.some(([name]) => name.toLowerCase() === "content-type");
  const body = bodyText(record.request_body);
  const parts = [
    `curl ${shellWord(gatewayUrl + path)}`,
    ...(record.request_method === "POST" ? [] : [`-X ${shellWord(record.request_method)}`]),
    '-H "Gateway-Auth: Bearer $WEIR_KEY"',
    ...(target === undefined ? [] : [`-H ${shellWord(`Gateway-Target-Url: ${target}`)}`]),
    `-H "${KEY_HEADERS[record.provider] ?? "Authorization: Bearer $PROVIDER_API_KEY"}"`,
    ...(body !== undefined && !hasType ? ['-H "Content-Type: application/json"'] : []),
    ...kept.map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

function targetOrigin(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}

function bodyText(body: unknown): string | undefined {
  if (body === null || body === undefined) return undefined;
  return typeof body === "string" ? body : JSON.stringify(body);
}

import { shellWord } from "../../parts/shell-word.ts";
import type { HeadersView, RequestRecord } from "./record.ts";

/** Headers that a new request sets by itself, and the body's coding, which is removed before recording. */
const OWN =
  /^(?:host|content-length|content-encoding|connection|expect|transfer-encoding|accept-encoding|user-agent|accept|gateway-request-id)$/i;
/** The gateway's replacement for a credential; `withKey` also matches it. */
const MASKED = "***";
const KEY = "$PROVIDER_API_KEY";

/** A longer body would not fit into one argument: Linux allows 128 kB. */
const INLINE_BYTES_MAX = 100_000;

/** A body as a command sends it: as an argument, or from a file. */
export type SentBody = { readonly text: string } | { readonly file: string };

/** The original bytes: if they are too long for an argument, or not text, they are read from a file. */
export function sentBody(id: string, bytes: Uint8Array): SentBody {
  const file = { file: `${id}-request` };
  if (bytes.byteLength > INLINE_BYTES_MAX || bytes.includes(0)) return file;
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return file;
  }
}

/** A command that sends the same request again, through the gateway. Keys come from the environment, because none was recorded. */
export function replayText(
  record: RequestRecord,
  { headers, body }: { readonly headers: HeadersView | undefined; readonly body: SentBody | undefined },
  gatewayUrl: string,
): string {
  const target = targetOrigin(record.target_url);
  const sent = (headers?.request ?? []).filter(
    ([name, value]) => !OWN.test(name) && !/^gateway-/i.test(name) && !/[\r\n]/.test(value),
  );
  const kept = sent.filter(([, value]) => !value.includes(MASKED));
  const hasType = kept.some(([name]) => name.toLowerCase() === "content-type");
  const path = record.request_path ?? "/";
  const parts = [
    // Without this option, curl treats brackets in an address as patterns.
    `curl ${/[[\]{}]/.test(path) ? "--globoff " : ""}${withKey(gatewayUrl + path)}`,
    ...methodOf(record, body),
    '-H "Gateway-Auth: Bearer $WEIR_API_KEY"',
    ...(target === undefined ? [] : [header("Gateway-Target-Url", target)]),
    ...ownHeaders(record).map(([name, value]) => header(name, value)),
    ...sent.filter(([, value]) => value.includes(MASKED)).map(([name]) => keyHeader(name)),
    ...(body !== undefined && !hasType ? [header("Content-Type", "application/json")] : []),
    ...kept.map(([name, value]) => header(name, value)),
    ...(body === undefined
      ? []
      : ["text" in body ? `--data-raw ${shellWord(body.text)}` : `--data-binary ${shellWord(`@${body.file}`)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** A body implies POST. With HEAD, curl would wait for a body that never comes. */
function methodOf({ request_method: method }: RequestRecord, body: SentBody | undefined): string[] {
  if (method === "POST" && body !== undefined) return [];
  return [method === "HEAD" ? "--head" : `-X ${shellWord(method)}`];
}

/** curl sends a header without a value if it ends in a semicolon; with a colon it would remove the header. */
const header = (name: string, value: string) => `-H ${shellWord(value === "" ? `${name};` : `${name}: ${value}`)}`;

/** A placeholder for a key that was sent. */
function keyHeader(name: string): string {
  const before = name.toLowerCase() === "authorization" ? `${name}: Bearer ` : `${name}: `;
  // Double quotes would evaluate a name with backticks.
  return /^[\w-]+$/.test(name) ? `-H "${before}${KEY}"` : `-H ${shellWord(before)}"${KEY}"`;
}

/** An address as one word, with the provider's key in place of each masked key in its query. */
function withKey(address: string): string {
  const parts = address.split(/(?<==)\*{3}(?=[&;#]|$)/);
  return parts.map((part) => (part === "" ? "" : shellWord(part))).join(`"${KEY}"`);
}

/** The gateway's headers of the client, as far as the record still has their values. */
function ownHeaders(record: RequestRecord): (readonly [string, string])[] {
  const { provider, properties } = record;
  const named: readonly (readonly [string, string | null])[] = [
    ["Gateway-Target-Provider", provider === "CUSTOM" ? null : provider],
    ["Gateway-User-Id", record.request_user_id],
    ["Gateway-Session-Id", record.session_id],
    ["Gateway-Session-Name", record.session_name],
    ["Gateway-Session-Path", record.session_path],
  ];
  return [
    ...named.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    ...Object.entries(properties)
      .filter(([name]) => /^[\w.~+-]+$/.test(name))
      .map(([name, value]) => [`Gateway-Property-${name}`, value] as const),
  ].filter(([, value]) => !/[\r\n]/.test(value));
}

function targetOrigin(url: string | null): string | undefined {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined;
}

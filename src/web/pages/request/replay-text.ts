import { shellWord } from "../../parts/shell-word.ts";
import type { HeadersView, RequestRecord } from "./record.ts";

/** Headers that a new request gets by itself, and the coding of a body, which is recorded without it. */
const OWN =
  /^(?:host|content-length|content-encoding|connection|expect|transfer-encoding|accept-encoding|user-agent|accept|gateway-request-id)$/i;
/** What the gateway puts in place of a credential, as `withKey` reads it too. */
const MASKED = "***";
const KEY = "$PROVIDER_API_KEY";

/** A longer body would not fit into one word of a command: Linux takes 128 kB. */
const INLINE_BYTES_MAX = 100_000;

/** A body as a command sends it: as one of its words, or from a file. */
export type SentBody = { readonly text: string } | { readonly file: string };

/** The very bytes: what is too long for a word, or no text, is read from a file. */
export function sentBody(id: string, bytes: Uint8Array): SentBody {
  const file = { file: `${id}-request` };
  if (bytes.byteLength > INLINE_BYTES_MAX || bytes.includes(0)) return file;
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return file;
  }
}

/** Sends the same request again, through the gateway. Keys come from the environment: none was recorded. */
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
    // Without the switch brackets in an address mean several addresses.
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

/** What a body sends by itself is not said again; waiting for the body of a response to HEAD would not end. */
function methodOf({ request_method: method }: RequestRecord, body: SentBody | undefined): string[] {
  if (method === "POST" && body !== undefined) return [];
  return [method === "HEAD" ? "--head" : `-X ${shellWord(method)}`];
}

/** A header without a value ends in a semicolon: with a colon it would be one to leave out. */
const header = (name: string, value: string) => `-H ${shellWord(value === "" ? `${name};` : `${name}: ${value}`)}`;

/** Where a key was sent, one belongs again. */
function keyHeader(name: string): string {
  const before = name.toLowerCase() === "authorization" ? `${name}: Bearer ` : `${name}: `;
  // Between double quotes a name could run: a header's may hold backticks.
  return /^[\w-]+$/.test(name) ? `-H "${before}${KEY}"` : `-H ${shellWord(before)}"${KEY}"`;
}

/** An address as one word, with the provider's key in place of each that was masked in its query. */
function withKey(address: string): string {
  const parts = address.split(/(?<==)\*{3}(?=[&;#]|$)/);
  return parts.map((part) => (part === "" ? "" : shellWord(part))).join(`"${KEY}"`);
}

/** What the client told the gateway about the request, and the record still says. */
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

import { MASKED, maskText } from "../../masking/mask.ts";
import { isSecretName } from "../../masking/names.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { learn } from "../../runtime/http/header-fields.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import { type HeaderName, headerName, PROTOCOLS, SECRET } from "./header-names.ts";

/** Names that one provider masks in addition to the usual ones, as sets in lower case. */
interface ProviderMask {
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
}

const NOTHING: ProviderMask = { headers: new Set(), query: new Set() };
const masks = new WeakMap<ProviderPlugin, ProviderMask>();

export function maskOf(provider: ProviderPlugin | undefined): ProviderMask {
  if (provider?.mask === undefined) return NOTHING;
  let mask = masks.get(provider);
  if (mask === undefined) {
    const lower = (names: readonly string[] = []) => new Set(names.map((name) => name.toLowerCase()));
    mask = { headers: lower(provider.mask.headers), query: lower(provider.mask.query) };
    masks.set(provider, mask);
  }
  return mask;
}

const jointMasks = new WeakMap<readonly ProviderPlugin[], ProviderMask>();

/** What any of these providers masks: for a request whose provider is not known. */
export function maskOfAll(providers: readonly ProviderPlugin[]): ProviderMask {
  let joint = jointMasks.get(providers);
  if (joint === undefined) {
    const all = providers.map(maskOf);
    const joined = (part: keyof ProviderMask) => new Set(all.flatMap((mask) => [...mask[part]]));
    joint = { headers: joined("headers"), query: joined("query") };
    jointMasks.set(providers, joint);
  }
  return joint;
}

/**
 * WebSocket clients in browsers send keys as subprotocols, such as `openai-insecure-api-key.sk-…`, or after one that names
 * them: `bearer, …`.
 */
export function maskProtocols(value: string): string {
  let isNamed = false;
  return value
    .split(",")
    .map((item) => {
      const wasNamed = isNamed;
      isNamed = isSecretName(item.trim());
      if (wasNamed) return ` ${MASKED}`;
      const dot = item.indexOf(".");
      if (dot > 0 && isSecretName(item.slice(0, dot))) return `${item.slice(0, dot + 1)}${MASKED}`;
      const isKey = item.trim().length > 40 || /^\s*(?:sk|pk|ek|key|ey)[-_A-Z]/.test(item) || isSecretName(item);
      return isKey ? ` ${MASKED}` : maskText(item);
    })
    .join(",");
}

/** A provider's response headers as they may be recorded. @param provider - names that its plugin masks, in lower case. */
export function maskResponseHeaders(headers: RawHeaders, provider: ReadonlySet<string>): RawHeaders {
  let masked: string[] | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    const value = headers[at + 1]!;
    const shown = shownValue(name, value, provider);
    if (shown === value) continue;
    masked ??= [...headers];
    masked[at + 1] = shown;
  }
  return masked ?? headers;
}

/** A header's value as it may be recorded. @param provider - names that its plugin masks, in lower case. */
export function shownValue(raw: string, value: string, provider: ReadonlySet<string>): string {
  const name = headerName(raw);
  const isSecret = (name.bits & SECRET) !== 0 || (provider.size > 0 && provider.has(name.lower));
  if (isSecret) return MASKED;
  return (name.bits & PROTOCOLS) !== 0 ? maskProtocols(value) : maskValue(name, value);
}

/** A value without the credentials in it. @param name - not secret itself. */
export function maskValue(name: HeaderName, value: string): string {
  if (value === name.remembered) return value;
  const masked = maskText(value);
  if (name.repeats && masked === value) learn(name, value);
  return masked;
}

import { originOf, withoutDots } from "../egress/origin.ts";
import { GatewayError } from "../errors.ts";
import { maskPath } from "../masking/mask.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import { PROVIDER_UNKNOWN } from "../record/provider.ts";
import { learn, type Remembering } from "../runtime/http/header-fields.ts";
import type { UpstreamOrigin } from "../runtime/http/upstream.ts";
import { copyOf } from "../runtime/text-copy.ts";
import type { Settings } from "./headers/settings.ts";

/** The provider lookups of the gateway; `plugin-host/providers/registry.ts` implements them. */
export interface ProviderIndex {
  readonly providers: readonly ProviderPlugin[];
  providerByName(name: string): ProviderPlugin | undefined;
  /** @param host - lower case, without port. */
  providerByHost(host: string): ProviderPlugin | undefined;
  /** @param label - first label of a gateway address, lower case. */
  providerByLabel(label: string): ProviderPlugin | undefined;
  /** The labels of all providers. */
  labels(): Iterable<string>;
}

/** Where a request goes. */
interface Target {
  /** As recorded, such as `https://api.example.com`. */
  readonly origin: string;
  /** Value of the `Host` header. */
  readonly authority: string;
  /** Host name or address in lower case, without brackets, port and the trailing dot of a rooted name. */
  readonly host: string;
  readonly upstream: UpstreamOrigin;
}

export interface Route {
  readonly target: Target;
  readonly provider: ProviderPlugin | undefined;
  /** Upper case; "" while a unified request has no target yet. */
  readonly providerName: string;
  /** The provider that owns the target's host, regardless of the client's headers; undefined if unclaimed. */
  readonly owner: string | undefined;
}

const ORIGIN = /^https?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?\/?$/i;
/** No name before or between dots is empty; dots at the end are those of a rooted name. */
const NAMED_HOST = /^[^.]+(?:\.[^.]+)*\.*$/;
const TARGETS_MAX = 1_000;
/** Longer texts are read each time: no host name has so many characters, and made-up ones must not fill the memory. */
const KNOWN_LENGTH_MAX = 300;
const targets = new Map<string, Target>();

export const isOrigin = (text: string): boolean => urlOf(text) !== undefined;

function urlOf(text: string): URL | undefined {
  const url = ORIGIN.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.port === "0" || !NAMED_HOST.test(url.hostname) ? undefined : url;
}

/** @throws GatewayError `invalid_target` if `text` is not an origin. Usually the same object for the same text. */
export function parseTarget(text: string): Target {
  const known = targets.get(text);
  if (known !== undefined) return known;
  const url = urlOf(text);
  if (url === undefined) throw new GatewayError("invalid_target");
  const upstream = originOf(url);
  // A rooted name with a trailing dot means the same host, so denials and counts apply to it.
  const target: Target = { origin: url.origin, authority: url.host, host: withoutDots(upstream.host), upstream };
  if (targets.size >= TARGETS_MAX) targets.clear();
  if (text.length <= KNOWN_LENGTH_MAX) targets.set(copyOf(text), target);
  return target;
}

/**
 * Finds a request's target and provider.
 *
 * @param hostHeader - value of `Host`; below `domain` its first label names a provider.
 * @throws GatewayError `missing_target`, `invalid_target`.
 */
export function findRoute(
  settings: Pick<Settings, "targetUrl" | "targetProvider">,
  hostHeader: string | undefined,
  domain: string,
  providers: ProviderIndex,
): Route {
  const named = settings.targetProvider;
  const namedProvider = named === undefined ? undefined : providers.providerByName(named);
  const dedicated = dedicatedProvider(hostHeader, domain, providers);

  if (settings.targetUrl === undefined) {
    if (dedicated?.target === undefined) throw new GatewayError("missing_target");
    const provider = named === undefined ? dedicated : namedProvider;
    const target = parseTarget(dedicated.target);
    return { target, provider, providerName: nameOf(provider, named), owner: dedicated.name };
  }
  const target = parseTarget(settings.targetUrl);
  const implied = providers.providerByHost(target.host);
  const provider = named === undefined ? implied : namedProvider;
  const owner = implied?.name;
  if (dedicated === undefined) return { target, provider, providerName: nameOf(provider, named), owner };

  const own = dedicated.target !== undefined && parseTarget(dedicated.target).origin === target.origin;
  if (!own && provider?.name !== dedicated.name)
    throw new GatewayError(
      "invalid_target",
      `this address is ${dedicated.name}'s own, and the target is another provider's`,
    );
  const chosen = named === undefined ? dedicated : provider;
  return {
    target,
    provider: chosen,
    providerName: nameOf(chosen, named),
    owner: own ? dedicated.name : owner,
  };
}

function nameOf(provider: ProviderPlugin | undefined, named: string | undefined): string {
  return provider?.name ?? named?.trim().toUpperCase() ?? PROVIDER_UNKNOWN;
}

function dedicatedProvider(
  hostHeader: string | undefined,
  domain: string,
  providers: ProviderIndex,
): ProviderPlugin | undefined {
  const label = labelOf(hostHeader, domain);
  return label === undefined ? undefined : providers.providerByLabel(label);
}

/** Labels by domain and `Host`, cached because a client sends the same one with each request. */
const labels = new Map<string, Map<string, string | undefined>>();
const HOSTS_MAX = 1_000;

/** The label before the gateway's domain in a `Host` header, lower case; undefined at its generic address. */
export function labelOf(hostHeader: string | undefined, domain: string): string | undefined {
  if (hostHeader === undefined || domain === "") return undefined;
  let known = labels.get(domain);
  if (known === undefined || known.size >= HOSTS_MAX) {
    known = new Map();
    labels.set(domain, known);
  }
  if (known.has(hostHeader)) return known.get(hostHeader);
  const host = copyOf(hostHeader);
  const label = readLabel(host, domain);
  if (host.length <= KNOWN_LENGTH_MAX) known.set(host, label);
  return label;
}

function readLabel(hostHeader: string, domain: string): string | undefined {
  const host = hostHeader.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
  const suffix = `.${domain.toLowerCase()}`;
  return host.endsWith(suffix) ? host.slice(0, -suffix.length) : undefined;
}

/**
 * The path that most requests have. It passed `checkPath` and holds no credential, whatever a provider masks, so it is neither
 * checked nor masked again.
 */
const usual: Remembering = { remembered: undefined, differing: 0 };
/** No query, no `name=value` and no escape. */
const PLAIN_PATH = /^[\w/.:-]+$/;
/** `#` begins a fragment, which no request has: the next server would cut the path there, or not. */
const NO_URI_BYTE = /[^\x21\x22\x24-\x7e]/;

/** @throws GatewayError `invalid_path` if a path holds spaces, control bytes or others not allowed in a URI. */
export function checkBytes(path: string): void {
  if (path === usual.remembered) return;
  if (NO_URI_BYTE.test(path)) throw new GatewayError("invalid_path");
}

/**
 * A path for the record: credentials are masked, and invalid bytes of a refused path are percent-encoded.
 *
 * @param path - as Latin-1.
 * @param names - additional secret parameters, in lower case.
 */
export function recordedPath(path: string, names: ReadonlySet<string>): string {
  return path === usual.remembered ? path : escapeBytes(maskPath(path, names));
}

function escapeBytes(path: string): string {
  if (!NO_URI_BYTE.test(path)) return path;
  return path.replace(
    new RegExp(NO_URI_BYTE, "g"),
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}

const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/**
 * A path is passed on unchanged or refused: one that would need escaping or resolving is refused.
 *
 * @throws GatewayError `invalid_path`.
 */
export function checkPath(path: string): void {
  if (path === usual.remembered) return;
  const query = path.indexOf("?");
  const segments = query < 0 ? path : path.slice(0, query);
  if (!path.startsWith("/") || NO_URI_BYTE.test(path) || DOT_SEGMENT.test(segments))
    throw new GatewayError("invalid_path");
  if (PLAIN_PATH.test(path) && maskPath(path) === path) learn(usual, path);
}

import { GatewayError } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import { findRoute } from "./find-route.ts";
import type { Scope } from "./scope.ts";

/** Names that "did you mean" lists. */
const NEAREST_MAX = 3;
/** Providers that an error lists. */
const OWNERS_MAX = 5;

/** Why the candidates of a name were dropped. */
interface Dropped {
  /** Providers without a usable credential, in the order in which they were found. */
  readonly unpaid: ReadonlySet<ProviderPlugin>;
  /** A model that the service key may not use. */
  readonly forbidden: string | undefined;
}

/** The error for a name without targets. */
export function unresolved(name: string, scope: Scope, { unpaid: all, forbidden }: Dropped): GatewayError {
  const [unpaid, ...others] = all;
  if (unpaid !== undefined)
    return name.includes("/") || others.length === 0 ? notPaid(unpaid, name, scope) : noneOfMany(all, name, scope);
  if (forbidden !== undefined)
    return new GatewayError(
      "model_forbidden",
      `this service key may not use "${shownName(name)}"; its models are ${scope.allowed.join(", ")}`,
    );
  const route = findRoute(scope.routes, name);
  if (route !== undefined)
    return new GatewayError(
      "model_not_found",
      `the route "${shownName(route.name)}" leads to no known model: ${shownName(route.targets.map(({ model }) => model).join(", "))}`,
    );
  const near = nearest(name, scope).map((each) => `"${each}"`);
  const hint = near.length === 0 ? "; write provider/model, or a route's name" : `; did you mean ${near.join(" or ")}?`;
  return new GatewayError("model_not_found", `no model or route is called "${shownName(name)}"${hint}`);
}

/** A bare name may belong to many providers: the first in the alphabet need not be the one that the client means. */
function noneOfMany(unpaid: ReadonlySet<ProviderPlugin>, name: string, scope: Scope): GatewayError {
  const labels = [...unpaid].map((each) => each.name.toLowerCase());
  const left = labels.length - OWNERS_MAX;
  const listed = labels.slice(0, OWNERS_MAX).join(", ") + (left > 0 ? ` and ${left} more` : "");
  const { cure } = missing("PROVIDER", scope);
  const usable = scope.someCredentials ? " that this service key may use" : "";
  return new GatewayError(
    "no_credential",
    `no provider of "${shownName(name)}" has a credential${usable}: ${listed}; ${cure}, or send Gateway-Provider-Key with provider/model`,
  );
}

function notPaid({ name }: ProviderPlugin, model: string, scope: Scope): GatewayError {
  const { none, cure } = missing(name.toLowerCase(), scope);
  return new GatewayError(
    "no_credential",
    `${none} for ${name} that serves "${shownName(model)}"; ${cure}, or send Gateway-Provider-Key`,
  );
}

/** A key that may use only some credentials need not lack one. */
function missing(provider: string, { someCredentials }: Scope) {
  return someCredentials
    ? { none: "this service key may use no credential", cure: "use a key with other credentials" }
    : { none: "there is no credential", cure: `add one with: weir credentials add ${provider}` };
}

/** The most similar name; a model without its provider is named with each that has it, the usable ones first. */
function nearest(name: string, scope: Scope): readonly string[] {
  const known = new Map<string, string[]>();
  const add = (key: string, full: string) => known.set(key, [...(known.get(key) ?? []), full]);
  for (const full of scope.models.names()) {
    add(full, full);
    add(full.slice(full.indexOf("/") + 1), full);
  }
  for (const route of scope.routes) known.set(route.name, [route.name]);
  const near = nearestName(name, known.keys());
  const names = near === undefined ? [] : known.get(near)!;
  const withCredential = new Set(scope.credentials.map(({ provider }) => provider.toLowerCase()));
  const isUsable = (full: string) => Number(withCredential.has(full.slice(0, full.indexOf("/"))));
  return names.toSorted((a, b) => isUsable(b) - isUsable(a)).slice(0, NEAREST_MAX);
}

/** A client's text in an error message. */
export function shownName(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name;
}

import { GatewayError } from "../errors.ts";
import { nearestName } from "../nearest.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { Credential } from "./credential.ts";
import { type ModelName, type ModelString, readModelString } from "./model-string.ts";
import { allows, captured, fits } from "./pattern.ts";
import type { Route, RouteTarget } from "./route.ts";

/** A model at a provider, with the credentials that may pay for it. */
export interface Target {
  readonly provider: ProviderPlugin;
  /** The name used by the client or the route; a credential's `modelMap` may change it. */
  readonly model: string;
  /** Usable ones, in the order in which they were added; empty if only the client's own key may serve. */
  readonly credentials: readonly Credential[];
  /** The route's target that led here. */
  readonly settings: RouteTarget | undefined;
}

/** The meaning of one name of a model string. */
export interface Choice {
  /** For display, such as `route fast` or `provider openai`. */
  readonly resolvedBy: string;
  readonly route: Route | undefined;
  readonly strategy: Route["strategy"];
  /** A target, or another route in a target's place. */
  readonly members: readonly (Target | Nested)[];
}

export interface Nested {
  readonly choice: Choice;
  readonly settings: RouteTarget;
}

/** The known models, so that a bare name finds its providers. */
export interface ModelIndex {
  /** Whether the provider is known to have a model with this name. */
  has(provider: ProviderPlugin, model: string, credential: Credential | undefined): boolean;
  /** Every provider that is known to have it, whether or not anything is stored for it. */
  providersOf(model: string): readonly ProviderPlugin[];
  /** Names for "did you mean", such as `openai/gpt-5-mini`. */
  names(): Iterable<string>;
}

/** The models and credentials that one caller may use. */
export interface Scope {
  /** Routes of the caller's organization and of `weir.toml`; a route of the file has precedence over a stored one. */
  readonly routes: readonly Route[];
  /** Enabled credentials of the caller's organization, of `weir.toml` and shared ones that its key may use. */
  readonly credentials: readonly Credential[];
  /** Whether the key may use only some credentials. */
  readonly someCredentials: boolean;
  readonly providerByName: (name: string) => ProviderPlugin | undefined;
  readonly models: ModelIndex;
  /** The key's `models`; empty for all. */
  readonly allowed: readonly string[];
  /** Whether the client brought a key of its own for this provider. */
  readonly hasOwnKey: (provider: ProviderPlugin) => boolean;
  /** `Gateway-Target-Provider`: the provider of bare models. */
  readonly defaultProvider: string | undefined;
}

const DEPTH_MAX = 3;
const NEAREST_MAX = 3;
/** Providers that an error lists. */
const OWNERS_MAX = 5;

/**
 * Resolves the names of a model string, in the client's order. Names without targets are dropped if another one has targets.
 *
 * @throws GatewayError `model_not_found`, `no_credential`, `model_forbidden`, of the first name; `invalid_body` without a name, or
 *   if a name after `!` is no provider's.
 */
export function resolve(wanted: ModelString, scope: Scope): readonly Choice[] {
  const { choices, failure } = resolveSome(wanted, scope);
  if (choices.length > 0) return choices;
  throw failure?.() ?? new GatewayError("invalid_body", "model: the request names no model", { path: "model" });
}

/**
 * The same without an error if no name has targets: then `failure` creates it.
 *
 * @throws GatewayError `invalid_body` if a name after `!` is no provider's.
 */
export function resolveSome(
  { names, excluded }: ModelString,
  scope: Scope,
): { readonly choices: readonly Choice[]; readonly failure: (() => GatewayError) | undefined } {
  const without = new Set(excluded.map((name) => excludedProvider(name, scope)));
  const choices: Choice[] = [];
  let first: (() => GatewayError) | undefined;
  for (const each of names) {
    const name = exactly(each, scope.routes);
    const found = new Resolver(scope, without, name.name).resolve(name);
    if (typeof found === "function") first ??= found;
    else choices.push(found);
  }
  return { choices, failure: first };
}

/** An exclusion that excludes nothing would send the request to the provider that the client meant. */
function excludedProvider(name: string, { providerByName }: Scope): string {
  const provider = providerByName(name);
  if (provider !== undefined) return provider.name;
  const what = `model: "!${shown(name)}" names no provider; \`weir providers list\` shows them`;
  throw new GatewayError("invalid_body", what, { path: "model" });
}

/** A route may be called `cheap:floor`: a route's name counts as it is written, before its end has a meaning. */
function exactly(name: ModelName, routes: readonly Route[]): ModelName {
  const isRoute = routes.some((each) => each.name === name.written);
  return isRoute ? { ...name, name: name.written, order: undefined } : name;
}

/** Resolves one name; remembers why candidates were dropped, for the error. */
class Resolver {
  readonly #scope: Scope;
  readonly #excluded: ReadonlySet<string>;
  /** The client's spelling: a key's `models` may contain it. */
  readonly #written: string;
  #forbidden: string | undefined;
  /** Providers without a usable credential, in the order in which they were found; the error names them. */
  readonly #unpaid = new Set<ProviderPlugin>();

  constructor(scope: Scope, excluded: ReadonlySet<string>, written: string) {
    this.#scope = scope;
    this.#excluded = excluded;
    this.#written = written;
  }

  /** @returns a function that creates the error if there are no targets: it searches all names. */
  resolve(name: ModelName): Choice | (() => GatewayError) {
    const choice = this.#choice(name.name, []);
    if (choice === undefined || choice.members.length === 0) return () => this.#error(name.name);
    return name.order === undefined ? choice : { ...choice, strategy: name.order };
  }

  #choice(name: string, path: readonly string[]): Choice | undefined {
    const route = findRoute(this.#scope.routes, name);
    return route === undefined ? this.#plain(name) : this.#ofRoute(route, name, path);
  }

  #ofRoute(route: Route, name: string, path: readonly string[]): Choice {
    const star = captured(route.name, name);
    const members = route.targets.flatMap((settings): (Target | Nested)[] => {
      const [first] = readModelString(settings.model).names;
      if (first === undefined) return [];
      const written = exactly(first, this.#scope.routes);
      const model = star === undefined ? written.name : written.name.replace("*", () => star);
      const inner = this.#ofTarget(written.name, model, [...path, route.name]);
      if (inner === undefined) return [];
      if (written.order !== undefined) return [{ choice: { ...inner, strategy: written.order }, settings }];
      if (inner.route !== undefined) return [{ choice: inner, settings }];
      return inner.members.map((member) => ({ ...(member as Target), settings }));
    });
    return { resolvedBy: `route ${route.name}`, route, strategy: route.strategy, members };
  }

  /**
   * A target names another route exactly, before or after its `*` is filled in. Patterns do not count: a pattern such as `*`
   * is meant for clients' names, and would match the targets of all other routes.
   */
  #ofTarget(written: string, model: string, path: readonly string[]): Choice | undefined {
    const { routes } = this.#scope;
    const named = [written, model].map((name) =>
      findRoute(
        routes.filter((each) => each.name === name),
        name,
      ),
    );
    const route = named.find((each) => each !== undefined && !path.includes(each.name));
    return route === undefined || path.length >= DEPTH_MAX ? this.#plain(model) : this.#ofRoute(route, model, path);
  }

  #plain(name: string): Choice | undefined {
    const found = this.#targets(name);
    return found && { ...found, route: undefined, strategy: "order" };
  }

  #targets(name: string): Pick<Choice, "resolvedBy" | "members"> | undefined {
    const explicit = this.#beforeSlash(name);
    if (explicit !== undefined && explicit.members.length > 0) return explicit;
    const behind = this.#behindSlash(name);
    if (behind !== undefined && behind.members.length > 0) return behind;
    const bare = this.#bare(name);
    return bare.members.length > 0 ? bare : (explicit ?? behind);
  }

  /** `provider/model`, `provider:credential/model`. */
  #beforeSlash(name: string): Pick<Choice, "resolvedBy" | "members"> | undefined {
    const slash = name.indexOf("/");
    if (slash <= 0 || slash === name.length - 1) return undefined;
    const head = name.slice(0, slash);
    const whole = this.#scope.providerByName(head);
    const colon = head.indexOf(":");
    const provider = whole ?? (colon < 0 ? undefined : this.#scope.providerByName(head.slice(0, colon)));
    if (provider === undefined) return undefined;
    const credential = whole === undefined ? head.slice(colon + 1) : undefined;
    return this.#at(provider, name.slice(slash + 1), credential);
  }

  /** `model/provider`, `model/provider/credential`. */
  #behindSlash(name: string): Pick<Choice, "resolvedBy" | "members"> | undefined {
    const parts = name.split("/");
    const { providerByName, credentials } = this.#scope;
    if (parts.length < 2 || providerByName(parts[0]!) !== undefined) return undefined;
    const last = providerByName(parts.at(-1)!);
    const middle = parts.length < 3 ? undefined : providerByName(parts.at(-2)!);
    const named = credentials.some((each) => each.provider === middle?.name && each.name === parts.at(-1));
    if (middle !== undefined && (named || last === undefined))
      return this.#at(middle, parts.slice(0, -2).join("/"), parts.at(-1));
    if (last !== undefined) return this.#at(last, parts.slice(0, -1).join("/"), undefined);
    return undefined;
  }

  #at(provider: ProviderPlugin, model: string, credential: string | undefined) {
    const target = this.#target(provider, model, credential);
    return {
      resolvedBy: `provider ${provider.name.toLowerCase()}`,
      members: target === undefined ? [] : [target],
    };
  }

  /** Every provider that has a model with this name, in the order in which credentials were added. */
  #bare(name: string): Pick<Choice, "resolvedBy" | "members"> {
    const { defaultProvider, providerByName, credentials, models } = this.#scope;
    if (defaultProvider !== undefined) {
      const provider = providerByName(defaultProvider);
      return provider === undefined ? { resolvedBy: "", members: [] } : this.#at(provider, name, undefined);
    }
    const providers = new Set<ProviderPlugin>();
    for (const credential of credentials) {
      const provider = providerByName(credential.provider);
      if (provider === undefined) continue;
      if (isNamed(credential, name) || models.has(provider, name, credential)) providers.add(provider);
    }
    for (const provider of models.providersOf(name)) providers.add(provider);
    const members = [...providers].flatMap((provider) => this.#target(provider, name, undefined) ?? []);
    return { resolvedBy: `model ${name}`, members };
  }

  #target(provider: ProviderPlugin, model: string, credential: string | undefined): Target | undefined {
    if (this.#excluded.has(provider.name)) return undefined;
    const { allowed, credentials, hasOwnKey } = this.#scope;
    if (!allows(allowed, this.#written, `${provider.name.toLowerCase()}/${model}`)) {
      this.#forbidden = `${provider.name.toLowerCase()}/${model}`;
      return undefined;
    }
    const usable = credentials.filter(
      (each) =>
        each.provider === provider.name &&
        (credential === undefined || each.name === credential) &&
        allows(each.models, model),
    );
    if (usable.length === 0 && !hasOwnKey(provider)) {
      this.#unpaid.add(provider);
      return undefined;
    }
    return { provider, model, credentials: usable, settings: undefined };
  }

  #error(name: string): GatewayError {
    const [unpaid, ...others] = this.#unpaid;
    if (unpaid !== undefined)
      return name.includes("/") || others.length === 0 ? this.#notPaid(unpaid, name) : this.#noneOfMany(name);
    if (this.#forbidden !== undefined)
      return new GatewayError(
        "model_forbidden",
        `this service key may not use "${shown(name)}"; its models are ${this.#scope.allowed.join(", ")}`,
      );
    const route = findRoute(this.#scope.routes, name);
    if (route !== undefined)
      return new GatewayError(
        "model_not_found",
        `the route "${shown(route.name)}" leads to no known model: ${shown(route.targets.map(({ model }) => model).join(", "))}`,
      );
    const near = this.#nearest(name).map((each) => `"${each}"`);
    const hint =
      near.length === 0 ? "; write provider/model, or a route's name" : `; did you mean ${near.join(" or ")}?`;
    return new GatewayError("model_not_found", `no model or route is called "${shown(name)}"${hint}`);
  }

  /** A bare name may belong to many providers: the first in the alphabet need not be the one that the client means. */
  #noneOfMany(name: string): GatewayError {
    const labels = [...this.#unpaid].map((each) => each.name.toLowerCase());
    const left = labels.length - OWNERS_MAX;
    const listed = labels.slice(0, OWNERS_MAX).join(", ") + (left > 0 ? ` and ${left} more` : "");
    const { cure } = this.#missing("PROVIDER");
    const usable = this.#scope.someCredentials ? " that this service key may use" : "";
    return new GatewayError(
      "no_credential",
      `no provider of "${shown(name)}" has a credential${usable}: ${listed}; ${cure}, or send Gateway-Provider-Key with provider/model`,
    );
  }

  #notPaid({ name }: ProviderPlugin, model: string): GatewayError {
    const { none, cure } = this.#missing(name.toLowerCase());
    return new GatewayError(
      "no_credential",
      `${none} for ${name} that serves "${shown(model)}"; ${cure}, or send Gateway-Provider-Key`,
    );
  }

  /** A key that may use only some credentials need not lack one. */
  #missing(provider: string) {
    return this.#scope.someCredentials
      ? { none: "this service key may use no credential", cure: "use a key with other credentials" }
      : { none: "there is no credential", cure: `add one with: weir credentials add ${provider}` };
  }

  /** The most similar name; a model without its provider is named with each that has it, the usable ones first. */
  #nearest(name: string): readonly string[] {
    const known = new Map<string, string[]>();
    const add = (key: string, full: string) => known.set(key, [...(known.get(key) ?? []), full]);
    for (const full of this.#scope.models.names()) {
      add(full, full);
      add(full.slice(full.indexOf("/") + 1), full);
    }
    for (const route of this.#scope.routes) known.set(route.name, [route.name]);
    const near = nearestName(name, known.keys());
    const names = near === undefined ? [] : known.get(near)!;
    const withCredential = new Set(this.#scope.credentials.map(({ provider }) => provider.toLowerCase()));
    const isUsable = (full: string) => Number(withCredential.has(full.slice(0, full.indexOf("/"))));
    return names.toSorted((a, b) => isUsable(b) - isUsable(a)).slice(0, NEAREST_MAX);
  }
}

/** The route of a name: exactly, else the longest matching pattern; the file's has precedence over a stored one of the same name. */
function findRoute(routes: readonly Route[], name: string): Route | undefined {
  let found: Route | undefined;
  for (const route of routes) {
    if (route.name === name) {
      if (found?.name !== name || route.source === "file") found = route;
    } else if (found?.name !== name && route.name.includes("*") && fits(route.name, name)) {
      const longer = found === undefined ? 1 : route.name.length - found.name.length;
      if (longer > 0 || (longer === 0 && route.source === "file")) found = route;
    }
  }
  return found;
}

/** Whether a credential lists this model itself. */
function isNamed({ models, modelMap }: Credential, model: string): boolean {
  return Object.hasOwn(modelMap, model) || models.some((pattern) => pattern === model);
}

/** A client's text in an error message. */
function shown(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name;
}

import { GatewayError } from "../errors.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { Credential } from "./credential.ts";
import { findRoute } from "./find-route.ts";
import { type ModelName, type ModelString, readModelString } from "./model-string.ts";
import { allows, captured } from "./pattern.ts";
import type { Route, RouteTarget } from "./route.ts";
import type { Scope } from "./scope.ts";
import { shownName, unresolved } from "./unresolved.ts";

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

const DEPTH_MAX = 3;

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
 * Like `resolve`, but without an error if no name has targets: then `failure` creates it.
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
  const what = `model: "!${shownName(name)}" names no provider; \`weir providers list\` shows them`;
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
    if (choice === undefined || choice.members.length === 0)
      return () => unresolved(name.name, this.#scope, { unpaid: this.#unpaid, forbidden: this.#forbidden });
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
}

/** Whether a credential lists this model itself. */
function isNamed({ models, modelMap }: Credential, model: string): boolean {
  return Object.hasOwn(modelMap, model) || models.some((pattern) => pattern === model);
}

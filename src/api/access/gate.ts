import { GatewayError } from "../../errors.ts";
import { bearerKey, hashKey, type KeySnapshot, UNUSABLE } from "../../keys.ts";
import { nearestName } from "../../nearest.ts";
import type { Login } from "../../store/people/logins.ts";
import { notePerson } from "../audit/body-views.ts";
import { type Logins, refuseOtherSites } from "../logins/logins.ts";
import { calledFrom } from "./addresses.ts";
import { type Caller, callerOfKey, lacks, may } from "./caller.ts";
import type { KeyWatch } from "./key-watch.ts";
import { changes, type Needs, permissionNeeded } from "./needs.ts";

/** One endpoint as the gate and the description of the API see it. */
export interface Route {
  readonly method: string;
  /** With `:name` for each variable segment. */
  readonly path: string;
  readonly needs: Needs;
}

interface GateOptions {
  readonly keys: KeyWatch;
  readonly logins: Logins;
  /** The origin of the dashboard's pages, or undefined where the client called another host. */
  readonly ownOrigin: (request: Request) => string | undefined;
  readonly routes: readonly Route[];
}

interface PathMethods {
  readonly path: string;
  readonly pattern: RegExp;
  readonly methods: ReadonlyMap<string, Needs>;
}

/** Lets a request through to its endpoint, or says why not, before any of its body is read. */
export class Gate {
  readonly #keys: KeyWatch;
  readonly #paths: readonly PathMethods[];
  readonly #logins: Logins;
  readonly #ownOrigin: (request: Request) => string | undefined;
  readonly #callers = new WeakMap<Request, Caller>();
  readonly #loginsOf = new WeakMap<Request, Login>();

  constructor({ keys, logins, ownOrigin, routes }: GateOptions) {
    this.#keys = keys;
    this.#logins = logins;
    this.#ownOrigin = ownOrigin;
    this.#paths = [...Map.groupBy(routes, ({ path }) => path)]
      .map(([path, same]) => ({
        path,
        pattern: new RegExp(`^${path.replace(/[.+*?()[\]{}|^$\\]/g, "\\$&").replace(/:[^/]+/g, "[^/]+")}/?$`),
        methods: new Map(same.map(({ method, needs }) => [method, needs])),
      }))
      // A path without variables goes before one whose variable would take its name for an id.
      .sort((a, b) => Number(a.path.includes(":")) - Number(b.path.includes(":")));
  }

  /** The pattern of the path that a request asks for, such as `/v1/request/:id`. */
  pathOf(request: Request): string | undefined {
    return this.#find(new URL(request.url).pathname)?.path;
  }

  /** @throws GatewayError `not_found`, `method_not_allowed`, `missing_auth`, `invalid_auth`, `insufficient_permission` and the like. */
  async admit(request: Request): Promise<void> {
    const url = new URL(request.url);
    const methods = this.#find(url.pathname)?.methods;
    if (methods === undefined) throw noSuchPath(this.#nearest(url.pathname));
    const needs = methods.get(request.method);
    if (needs === undefined) {
      // A misspelt name may have been taken for an id.
      const meant = this.#nearest(url.pathname, request.method);
      if (meant !== undefined) throw noSuchPath(meant);
      const allow = [...methods.keys()].sort().join(", ");
      throw new GatewayError("method_not_allowed", `this path takes ${allow}`, { headers: { allow } });
    }
    if (needs === "open" || (needs === "signed" && url.searchParams.has("signature"))) return;
    const caller =
      (await this.#identifyLogin(request, changes(request.method, needs))) ??
      callerOfKey(this.#identify(request.headers.get("authorization")), { request, address: calledFrom(request) });
    this.#callers.set(request, caller);
    const permission = permissionNeeded(needs, caller.user === undefined ? "key" : "user");
    if (permission !== undefined && !may(caller, permission)) throw lacks(permission);
    if (this.#loginsOf.has(request)) notePerson(request, caller);
  }

  /** Who calls, of an admitted request. Endpoints act for their organization and no other. */
  caller(request: Request): Caller {
    const caller = this.#callers.get(request);
    if (caller === undefined) throw new GatewayError("missing_auth");
    return caller;
  }

  /** The caller, also of a refused request; undefined if it is unknown. */
  known(request: Request): Caller | undefined {
    return this.#callers.get(request);
  }

  /** The log-in that an admitted request came with, or undefined where it came with a key. */
  loginOf(request: Request): Login | undefined {
    return this.#loginsOf.get(request);
  }

  /** Where a request brings a key of its own, a cookie beside it does not count. */
  async #identifyLogin(request: Request, changes: boolean): Promise<Caller | undefined> {
    if (request.headers.has("authorization")) return undefined;
    const found = await this.#logins.identify(request);
    if (found === undefined) return undefined;
    if (request.method !== "GET") refuseOtherSites(request, this.#ownOrigin(request), changes);
    this.#loginsOf.set(request, found.login);
    return found.caller;
  }

  #find(pathname: string): PathMethods | undefined {
    return this.#paths.find(({ pattern }) => pattern.test(pathname));
  }

  /** The path that differs from this one by the spelling of one name; of those that take the method, where one is given. */
  #nearest(pathname: string, method?: string): string | undefined {
    const asked = pathname.replace(/\/$/, "").split("/");
    const meant: string[] = [];
    for (const { path, methods } of this.#paths) {
      const segments = path.split("/");
      if (segments.length !== asked.length || (method !== undefined && !methods.has(method))) continue;
      const isFixed = (segment: string) => !segment.startsWith(":");
      const [at, ...more] = [...segments.keys()].filter((at) => isFixed(segments[at]!) && segments[at] !== asked[at]);
      if (at === undefined || more.length > 0 || nearestName(asked[at]!, [segments[at]!]) === undefined) continue;
      meant.push(segments.map((segment, place) => (isFixed(segment) ? segment : asked[place])).join("/"));
    }
    return nearestName(pathname, meant);
  }

  #identify(authorization: string | null): KeySnapshot {
    const challenge = { headers: { "www-authenticate": "Bearer" } };
    const token = bearerKey(authorization ?? "");
    if (token === undefined) throw new GatewayError("missing_auth", undefined, challenge);
    const key = this.#keys.ring.ofHash(hashKey(token), Date.now());
    if (typeof key === "string")
      throw new GatewayError("invalid_auth", `the key in Authorization ${UNUSABLE[key]}`, challenge);
    this.#keys.used(key.id);
    return key;
  }
}

function noSuchPath(meant: string | undefined): GatewayError {
  const hint = meant === undefined ? "see /docs" : `did you mean ${meant}?`;
  return new GatewayError("not_found", `there is no such path here; ${hint}`);
}

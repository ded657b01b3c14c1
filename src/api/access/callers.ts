import { GatewayError } from "../../errors.ts";
import { bearerKey, type KeySnapshot, UNUSABLE } from "../../keys.ts";
import type { Login } from "../../store/people/logins.ts";
import { methodOf } from "../endpoint.ts";
import { type Logins, refuseOtherSites } from "../logins/logins.ts";
import { calledFrom } from "./addresses.ts";
import { type Caller, callerOfKey } from "./caller.ts";
import type { KeyWatch } from "./key-watch.ts";

interface CallersOptions {
  readonly keys: KeyWatch;
  readonly logins: Logins;
  /** The origin of the dashboard's pages, or undefined if the client called another host. */
  readonly ownOrigin: (request: Request) => string | undefined;
}

/** Identifies the caller of a request by key or log-in, and remembers it for the endpoint. */
export class Callers {
  readonly #options: CallersOptions;
  readonly #callers = new WeakMap<Request, Caller>();
  readonly #loginsOf = new WeakMap<Request, Login>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /**
   * @param changes - whether the request changes something or costs money: with a cookie it must then come from our own
   * pages.
   * @throws GatewayError such as `missing_auth` or `invalid_auth`.
   */
  async identify(request: Request, changes: boolean): Promise<Caller> {
    const caller =
      (await this.#identifyLogin(request, changes)) ??
      callerOfKey(this.#identifyKey(request.headers.get("authorization")), { request, address: calledFrom(request) });
    this.#callers.set(request, caller);
    return caller;
  }

  /** The caller of an admitted request. Endpoints act for the caller's organization and no other. */
  of(request: Request): Caller {
    const caller = this.#callers.get(request);
    if (caller === undefined) throw new GatewayError("missing_auth");
    return caller;
  }

  /** The caller, also of a request that was refused; undefined if the request was not identified. */
  known(request: Request): Caller | undefined {
    return this.#callers.get(request);
  }

  /** The log-in of a request, or undefined if it came with a key. */
  loginOf(request: Request): Login | undefined {
    return this.#loginsOf.get(request);
  }

  /** If a request has a key of its own, its cookie is ignored. */
  async #identifyLogin(request: Request, changes: boolean): Promise<Caller | undefined> {
    if (request.headers.has("authorization")) return undefined;
    const found = await this.#options.logins.identify(request);
    if (found === undefined) return undefined;
    if (methodOf(request) !== "GET") refuseOtherSites(request, this.#options.ownOrigin(request), changes);
    this.#loginsOf.set(request, found.login);
    return found.caller;
  }

  #identifyKey(authorization: string | null): KeySnapshot {
    const challenge = { headers: { "www-authenticate": "Bearer" } };
    const token = bearerKey(authorization ?? "");
    if (token === undefined) throw new GatewayError("missing_auth", undefined, challenge);
    const { keys } = this.#options;
    const key = keys.ring.ofText(token, Date.now());
    if (typeof key === "string")
      throw new GatewayError("invalid_auth", `the key in Authorization ${UNUSABLE[key]}`, challenge);
    keys.used(key.id);
    return key;
  }
}

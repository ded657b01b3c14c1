import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { whyUnusable } from "../../keys.ts";
import type { Acting } from "../../people/actor.ts";
import { ROLES } from "../../people/permissions.ts";
import { beginLogin, endLogin, findLogin, type Login, type NewLogin, touchLogin } from "../../store/people/logins.ts";
import { findUser, type Membership, membershipsOf, type User } from "../../store/people/users.ts";
import type { Store } from "../../store/store.ts";
import { calledFrom } from "../access/addresses.ts";
import { isHttps } from "../access/called-origin.ts";
import { type Caller, callerOfKey, callerOfUser } from "../access/caller.ts";
import type { KeyWatch } from "../access/key-watch.ts";
import { FailedPasswords } from "./failed-passwords.ts";

const HOUR_MS = 3_600_000;
/** The organization that a user's request acts in, by id or name. */
const ORGANIZATION_HEADER = "gateway-organization";

interface LoginsOptions {
  readonly config: Config;
  readonly keys: KeyWatch;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

/**
 * The cookie with the id of the organization that the dashboard shows: requests by the browser itself, for images for
 * example, have no such header.
 */
const ORGANIZATION_COOKIE = "weir_organization";

interface Beginning extends Pick<NewLogin, "userId" | "keyId" | "provider" | "idToken"> {
  /** Whether the browser uses TLS, if that is known better than from the request. */
  readonly secure?: boolean;
}

/** What a request's cookie stands for. */
interface LoggedIn {
  readonly login: Login;
  readonly caller: Caller;
}

/**
 * Log-ins of people: rows found by the cookie's random token. The user and their rights are looked up with each request, so
 * that a changed role, a revoked key and an ended log-in take effect immediately.
 */
export class Logins {
  /** Wrong passwords count together, wherever they are entered. */
  readonly failedPasswords = new FailedPasswords();
  readonly #options: LoginsOptions;

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  /** Begins a log-in with a new token. @returns the value of `Set-Cookie`. */
  async begin(
    request: Request,
    { secure, ...who }: Beginning,
    by: Acting,
    organizationId: string | null,
  ): Promise<string> {
    await this.#endPrevious(request, by);
    const now = Date.now();
    const order = { ...who, agent: request.headers.get("user-agent"), expiresAt: this.#expiry(now, now) };
    const { token } = await beginLogin((await this.#options.writer()).records, order, by, organizationId);
    return this.#cookie(request, token, order.expiresAt, secure);
  }

  /** The cookie again with a later expiry. */
  renewed(request: Request, login: Login): string {
    const expiresAt = this.#expiry(login.begun_at, Date.now());
    return this.#cookie(request, this.#token(request)!, expiresAt, this.#cameSecure(request));
  }

  expiresAt(login: Login): number {
    return this.#expiry(login.begun_at, Date.now());
  }

  /** Ends a log-in, for all copies of its cookie. @returns the value of `Set-Cookie`. */
  async end(request: Request, login: Login, by: Acting): Promise<string> {
    await endLogin((await this.#options.writer()).records, login, by, "logout");
    return this.#cookie(request, "", 0, this.#cameSecure(request));
  }

  /**
   * The log-in of a request and its user, or undefined if there is no valid one.
   *
   * @throws GatewayError `not_found` if the request names an organization that the user does not belong to.
   */
  async identify(request: Request): Promise<LoggedIn | undefined> {
    const token = this.#token(request);
    if (token === undefined) return undefined;
    const login = await findLogin(this.#options.reader.records, token);
    if (login === undefined) return undefined;
    const caller = login.user_id === null ? this.#ofKey(login, request) : await this.#ofUser(login.user_id, request);
    if (caller === undefined) return undefined;
    const { writer } = this.#options;
    await touchLogin((await writer()).records, login, this.#expiry(login.begun_at, Date.now()));
    return { login, caller };
  }

  #ofKey({ key_id }: Login, request: Request): Caller | undefined {
    const { config, keys } = this.#options;
    const key = key_id === null || !config.key_login ? undefined : keys.byId(key_id);
    if (key === undefined || whyUnusable(key, Date.now()) !== undefined) return undefined;
    keys.used(key.id);
    return callerOfKey(key, { request, address: calledFrom(request) });
  }

  async #ofUser(id: string, request: Request): Promise<Caller | undefined> {
    const { records } = this.#options.reader;
    const user = await findUser(records, "id", id);
    if (user === undefined || user.disabled_at !== null) return undefined;
    return callerIn(user, await membershipsOf(records, user), request);
  }

  #expiry(begunAt: number, now: number): number {
    const { session_hours, session_idle_hours } = this.#options.config;
    return Math.min(now + session_idle_hours * HOUR_MS, begunAt + session_hours * HOUR_MS);
  }

  /** A new log-in ends the previous one, so that a planted token becomes useless. */
  async #endPrevious(request: Request, by: Acting): Promise<void> {
    const token = this.#token(request);
    const { records } = await this.#options.writer();
    const login = token === undefined ? undefined : await findLogin(records, token);
    if (login !== undefined) await endLogin(records, login, by, "logout");
  }

  /** Cookies ignore ports: two services on one host must not end each other's log-ins. */
  get #name(): string {
    return `weir_session_${this.#options.config.api_port}`;
  }

  #token(request: Request): string | undefined {
    const secure = cookieOf(request, `__Host-${this.#name}`);
    // Over HTTPS the plain cookie may have been planted by a neighbouring host or on the way: our log-ins never set it there.
    return secure ?? (isSecure(this.#options.config, request) ? undefined : cookieOf(request, this.#name));
  }

  /** A GET shows less about the browser's connection than the log-in did: the cookie keeps its form. */
  #cameSecure(request: Request): boolean {
    return isSecure(this.#options.config, request) || cookieOf(request, `__Host-${this.#name}`) !== undefined;
  }

  #cookie(
    request: Request,
    token: string,
    expiresAt: number,
    secure = isSecure(this.#options.config, request),
  ): string {
    const age = Math.max(0, Math.round((expiresAt - Date.now()) / 1_000));
    const name = secure ? `__Host-${this.#name}` : this.#name;
    return `${name}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure ? "; Secure" : ""}`;
  }
}

/**
 * The user in the organization that the request names, else the one that the dashboard has chosen, else the user's first.
 * @throws GatewayError `not_found`.
 */
export function callerIn(user: User, memberships: readonly Membership[], request: Request): Caller {
  const named = request.headers.get(ORGANIZATION_HEADER);
  const chosen = cookieOf(request, ORGANIZATION_COOKIE);
  const first = memberships.find(({ id }) => id === chosen) ?? memberships[0];
  const found = named === null ? first : memberships.find(({ id, name }) => id === named || name === named);
  if (named !== null && found === undefined)
    throw new GatewayError("not_found", `${ORGANIZATION_HEADER}: you are in no organization with this name`);
  const from = { request, address: calledFrom(request) };
  const { id, email, name } = user;
  // A user who no longer belongs to any organization is known, but may do nothing.
  if (found === undefined) return callerOfUser({ id, email, name, role: null }, "", [], from);
  return callerOfUser({ id, email, name, role: found.role }, found.id, ROLES[found.role], from);
}

export function cookieOf(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Works even if a proxy does not report the scheme: the browser's `Origin` does. */
function isSecure(config: Config, request: Request): boolean {
  return isHttps(config, request) || (request.headers.get("origin") ?? "").startsWith("https://");
}

/**
 * Browsers send the cookie with requests that any page triggers, so requests with it must come from our own pages. Browsers
 * report where a request comes from; a request that reports nothing comes from no browser page, and may only read.
 *
 * @param own - the origin of our pages, or undefined if the request was sent to an unknown host name.
 * @param changes - whether the request changes something: then it must report where it comes from.
 * @throws GatewayError `cross_site_request`
 */
export function refuseOtherSites(request: Request, own: string | undefined, changes: boolean): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site === null && origin === null && !changes) return;
  if (own === undefined)
    throw new GatewayError(
      "cross_site_request",
      "this host name is unknown: add it to WEIR_API_HOSTS, or set WEIR_PUBLIC_API_URL",
    );
  if (site !== null ? site === "same-origin" : origin === own) return;
  throw new GatewayError("cross_site_request");
}

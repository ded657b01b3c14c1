import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { type KeySnapshot, whyUnusable } from "../../keys.ts";
import type { Store } from "../../store/store.ts";
import { StoredSecret } from "../../store/stored-secret.ts";
import { isHttps } from "../access/called-origin.ts";
import type { KeyWatch } from "../access/key-watch.ts";

/** How long a log-in lasts after it was last renewed, and how long it can be renewed. */
const IDLE_SECONDS = 12 * 3_600;
const WHOLE_SECONDS = 7 * 86_400;
/** How old may be what this process knows of log-outs at others. */
const ENDED_AGE_MS = 2_000;
const ENDED_PREFIX = "ended_login:";

/** What the cookie says. Times are seconds since 1970. */
export interface Login {
  readonly id: string;
  readonly keyId: string;
  readonly begun: number;
  readonly expires: number;
}

interface LoginsOptions {
  readonly config: Config;
  readonly keys: KeyWatch;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

/**
 * Log-ins of people: a cookie that names a service key, sealed with a secret of the deployment. It holds no key, and its
 * organization and scopes are those that the key has now: a key that is revoked or expires ends its log-ins at once.
 * What was logged out is kept in the database until it would have ended anyway.
 */
export class Logins {
  readonly #options: LoginsOptions;
  readonly #secret: StoredSecret;
  /** Log-in id to the second from which it would be over in any case. */
  #ended = new Map<string, number>();
  #endedReadAt = Number.NEGATIVE_INFINITY;

  constructor(options: LoginsOptions) {
    this.#options = options;
    this.#secret = new StoredSecret("login_secret", options.reader, options.writer);
  }

  /** Begins a log-in with a key that was checked. @returns the value of `Set-Cookie`. */
  async begin(request: Request, keyId: string): Promise<string> {
    const begun = now();
    return this.#cookie(request, { id: randomBytes(16).toString("hex"), keyId, begun, expires: begun + IDLE_SECONDS });
  }

  /** The same log-in with a later end, as the value of `Set-Cookie`. */
  async renew(request: Request, login: Login): Promise<string> {
    return this.#cookie(request, {
      ...login,
      expires: Math.min(now() + IDLE_SECONDS, login.begun + WHOLE_SECONDS),
    });
  }

  /** Ends a log-in for good, wherever its cookie was copied to. @returns the value of `Set-Cookie`. */
  async end(request: Request, login: Login): Promise<string> {
    const until = login.begun + WHOLE_SECONDS;
    this.#ended.set(login.id, until);
    const { records } = await this.#options.writer();
    await records.batch([
      {
        sql: "insert or ignore into settings (name, value) values (?, ?)",
        args: [ENDED_PREFIX + login.id, `${until}`],
      },
      {
        sql: "delete from settings where name glob ? and cast(value as integer) < ?",
        args: [`${ENDED_PREFIX}*`, now()],
      },
    ]);
    return `${this.#name}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${isSecure(request) ? "; Secure" : ""}`;
  }

  /** The log-in that a request comes with and the key it stands for, or undefined where there is none that holds. */
  async identify(request: Request): Promise<{ readonly login: Login; readonly key: KeySnapshot } | undefined> {
    const value = cookieOf(request, this.#name);
    if (value === undefined) return undefined;
    const login = await this.#read(value);
    if (login === undefined || login.expires <= now()) return undefined;
    await this.#readEnded();
    if (this.#ended.has(login.id)) return undefined;
    const key = this.#options.keys.byId(login.keyId);
    return key === undefined || whyUnusable(key, Date.now()) !== undefined ? undefined : { login, key };
  }

  /** Cookies know no ports: two services on one host must not end each other's log-ins. */
  get #name(): string {
    return `weir_session_${this.#options.config.api_port}`;
  }

  async #cookie(request: Request, login: Login): Promise<string> {
    const text = [login.id, login.keyId, login.begun, login.expires].join(".");
    const value = `${text}.${seal(await this.#secret.load(), text)}`;
    const age = Math.max(0, login.expires - now());
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${isSecure(request) ? "; Secure" : ""}`;
  }

  async #read(value: string): Promise<Login | undefined> {
    const [, text, id, keyId, begun, expires, mac] =
      /^(([0-9a-f]{32})\.([\w-]+)\.(\d+)\.(\d+))\.([\w-]+)$/.exec(value) ?? [];
    if (text === undefined) return undefined;
    const [given, wanted] = [mac!, seal(await this.#secret.load(), text)].map((each) => Buffer.from(each));
    if (given!.length !== wanted!.length || !timingSafeEqual(given!, wanted!)) return undefined;
    return { id: id!, keyId: keyId!, begun: Number(begun), expires: Number(expires) };
  }

  /** While the database is away, what is known holds. */
  async #readEnded(): Promise<void> {
    if (performance.now() - this.#endedReadAt < ENDED_AGE_MS) return;
    this.#endedReadAt = performance.now();
    const lookup = { sql: "select name, value from settings where name glob ?", args: [`${ENDED_PREFIX}*`] };
    const rows = await this.#options.reader.records
      .query<{ name: string; value: string }>(lookup)
      .catch(() => undefined);
    if (rows === undefined) return;
    const stored = rows.map(({ name, value }) => [name.slice(ENDED_PREFIX.length), Number(value)] as const);
    this.#ended = new Map([...this.#ended, ...stored].filter(([, until]) => until > now()));
  }
}

function seal(secret: Buffer, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

function cookieOf(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Also where a proxy does not say how it was reached: the browser's page does. */
function isSecure(request: Request): boolean {
  return isHttps(request) || (request.headers.get("origin") ?? "").startsWith("https://");
}

const now = () => Math.floor(Date.now() / 1_000);

/**
 * A browser sends the cookie with whatever any page makes it send: what is asked with it must come from our own pages.
 * Browsers say where a request comes from; what says nothing comes from none, and may read.
 *
 * @param own - the origin of our pages, or undefined where the request was sent to a host name that is not known here.
 * @param changes - whether the request changes something: then it has to say where it comes from.
 * @throws GatewayError `cross_site_request`
 */
export function refuseOtherSites(request: Request, own: string | undefined, changes: boolean): void {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  if (site === null && origin === null && !changes) return;
  if (own === undefined)
    throw new GatewayError(
      "cross_site_request",
      "this host name is not known here: add it to WEIR_API_HOSTS, or set WEIR_PUBLIC_API_URL",
    );
  if (site !== null ? site === "same-origin" : origin === own) return;
  throw new GatewayError("cross_site_request");
}

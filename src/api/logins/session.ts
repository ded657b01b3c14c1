import { Elysia, t } from "elysia";
import packageJson from "../../../package.json" with { type: "json" };
import { GatewayError } from "../../errors.ts";
import { hashKey, type KeySnapshot, UNUSABLE, whyUnusable } from "../../keys.ts";
import { storedEmail } from "../../people/email.ts";
import { isPassword } from "../../people/password.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { publicOrigin } from "../../sso/provider.ts";
import { organizationName } from "../../store/keys.ts";
import { noteFailedLogin } from "../../store/people/logins.ts";
import { findUser, membershipsOf } from "../../store/people/users.ts";
import { calledFrom } from "../access/addresses.ts";
import { calledOrigin, gatewayOrigin, ownOrigin } from "../access/called-origin.ts";
import { type Caller, callerOfKey } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { FailedLogins } from "./failed-logins.ts";
import { callerIn, refuseOtherSites } from "./logins.ts";

const strict = { additionalProperties: false };
const LOGIN = t.Object(
  {
    key: t.Optional(t.String({ minLength: 1, maxLength: 1_000, description: "A service key." })),
    email: t.Optional(t.String({ minLength: 1, maxLength: 320 })),
    password: t.Optional(t.String({ minLength: 1, maxLength: 1_000 })),
  },
  { ...strict, description: "`key`, or `email` and `password`." },
);

/** The caller and the service's addresses: the response of `GET /v1/session`. */
export interface SessionView {
  readonly kind: "user" | "key";
  /** The service key; for a user their id and address. */
  readonly key: { readonly id: string; readonly name: string };
  readonly organization: string;
  readonly organization_id: string;
  /** The key's; for a user those that a key would need for the same rights. */
  readonly scopes: readonly string[];
  /** When the key expires, or null. */
  readonly key_expires_at: string | null;
  /** When the log-in ends unless renewed; null for a caller with a key. */
  readonly expires_at: string | null;
  readonly gateway_url: string;
  readonly api_url: string;
  readonly region: string;
  readonly version: string;
}

/** Log-in, log-out, and the current session. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of endpoints, one statement each
export function sessionEndpoints(context: ApiContext, callers: Callers) {
  const failedKeys = new FailedLogins();
  const view = async (request: Request, { key, user }: Caller, expiresAt: number | null): Promise<SessionView> => ({
    kind: user === undefined ? "key" : "user",
    key: { id: key.id, name: key.name },
    organization: (await organizationName(context.home.reader.records, key.organizationId)) ?? key.organizationId,
    organization_id: key.organizationId,
    scopes: key.scopes,
    key_expires_at: isoTimeOrNull(key.expiresAt),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    gateway_url: gatewayOrigin(context.config, request, await gatewayPort(context)),
    api_url: calledOrigin(context.config, request),
    region: context.config.region,
    version: packageJson.version,
  });
  const begun = async (request: Request, caller: Caller) => {
    const response = success(await view(request, caller, null));
    const who = { userId: caller.user?.id ?? null, keyId: caller.user === undefined ? caller.key.id : null };
    response.headers.set("set-cookie", await context.logins.begin(request, who, caller, caller.organizationId));
    return response;
  };
  const refused = async (request: Request, name: string) => {
    const actor = { kind: "system", id: "log-in", name: "log-in" } as const;
    const by = { actor, address: calledFrom(request), requestId: null };
    await noteFailedLogin((await context.home.writer()).records, name, by);
  };

  const byKey = async (request: Request, text: string) => {
    if (!context.config.key_login)
      throw new GatewayError("invalid_auth", "service keys do not log in here", { path: "key" });
    const key = await keyOf(context, text);
    const why = key === undefined ? "unknown" : whyUnusable(key, Date.now());
    if (key === undefined || why !== undefined) {
      await failedKeys.note();
      await refused(request, key?.name ?? "key");
      throw new GatewayError("invalid_auth", `this key ${UNUSABLE[why ?? "unknown"]}`, { path: "key" });
    }
    context.keys.used(key.id);
    return begun(request, callerOfKey(key, { request, address: calledFrom(request) }));
  };

  const byPassword = async (request: Request, typed: string, password: string) => {
    if (!context.config.local_login)
      throw new GatewayError("invalid_auth", "passwords do not log in here", { path: "email" });
    const email = storedEmail(typed) ?? typed;
    const address = calledFrom(request);
    const { records } = context.home.reader;
    const user = await findUser(records, "email", email);
    const isRight = await context.logins.failedPasswords.attempt(email, address, async () => {
      const isTheirs = await isPassword(password, user?.password ?? null);
      return isTheirs && user?.disabled_at === null;
    });
    if (user === undefined || !isRight) {
      await refused(request, email);
      // The same response in both cases, so that it does not reveal who has an account.
      throw new GatewayError("invalid_auth", "the address or the password is wrong", { path: "password" });
    }
    const memberships = await membershipsOf(records, user);
    if (memberships.length === 0) throw new GatewayError("not_a_member");
    return begun(request, callerIn(user, memberships, request));
  };

  return new Elysia()
    .post(
      "/v1/session",
      async ({ body: { key, email, password }, request }) => {
        refuseOtherSites(request, ownOrigin(context.config, request), false);
        if (key !== undefined && email === undefined && password === undefined) return byKey(request, key.trim());
        if (key === undefined && email !== undefined && password !== undefined)
          return byPassword(request, email, password);
        const path = key === undefined && email === undefined ? "key" : email === undefined ? "email" : "password";
        throw new GatewayError("invalid_body", `${path}: give either key, or email and password`, { path });
      },
      {
        body: LOGIN,
        ...endpoint(
          "Session",
          "Log in",
          "With a service key, or with an e-mail address and a password. Sets a cookie, for the dashboard.",
        ),
      },
    )
    .get(
      "/v1/session",
      async ({ request }) => {
        const caller = callers.of(request);
        const login = callers.loginOf(request);
        const response = success(
          await view(request, caller, login === undefined ? null : context.logins.expiresAt(login)),
        );
        if (login !== undefined) response.headers.set("set-cookie", context.logins.renewed(request, login));
        return response;
      },
      endpoint("Session", "Who am I", "Renews a log-in, up to `session_hours` after it began."),
    )
    .delete(
      "/v1/session",
      async ({ request }) => {
        const login = callers.loginOf(request);
        const provider = login?.provider ?? null;
        const end_session_url =
          provider === null
            ? undefined
            : await context.sso.endSessionUrl(provider, login!.id_token, `${publicOrigin(context.config)}/`);
        const response = success(end_session_url === undefined ? [] : { end_session_url });
        if (login !== undefined)
          response.headers.set("set-cookie", await context.logins.end(request, login, callers.of(request)));
        return response;
      },
      endpoint(
        "Session",
        "Log out",
        "After a log-in by single sign-on the response may have `end_session_url`: open it in the browser to log out at the provider too.",
      ),
    );
}

/** Checks again for a key that the command line may have just created. */
async function keyOf({ keys }: ApiContext, key: string): Promise<KeySnapshot | undefined> {
  const hash = hashKey(key);
  const known = keys.ring.known(hash);
  if (known !== undefined) return known;
  await keys.refresh().catch(() => {}); // the watch reports why keys cannot be read
  return keys.ring.known(hash);
}

/** If the configuration fixes the port, no other thread needs to be called. */
async function gatewayPort({ config, gateway }: ApiContext): Promise<number> {
  return config.gateway_port !== 0 ? config.gateway_port : (await gateway.status()).port;
}

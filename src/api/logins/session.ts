import { Elysia, type Static, t } from "elysia";
import packageJson from "../../../package.json" with { type: "json" };
import { GatewayError } from "../../errors.ts";
import { isoTime, isoTimeOrNull } from "../../record/iso-time.ts";
import { publicOrigin } from "../../sso/provider.ts";
import type { Login } from "../../store/people/logins.ts";
import { organizationName } from "../../store/people/organization-names.ts";
import { calledOrigin, gatewayOrigin, ownOrigin } from "../access/called-origin.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { LoginCheck } from "./login-check.ts";
import { refuseOtherSites } from "./logins.ts";

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
export function sessionEndpoints(context: ApiContext, callers: Callers) {
  const check = new LoginCheck(context);
  return new Elysia()
    .post(
      "/v1/session",
      async ({ body, request }) => {
        refuseOtherSites(request, ownOrigin(context.config, request), false);
        const caller = await callerFor(check, body, request);
        const response = success(await sessionView(context, request, caller, null));
        const who = { userId: caller.user?.id ?? null, keyId: caller.user === undefined ? caller.key.id : null };
        response.headers.set("set-cookie", await context.logins.begin(request, who, caller, caller.organizationId));
        return response;
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
        const login = callers.loginOf(request);
        const expiresAt = login === undefined ? null : context.logins.expiresAt(login);
        const response = success(await sessionView(context, request, callers.of(request), expiresAt));
        if (login !== undefined) response.headers.set("set-cookie", context.logins.renewed(request, login));
        return response;
      },
      endpoint("Session", "Read the current log-in", "Renews a log-in, up to `session_hours` after it began."),
    )
    .delete(
      "/v1/session",
      async ({ request }) => {
        const login = callers.loginOf(request);
        const end_session_url = await endSessionUrl(context, login);
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

/** @throws GatewayError `invalid_body`, or what the check throws. */
function callerFor(check: LoginCheck, { key, email, password }: Static<typeof LOGIN>, request: Request) {
  if (key !== undefined && email === undefined && password === undefined) return check.byKey(request, key.trim());
  if (key === undefined && email !== undefined && password !== undefined)
    return check.byPassword(request, email, password);
  const path = key === undefined && email === undefined ? "key" : email === undefined ? "email" : "password";
  throw new GatewayError("invalid_body", `${path}: give either key, or email and password`, { path });
}

async function sessionView(
  context: ApiContext,
  request: Request,
  { key, user }: Caller,
  expiresAt: number | null,
): Promise<SessionView> {
  return {
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
  };
}

/** The page of the identity provider that ends its own session, after a log-in by single sign-on. */
async function endSessionUrl({ config, sso }: ApiContext, login: Login | undefined): Promise<string | undefined> {
  const provider = login?.provider ?? null;
  if (provider === null) return undefined;
  return sso.endSessionUrl(provider, login!.id_token, `${publicOrigin(config)}/`);
}

/** If the configuration fixes the port, no other thread needs to be called. */
async function gatewayPort({ config, gateway }: ApiContext): Promise<number> {
  return config.gateway_port !== 0 ? config.gateway_port : (await gateway.status()).port;
}

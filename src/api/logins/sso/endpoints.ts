import { Elysia } from "elysia";
import { GatewayError } from "../../../errors.ts";
import { messageOf } from "../../../log.ts";
import { personOf } from "../../../sso/person.ts";
import { publicOrigin } from "../../../sso/provider.ts";
import { rolesByRules } from "../../../sso/rules.ts";
import { noteFailedLogin } from "../../../store/people/logins.ts";
import { admitSignedOn } from "../../../store/people/sso-members.ts";
import { membershipsOf } from "../../../store/people/users.ts";
import { calledFrom } from "../../access/addresses.ts";
import { isCalledPublicly } from "../../access/called-origin.ts";
import type { ApiContext } from "../../context.ts";
import { endpoint } from "../../endpoint.ts";
import { callerIn, cookieOf } from "../logins.ts";
import { ATTEMPT_MS, type Attempt, attemptOf, beginAttempt } from "./attempt.ts";
import { returnPath } from "./return-path.ts";

const START_PATH = "/v1/login/:name";
const CALLBACK_PATH = "/v1/login/:name/callback";

/** Addresses that people open in a browser. */
export const isLoginPath = (path: string | undefined): boolean => path === START_PATH || path === CALLBACK_PATH;

const QUERY = {
  return: { type: "string", description: "Path of the dashboard's page to return to." },
  account: { type: "string", enum: ["other"], description: "Asks the provider to show its account chooser." },
};

/** Log-in at an identity provider: the redirect there, and the callback. */
export function ssoEndpoints(context: ApiContext) {
  return new Elysia()
    .get(
      START_PATH,
      ({ params, request }) => watched(context, params.name, request, () => start(context, params.name, request)),
      endpoint("Session", "Start a log-in by single sign-on", "Redirects to the identity provider.", { query: QUERY }),
    )
    .get(
      CALLBACK_PATH,
      ({ params, request }) => watched(context, params.name, request, () => finish(context, params.name, request)),
      endpoint(
        "Session",
        "Finish a log-in by single sign-on",
        "The identity provider redirects here. Sets a cookie and redirects to the dashboard.",
      ),
    );
}

async function start(context: ApiContext, name: string, request: Request): Promise<Response> {
  const { config } = context;
  const client = context.sso.client(name);
  const { searchParams } = new URL(request.url);
  const returnTo = returnPath(searchParams.get("return"));
  // The log-in's cookie must be sent to the callback at the public address, so it is set there.
  if (!isCalledPublicly(config, request) && config.public_url !== "" && !searchParams.has("moved")) {
    searchParams.set("moved", "1");
    return redirect(`${publicOrigin(config)}/v1/login/${name}?${searchParams}`);
  }
  const isOther = searchParams.get("account") === "other";
  const { key, checks } = beginAttempt(cookieOf(request, cookieName(context)), name, returnTo);
  const response = redirect(await client.authorizationUrl(checks, isOther));
  response.headers.append("set-cookie", attemptCookie(context, key, ATTEMPT_MS / 1_000));
  return response;
}

async function finish(context: ApiContext, name: string, request: Request): Promise<Response> {
  const { home, config, sso } = context;
  const client = sso.client(name);
  const { provider } = client;
  const { search, searchParams } = new URL(request.url);
  const attempt = attemptIn(context, name, request, searchParams);
  const checks = { state: searchParams.get("state")!, nonce: attempt.nonce, verifier: attempt.verifier };
  const { issuer, claims, idToken } = await client.exchange(search, checks);
  const person = personOf(provider, claims);
  const { subject, email } = person;
  const { records } = await home.writer();
  const from = { address: calledFrom(request), requestId: null };
  const roles = rolesByRules(provider.rules, person);
  const signedOn = { source: `sso:${name}`, issuer, subject, email, name: person.name, roles };
  const user = await admitSignedOn(records, signedOn, from)
    .catch((error: unknown) => {
      if (!(error instanceof GatewayError) || error.code !== "not_a_member") throw error;
      const message = `${provider.label} knows you as ${email}, but you are in no organization here: ask an administrator to make you a member, or log in with another account`;
      throw new GatewayError("not_a_member", message, { cause: error });
    })
    .finally(() => context.keys.spread());
  const caller = callerIn(user, await membershipsOf(records, user), request);
  const who = { userId: user.id, keyId: null, provider: name, idToken, secure: isSecure(context) };
  const response = redirect(`${publicOrigin(config)}${returnPath(attempt.returnTo)}`);
  response.headers.append("set-cookie", await context.logins.begin(request, who, caller, caller.organizationId));
  response.headers.append("set-cookie", attemptCookie(context, "", 0));
  return response;
}

/** @throws GatewayError `login_expired` if the log-in was not begun recently, in this browser, with this provider. */
function attemptIn(context: ApiContext, name: string, request: Request, query: URLSearchParams): Attempt {
  const [state, ...more] = query.getAll("state");
  const attempt = attemptOf(cookieOf(request, cookieName(context)), more.length === 0 ? (state ?? "") : "");
  if (attempt?.name !== name) throw new GatewayError("login_expired");
  return attempt;
}

/** Runs a step of a log-in; logs a failure with its cause, and adds it to the audit log. */
async function watched(
  context: ApiContext,
  name: string,
  request: Request,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === "not_found" || error.code === "invalid_body") throw error;
    const { code, cause } = error;
    const because = cause === undefined ? {} : { because: messageOf(cause) };
    context.log.warn("a log-in by single sign-on failed", { sso: name, code, why: error.message, ...because });
    // Where a file is, or what is wrong with it, concerns only the operator.
    const shown = code === "config_invalid" ? new GatewayError("sso_failed", NOT_SET_UP, { cause: error }) : error;
    if (!mayNote()) throw shown;
    const actor = { kind: "system", id: "log-in", name: "log-in" } as const;
    const by = { actor, address: calledFrom(request), requestId: null };
    await noteFailedLogin((await context.home.writer()).records, `sso:${name}: ${shown.message}`, by);
    throw shown;
  }
}

const NOT_SET_UP = "this single sign-on is not set up rightly; the service's log says why";

/** Anyone can start log-ins that fail: their entries must not fill the audit log. */
const NOTED_A_MINUTE_MAX = 60;
let minute = 0;
let notedInMinute = 0;

function mayNote(): boolean {
  const now = Math.floor(performance.now() / 60_000);
  if (now !== minute) notedInMinute = 0;
  minute = now;
  return ++notedInMinute <= NOTED_A_MINUTE_MAX;
}

function redirect(location: string): Response {
  return new Response(null, {
    status: 302,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" },
  });
}

/** By the public address: the browser is there, whatever a proxy reports. */
const isSecure = ({ config }: ApiContext): boolean => publicOrigin(config).startsWith("https:");

/** Cookies ignore ports: see the log-in's cookie. */
function cookieName(context: ApiContext): string {
  return `${isSecure(context) ? "__Host-" : ""}weir_sso_${context.config.api_port}`;
}

/** `Lax`, because the provider's redirect comes from another site. */
function attemptCookie(context: ApiContext, key: string, seconds: number): string {
  const secure = isSecure(context) ? "; Secure" : "";
  return `${cookieName(context)}=${key}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

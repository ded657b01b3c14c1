import * as oidc from "openid-client";
import { GatewayError } from "../errors.ts";
import type { SsoProvider } from "./provider.ts";

/** Codes of `openid-client` that mean: no response, or a response that is not from the provider itself. */
const AWAY: readonly (string | undefined)[] = [
  undefined,
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
];
const SAID_CHARS_MAX = 300;

/** The error of a log-in as a message for its user; `cause` keeps the details for the log. */
export function asLoginError(provider: SsoProvider, error: unknown): GatewayError {
  const { label } = provider;
  if (error instanceof GatewayError) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    const said = plain(error.error_description ?? error.error);
    return new GatewayError("login_refused", `${label} did not log you in: ${said}`, { cause: error });
  }
  if (error instanceof oidc.ResponseBodyError && error.error === "invalid_grant")
    return new GatewayError("login_expired", `${label} no longer accepts this log-in: begin again`, {
      cause: error,
    });
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError) {
    const why = error instanceof oidc.ResponseBodyError ? error.error : "unauthorized";
    const message = `${label} refuses this service (${plain(why)}): its client id, secret or redirect address is wrong`;
    return new GatewayError("sso_failed", message, { cause: error });
  }
  const code = error instanceof oidc.ClientError ? error.code : undefined;
  if (AWAY.includes(code)) return unavailable(provider, error);
  const message = `the response of ${label} is not valid: ${reasonOf(error)}; begin again, and ask its administrator if it happens again`;
  return new GatewayError("invalid_id_token", message, { cause: error });
}

/** @param error - the cause, for the log. */
export function unavailable({ label }: SsoProvider, error: unknown): GatewayError {
  const isOther = error instanceof oidc.ClientError && !AWAY.includes(error.code);
  const message = isOther
    ? `${label} is not the configured issuer, or has an invalid configuration`
    : `${label} cannot be reached now; other ways to log in still work`;
  return new GatewayError(isOther ? "sso_failed" : "sso_unavailable", message, { cause: error });
}

/** The failed check: the claim if the library names it, never a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it cannot be read";
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { cause } = each;
    const claim = typeof cause === "object" && cause !== null && "claim" in cause ? cause.claim : undefined;
    if (typeof claim === "string") return `its claim ${plain(claim)} does not match`;
  }
  const inner = error.cause instanceof Error ? error.cause.message : error.message;
  return plain(inner);
}

/** Foreign text on one line, without special characters. */
function plain(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, " ")
    .slice(0, SAID_CHARS_MAX)
    .trim();
}

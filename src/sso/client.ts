import * as oidc from "openid-client";
import type { Claims } from "./claims.ts";
import { saysTooLittle } from "./person.ts";
import { isThisMachine, type SsoProvider } from "./provider.ts";
import { asLoginError, unavailable } from "./why.ts";

const TIMEOUT_SECONDS = 10;
const SKEW_SECONDS = 60;
/** How long a provider's configuration and keys are cached. */
const METADATA_MS = 3_600_000;
const KEYS_MS = 300_000;
/** The wait before an unreachable provider is called again. */
const FAILED_MS = 5_000;
/** Age from which `openid-client` fetches the keys again if a token's key is unknown. */
const KEYS_STALE_SECONDS = 61;
/** A longer token is not kept: it would not fit into the log-out address. */
const ID_TOKEN_CHARS_MAX = 6_000;

interface SsoClientOptions {
  /** The address that the provider redirects users to. */
  readonly redirect: string;
  readonly secret: () => string | undefined;
  readonly fetch: oidc.CustomFetch;
}

/** The state of one log-in, checked when the provider redirects the user back. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** The result of a log-in: the complete ID token has been checked. */
interface Vouched {
  readonly issuer: string;
  readonly claims: Claims;
  /** Null if it is too long to keep. */
  readonly idToken: string | null;
}

/** One provider of single sign-on, by the authorization code flow with PKCE. */
export class SsoClient {
  readonly provider: SsoProvider;
  readonly #options: SsoClientOptions;
  #metadata: { readonly known: Promise<oidc.ServerMetadata>; readonly untilMs: number } | undefined;
  #lastKnown: oidc.ServerMetadata | undefined;
  #keys: { readonly jwks: oidc.ExportedJWKSCache["jwks"]; readonly fetchedMs: number } | undefined;
  /** Set once the provider turns out to accept the secret only in the body. */
  #secretInBody = false;

  constructor(provider: SsoProvider, options: SsoClientOptions) {
    this.provider = provider;
    this.#options = options;
  }

  /** The provider's configuration. @throws GatewayError `sso_unavailable` if it does not respond. */
  metadata(): Promise<oidc.ServerMetadata> {
    const now = performance.now();
    if (this.#metadata !== undefined && now < this.#metadata.untilMs) return this.#metadata.known;
    const known = this.#discover().catch((error: unknown) => {
      this.#metadata = { known, untilMs: performance.now() + FAILED_MS };
      // While the provider is only unreachable, the cached configuration stays in use.
      if (this.#lastKnown !== undefined) return this.#lastKnown;
      throw unavailable(this.provider, error);
    });
    this.#metadata = { known, untilMs: now + METADATA_MS };
    return known;
  }

  /** The address for a log-in. @param otherAccount - lets the user choose another account. */
  async authorizationUrl({ state, nonce, verifier }: Checks, otherAccount: boolean): Promise<string> {
    const metadata = await this.metadata();
    const parameters: Record<string, string> = {
      redirect_uri: this.#options.redirect,
      scope: this.provider.scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    if (otherAccount) parameters["prompt"] = promptOf(metadata);
    return oidc.buildAuthorizationUrl(this.#configuration(metadata), parameters).href;
  }

  /**
   * Exchanges a code and checks its ID token.
   *
   * @param search - the query of the address that the provider redirected to.
   * @throws GatewayError `login_refused`, `login_expired`, `invalid_id_token`, `sso_failed` or `sso_unavailable`.
   */
  async exchange(search: string, { state, nonce, verifier }: Checks): Promise<Vouched> {
    const metadata = await this.metadata();
    const url = new URL(this.#options.redirect);
    url.search = search;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    try {
      const config = this.#configuration(metadata);
      const tokens = await oidc.authorizationCodeGrant(config, url, checks).catch((error: unknown) => {
        const again = this.#withSecretInBody(metadata, error);
        if (again === undefined) throw error;
        return oidc.authorizationCodeGrant(again, url, checks).finally(() => this.#keepKeys(again));
      });
      this.#keepKeys(config);
      const inToken = tokens.claims()!;
      const claims = saysTooLittle(this.provider, inToken)
        ? joined(inToken, await this.#userInfo(config, metadata, tokens.access_token, inToken.sub))
        : inToken;
      const idToken = tokens.id_token!;
      return { issuer: inToken.iss, claims, idToken: idToken.length > ID_TOKEN_CHARS_MAX ? null : idToken };
    } catch (error) {
      this.#keys = undefined; // a provider may have reused the old key's name for another key
      throw asLoginError(this.provider, error);
    }
  }

  /** The address for a log-out at the provider; undefined if it has none, or is unreachable. */
  async endSessionUrl(idToken: string | null, returnTo: string): Promise<string | undefined> {
    const metadata = await this.metadata().catch(() => undefined);
    if (metadata?.end_session_endpoint === undefined) return undefined;
    const hint: Record<string, string> = idToken === null ? {} : { id_token_hint: idToken };
    const parameters = { post_logout_redirect_uri: returnTo, ...hint };
    return oidc.buildEndSessionUrl(this.#configuration(metadata), parameters).href;
  }

  async #discover(): Promise<oidc.ServerMetadata> {
    const found = await oidc.discovery(new URL(this.provider.issuer), this.provider.clientId, undefined, oidc.None(), {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: this.#options.fetch,
      ...(this.#isOnThisMachine && { execute: [oidc.allowInsecureRequests] }),
    });
    const { supportsPKCE: _, ...metadata } = found.serverMetadata();
    this.#lastKnown = metadata;
    return metadata;
  }

  get #isOnThisMachine(): boolean {
    return isThisMachine(new URL(this.provider.issuer).hostname);
  }

  /** For one log-in: the library caches keys in it, and fetches an unknown one only if they are not quite new. */
  #configuration(metadata: oidc.ServerMetadata): oidc.Configuration {
    const { clientId } = this.provider;
    const tolerance = { [oidc.clockTolerance]: SKEW_SECONDS };
    const config = new oidc.Configuration(metadata, clientId, tolerance, this.#authentication(metadata));
    config.timeout = TIMEOUT_SECONDS;
    config[oidc.customFetch] = this.#options.fetch;
    oidc.enableNonRepudiationChecks(config); // otherwise the library would trust TLS in place of the token's signature
    if (this.#isOnThisMachine) oidc.allowInsecureRequests(config);
    if (this.#keys !== undefined && performance.now() - this.#keys.fetchedMs < KEYS_MS) {
      const uat = Math.floor(Date.now() / 1_000) - KEYS_STALE_SECONDS;
      oidc.setJwksCache(config, { jwks: this.#keys.jwks, uat });
    }
    return config;
  }

  #keepKeys(config: oidc.Configuration): void {
    const used = oidc.getJwksCache(config);
    if (used === undefined) return;
    const isNew = Math.floor(Date.now() / 1_000) - used.uat < KEYS_STALE_SECONDS - 1;
    if (isNew) this.#keys = { jwks: used.jwks, fetchedMs: performance.now() };
  }

  #authentication(metadata: oidc.ServerMetadata): oidc.ClientAuth {
    const secret = this.#options.secret();
    if (secret === undefined) return oidc.None();
    // The default of OpenID Connect Discovery.
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = metadata;
    const inBody = this.#secretInBody || !methods.includes("client_secret_basic");
    return inBody ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
  }

  /** A provider may support both methods, but accept only one for this client. */
  #withSecretInBody(metadata: oidc.ServerMetadata, error: unknown): oidc.Configuration | undefined {
    const isRefused = error instanceof oidc.ResponseBodyError && error.error === "invalid_client";
    const isChallenged = error instanceof oidc.WWWAuthenticateChallengeError;
    const takesIt = metadata.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true;
    if (this.#secretInBody || this.provider.clientSecret === null || !takesIt || !(isRefused || isChallenged))
      return undefined;
    this.#secretInBody = true;
    return this.#configuration(metadata);
  }

  async #userInfo(
    config: oidc.Configuration,
    metadata: oidc.ServerMetadata,
    accessToken: string,
    subject: string,
  ): Promise<Claims> {
    if (metadata.userinfo_endpoint === undefined) return {};
    return oidc.fetchUserInfo(config, accessToken, subject);
  }
}

/** Merges the ID token with userinfo. `email_verified` is taken from the same source as the address. */
function joined(inToken: Claims, besides: Claims): Claims {
  if (inToken["email"] !== undefined) return { ...besides, ...inToken };
  const { email, email_verified, xms_edov } = besides;
  return { ...besides, ...inToken, email, email_verified, xms_edov };
}

/** The prompt for another account: choosing one, or logging in again. */
function promptOf({ issuer, prompt_values_supported: values }: oidc.ServerMetadata): string {
  const chooses = Array.isArray(values)
    ? values.includes("select_account")
    : /google|microsoft/.test(new URL(issuer).hostname);
  return chooses ? "select_account" : "login";
}

import * as oidc from "openid-client";
import type { Claims } from "./claims.ts";
import { saysTooLittle } from "./person.ts";
import { isThisMachine, type SsoProvider } from "./provider.ts";
import { asLoginError, unavailable } from "./why.ts";

const TIMEOUT_SECONDS = 10;
const SKEW_SECONDS = 60;
/** How long what a provider says of itself, and its keys, are used before they are asked for again. */
const METADATA_MS = 3_600_000;
const KEYS_MS = 300_000;
/** A provider that does not answer is not asked again at once. */
const FAILED_MS = 5_000;
/** Age from which `openid-client` fetches the keys again where it does not know the one of a token. */
const KEYS_STALE_SECONDS = 61;
/** A longer token is not kept: it would not fit into the address of the log-out. */
const ID_TOKEN_CHARS_MAX = 6_000;

export interface SsoClientOptions {
  /** Where the provider sends people back to. */
  readonly redirect: string;
  readonly secret: () => string | undefined;
  readonly fetch: oidc.CustomFetch;
}

/** What belongs to one log-in, and is checked when the provider sends its user back. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** What came of a log-in: all of the ID token has been checked. */
export interface Vouched {
  readonly issuer: string;
  readonly claims: Claims;
  /** Null where it is too long to be kept. */
  readonly idToken: string | null;
}

/** One provider of single sign-on, by the authorization code flow with PKCE. */
export class SsoClient {
  readonly provider: SsoProvider;
  readonly #options: SsoClientOptions;
  #metadata: { readonly known: Promise<oidc.ServerMetadata>; readonly untilMs: number } | undefined;
  #lastKnown: oidc.ServerMetadata | undefined;
  #keys: { readonly jwks: oidc.ExportedJWKSCache["jwks"]; readonly fetchedMs: number } | undefined;
  /** Once it was seen that the provider takes the secret in the body alone. */
  #secretInBody = false;

  constructor(provider: SsoProvider, options: SsoClientOptions) {
    this.provider = provider;
    this.#options = options;
  }

  /** What the provider says of itself. @throws GatewayError `sso_unavailable` where it does not answer. */
  metadata(): Promise<oidc.ServerMetadata> {
    const now = performance.now();
    if (this.#metadata !== undefined && now < this.#metadata.untilMs) return this.#metadata.known;
    const known = this.#discover().catch((error: unknown) => {
      this.#metadata = { known, untilMs: performance.now() + FAILED_MS };
      // What it said before will do, as long as it is only away.
      if (this.#lastKnown !== undefined) return this.#lastKnown;
      throw unavailable(this.provider, error);
    });
    this.#metadata = { known, untilMs: now + METADATA_MS };
    return known;
  }

  /** Where somebody is sent to log in. @param otherAccount - asks the provider to let them choose another account. */
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
   * Gets and checks the ID token of a code.
   *
   * @param search - of the address that the provider sent its user back to.
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
      this.#keys = undefined; // a provider may have given another key the old one's name
      throw asLoginError(this.provider, error);
    }
  }

  /** Where somebody is sent to log out at the provider as well; undefined where it has no such address, or is away. */
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

  /** For one log-in: the library keeps keys in it, and looks for an unknown one only where they are not quite new. */
  #configuration(metadata: oidc.ServerMetadata): oidc.Configuration {
    const { clientId } = this.provider;
    const tolerance = { [oidc.clockTolerance]: SKEW_SECONDS };
    const config = new oidc.Configuration(metadata, clientId, tolerance, this.#authentication(metadata));
    config.timeout = TIMEOUT_SECONDS;
    config[oidc.customFetch] = this.#options.fetch;
    oidc.enableNonRepudiationChecks(config); // else the way that a token came by, TLS, would stand for its signature
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
    // What a provider takes that does not say, by OpenID Connect Discovery.
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = metadata;
    const inBody = this.#secretInBody || !methods.includes("client_secret_basic");
    return inBody ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
  }

  /** A provider may take both ways, but only one of them for this client. */
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

/** The ID token counts, and what is said besides. Whether an address is verified is said where the address is. */
function joined(inToken: Claims, besides: Claims): Claims {
  if (inToken["email"] !== undefined) return { ...besides, ...inToken };
  const { email, email_verified, xms_edov } = besides;
  return { ...besides, ...inToken, email, email_verified, xms_edov };
}

/** How a provider is asked for another account: by choosing one, or by logging in again. */
function promptOf({ issuer, prompt_values_supported: values }: oidc.ServerMetadata): string {
  const chooses = Array.isArray(values)
    ? values.includes("select_account")
    : /google|microsoft/.test(new URL(issuer).hostname);
  return chooses ? "select_account" : "login";
}

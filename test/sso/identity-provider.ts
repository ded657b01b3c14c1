import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from "jose";
import Provider from "oidc-provider";

type Claims = Record<string, unknown>;

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

interface IdentityProviderOptions {
  readonly redirects: readonly string[];
  readonly afterLogout?: readonly string[];
  /** Whether claims stand in the ID token, or only in the response of the userinfo endpoint. */
  readonly thin?: boolean;
  readonly clientAuth?: "client_secret_basic" | "client_secret_post" | "none";
}

export const CLIENT_ID = "weir";
export const CLIENT_SECRET = "a secret: with / and % in it, of the tests";

/**
 * The real `oidc-provider` on loopback. Before it stands a server that passes everything on and signs ID tokens with keys of
 * its own, so that a test can change what is in them.
 */
export class IdentityProvider implements AsyncDisposable {
  readonly issuer: string;
  /** What is said of each account; its name is the subject. */
  readonly accounts = new Map<string, Claims>();
  /** Who logs in next, where the provider has to ask. */
  account = "ada";
  /** Changes an ID token before it is signed. */
  tamper: ((claims: Claims) => Claims) | undefined;
  /** Signs with something else than the key that is published. */
  sign: ((claims: Claims) => Promise<string>) | undefined;
  /** Every request gets this status. */
  down: number | undefined;
  /** Paths that were requested. */
  readonly calls: string[] = [];
  readonly #server: http.Server;
  #key: SigningKey;

  private constructor(server: http.Server, issuer: string, key: SigningKey) {
    this.#server = server;
    this.issuer = issuer;
    this.#key = key;
  }

  static async start(options: IdentityProviderOptions): Promise<IdentityProvider> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const key = await newKey("1");
    const it = new IdentityProvider(server, issuer, key);
    const jwks = { keys: [{ ...(await exportJWK(key.privateKey)), kid: "1", alg: "RS256", use: "sig" }] };
    const provider = new Provider(issuer, { ...configurationOf(it, options), jwks });
    const serve = provider.callback();
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const path = new URL(request.url!, issuer).pathname;
      it.calls.push(path);
      if (it.down !== undefined) return void response.writeHead(it.down).end();
      if (path === "/jwks")
        return void response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [it.#key.jwk] }));
      if (path.startsWith("/interaction/")) return void it.#interact(provider, request, response);
      if (path === "/token") it.#signAnew(response);
      serve(request, response);
    });
    return it;
  }

  /** The key is another one from now on. */
  async rotate(name = (before: string) => String(Number(before) + 1)): Promise<void> {
    this.#key = await newKey(name(this.#key.jwk.kid!));
  }

  /** Signed by this provider's key. */
  signed(claims: Claims, header: Claims = {}): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: this.#key.jwk.kid!, ...header })
      .sign(this.#key.privateKey);
  }

  /** With the algorithm `none`. */
  async unsigned(claims: Claims): Promise<string> {
    return new UnsecuredJWT(claims).encode();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Logs the account in and consents, without asking anybody. */
  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === "login")
      return provider.interactionFinished(request, response, { login: { accountId: this.account } });
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  /** Replaces the ID token in the response of the token endpoint. */
  #signAnew(response: ServerResponse): void {
    const end = response.end.bind(response) as (text: string) => ServerResponse;
    response.end = ((text: unknown) => {
      const tokens = JSON.parse(String(text)) as { id_token?: string };
      if (tokens.id_token === undefined) return end(String(text));
      const claims = decodeJwt(tokens.id_token) as Claims;
      const changed = this.tamper?.(claims) ?? claims;
      void (this.sign?.(changed) ?? this.signed(changed)).then((id_token) => {
        const whole = JSON.stringify({ ...tokens, id_token });
        response.setHeader("content-length", Buffer.byteLength(whole));
        end(whole);
      });
      return response;
    }) as ServerResponse["end"];
  }
}

function configurationOf(it: IdentityProvider, options: IdentityProviderOptions): object {
  const { redirects, afterLogout = [], thin = false, clientAuth = "client_secret_basic" } = options;
  const isPublic = clientAuth === "none";
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        ...(!isPublic && { client_secret: CLIENT_SECRET }),
        token_endpoint_auth_method: clientAuth,
        redirect_uris: redirects,
        post_logout_redirect_uris: afterLogout,
      },
    ],
    scopes: ["openid", "profile", "email", "groups"],
    claims: {
      openid: ["sub", "_claim_names", "hasgroups", "department", "xms_edov", "realm_access"],
      profile: ["name"],
      email: ["email", "email_verified"],
      groups: ["groups"],
    },
    conformIdTokenClaims: thin,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ["of the tests"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...it.accounts.get(accountId) }),
    }),
  };
}

async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } };
}

import type { Config } from "../../../config.ts";
import { trustedAuthorities } from "../../../egress/authorities.ts";
import { GatewayError } from "../../../errors.ts";
import { trustingFetch } from "../../../runtime/http/trusting-fetch.ts";
import { SsoClient } from "../../../sso/client.ts";
import { publicOrigin, redirectAddress, secretOf, ssoProviders } from "../../../sso/provider.ts";

/** The identity providers of this listener, by their names; empty without a public address. */
export class Sso {
  readonly #clients: ReadonlyMap<string, SsoClient>;

  constructor(config: Config, secrets: Readonly<Record<string, string>>) {
    const providers = publicOrigin(config) === "" ? [] : ssoProviders(config);
    const call = trustingFetch(trustedAuthorities(config.extra_ca_file));
    this.#clients = new Map(
      providers.map((provider) => {
        const redirect = redirectAddress(config, provider.name);
        const secret = () => secretOf(provider, secrets);
        return [provider.name, new SsoClient(provider, { redirect, secret, fetch: call })];
      }),
    );
  }

  /** How `GET /v1/login` lists them. */
  get methods() {
    return [...this.#clients.values()].map(({ provider: { name, label } }) => {
      return { kind: "oidc", name, label, start: `/v1/login/${name}` };
    });
  }

  /** @throws GatewayError `not_found`. */
  client(name: string): SsoClient {
    const client = this.#clients.get(name);
    if (client === undefined) throw new GatewayError("not_found", "there is no single sign-on with this name");
    return client;
  }

  /** The address for a log-out at the provider of the log-in; undefined if none is needed. */
  async endSessionUrl(name: string, idToken: string | null, returnTo: string): Promise<string | undefined> {
    const client = this.#clients.get(name);
    return client?.provider.endSession ? client.endSessionUrl(idToken, returnTo) : undefined;
  }
}

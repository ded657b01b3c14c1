import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { Credential } from "../routing/credential.ts";
import { CUSTOM } from "../routing/custom.ts";
import { modelListOf } from "../routing/endpoint.ts";
import type { RoutingTables } from "../routing/tables.ts";
import type { CredentialOfOrganization } from "../threads.ts";
import { createCredentialCalls } from "../unified/credential-calls.ts";
import { type CredentialTest, testCredential } from "../unified/test-credential.ts";

interface CredentialTestsOptions {
  readonly config: Config;
  readonly tables: () => RoutingTables;
  readonly providerByName: (name: string) => ProviderPlugin | undefined;
  readonly ownPorts: () => ReadonlySet<number>;
}

/** Tests credentials at their providers, in the thread that has their secrets. */
export interface CredentialTests {
  /** @throws GatewayError `not_found`. */
  test(wanted: CredentialOfOrganization): Promise<CredentialTest>;
  /** The provider's list of models; undefined if it lists none, or is not loaded. */
  list(credential: Credential): Promise<CredentialTest | undefined>;
  close(): void;
}

export function createCredentialTests(options: CredentialTestsOptions): CredentialTests {
  const calls = createCredentialCalls(options.config, options.ownPorts);
  const providerOf = (name: string) => (name === CUSTOM.name ? CUSTOM : options.providerByName(name));
  const ask = (provider: ProviderPlugin, credential: Credential, model: string | undefined) =>
    testCredential({ provider, credential, model }, (request) => calls.call(request, credential.private));
  return {
    async test({ organizationId, name, model }) {
      // Credentials of weir.toml precede stored ones of the same name.
      const credential = options
        .tables()
        .credentials.find((each) => each.name === name && ["", organizationId].includes(each.organizationId));
      const provider = credential && providerOf(credential.provider);
      if (credential === undefined || provider === undefined)
        throw new GatewayError("not_found", "there is no such credential, or its provider is not loaded");
      return ask(provider, credential, model);
    },
    async list(credential) {
      const provider = providerOf(credential.provider);
      if (provider === undefined || modelListOf(provider, credential) === undefined) return undefined;
      return ask(provider, credential, undefined);
    },
    close: () => calls.close(),
  };
}

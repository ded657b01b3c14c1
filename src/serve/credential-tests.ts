import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import type { ProviderPlugin } from "../plugin/contract.ts";
import { CUSTOM } from "../routing/custom.ts";
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

/** Tries credentials at their providers, in the thread that has their secrets. */
export interface CredentialTests {
  /** @throws GatewayError `not_found`. */
  test(wanted: CredentialOfOrganization): Promise<CredentialTest>;
  close(): void;
}

export function createCredentialTests(options: CredentialTestsOptions): CredentialTests {
  const calls = createCredentialCalls(options.config, options.ownPorts);
  return {
    async test({ organizationId, name, model }) {
      // Those of weir.toml go before stored ones of the same name.
      const credential = options
        .tables()
        .credentials.find((each) => each.name === name && ["", organizationId].includes(each.organizationId));
      const provider =
        credential?.provider === CUSTOM.name ? CUSTOM : options.providerByName(credential?.provider ?? "");
      if (credential === undefined || provider === undefined)
        throw new GatewayError("not_found", "there is no such credential, or its provider is not loaded");
      return testCredential({ provider, credential, model }, (request) => calls.call(request, credential.private));
    },
    close: () => calls.close(),
  };
}

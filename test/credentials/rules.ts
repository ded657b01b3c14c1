import { knownProviders } from "../../src/credentials/form.ts";
import type { CredentialRules } from "../../src/credentials/read-credential.ts";
import { loadFolders, pluginFolders } from "../../src/plugin-host/files/load.ts";
import { buildRegistry } from "../../src/plugin-host/providers/registry.ts";
import { credentialGuards } from "../../src/store/credentials/guards.ts";
import { ownDirectory } from "../store/open.ts";

using directory = ownDirectory();
const { config } = directory;
const { providers } = buildRegistry(await loadFolders("provider", pluginFolders("provider", config)));

/** Rules with the built-in providers; the gateway listens at port 8787. */
export function rulesOf(operator = true): CredentialRules {
  return { providers: knownProviders(providers), operator, refuseUrl: credentialGuards(config, [8787]) };
}

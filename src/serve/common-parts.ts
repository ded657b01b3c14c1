import type { GatewayOptions } from "../gateway/start.ts";
import type { KeySnapshot } from "../keys.ts";
import type { LiveHooks, LiveRegistry } from "../plugin-host/live.ts";
import type { CredentialTests } from "./credential-tests.ts";
import type { Vault } from "./vault.ts";

/** What the regions of a process have in common. */
export interface CommonParts
  extends Pick<GatewayOptions, "keys" | "privateTargets" | "claimId" | "chosenIds" | "otherPorts" | "limits"> {
  readonly registry: LiveRegistry;
  readonly hooks: LiveHooks;
  readonly vault: Vault;
  readonly credentialTests: CredentialTests;
  /** Of identity providers, by their names. */
  readonly ssoSecrets: Readonly<Record<string, string>>;
  /** Called with all keys whenever they have changed. */
  readonly onKeys: (keys: readonly KeySnapshot[]) => void;
}

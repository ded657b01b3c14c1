import type { GatewayOptions } from "../gateway/gateway.ts";
import type { KeySnapshot } from "../keys.ts";
import type { LiveHooks, LiveRegistry } from "../plugin-host/live.ts";
import type { CredentialTests } from "./credential-tests.ts";
import type { Vault } from "./vault.ts";

/** What the regions of a process share. */
export interface CommonParts
  extends Pick<GatewayOptions, "keys" | "privateTargets" | "claimId" | "chosenIds" | "otherPorts" | "limits"> {
  readonly registry: LiveRegistry;
  readonly hooks: LiveHooks;
  readonly vault: Vault;
  readonly credentialTests: CredentialTests;
  /** Secrets of identity providers, by the provider's name. */
  readonly ssoSecrets: Readonly<Record<string, string>>;
  /** Called with all keys whenever they change. */
  readonly onKeys: (keys: readonly KeySnapshot[]) => void;
}

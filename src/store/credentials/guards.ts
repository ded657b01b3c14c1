import type { Config } from "../../config.ts";
import type { CredentialRules } from "../../credentials/read-credential.ts";
import { createCallGuard, refuseUrl } from "../../egress/call-guard.ts";
import { PrivateGuard } from "../../egress/private-guard.ts";

/**
 * Which URLs a credential may point to. Host names are resolved and checked again when it is used.
 *
 * @param ownPorts - ports of this process's own listeners.
 */
export function credentialGuards(config: Config, ownPorts: readonly number[]): CredentialRules["refuseUrl"] {
  const ports = new Set(ownPorts);
  const usual = createCallGuard(config, () => ports);
  const open = new PrivateGuard(() => ports);
  return (url, isPrivate) => refuseUrl(isPrivate ? open : usual, url.href);
}

import type { Config } from "../../config.ts";
import { createCallGuard, refuseUrl } from "../../egress/call-guard.ts";
import type { ChannelChecks } from "./channels.ts";

/**
 * Which notifications this deployment may send. Host names are resolved and checked again when something is sent.
 *
 * @param ownPorts - ports of this process's own listeners.
 */
export function channelChecks(config: Config, ownPorts: readonly number[]): ChannelChecks {
  const ports = new Set(ownPorts);
  const guard = createCallGuard(config, () => ports);
  return { refuseUrl: (url) => refuseUrl(guard, url), canMail: config.smtp_url !== "" };
}

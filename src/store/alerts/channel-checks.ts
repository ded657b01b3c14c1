import type { Config } from "../../config.ts";
import { createCallGuard, refuseUrl } from "../../egress/call-guard.ts";
import type { ChannelChecks } from "./channels.ts";

/**
 * What may be told to whom here. Names are looked up when something is sent, and judged again then.
 *
 * @param ownPorts - of this program's own listeners.
 */
export function channelChecks(config: Config, ownPorts: readonly number[]): ChannelChecks {
  const ports = new Set(ownPorts);
  const guard = createCallGuard(config, () => ports);
  return { refuseUrl: (url) => refuseUrl(guard, url), canMail: config.smtp_url !== "" };
}

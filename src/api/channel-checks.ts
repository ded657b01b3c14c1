import { createCallGuard, refuseUrl } from "../net/call-guard.ts";
import type { ChannelChecks } from "../store/alert-rule.ts";
import type { ApiRoom } from "./room.ts";

/** What may be told to whom here. Names are looked up when something is sent, and judged again then. */
export function channelChecks({ config, ownPorts }: ApiRoom): ChannelChecks {
  const ports = new Set(ownPorts);
  const guard = createCallGuard(config, () => ports);
  return { refuseUrl: (url) => refuseUrl(guard, url), canMail: config.smtp_url !== "" };
}

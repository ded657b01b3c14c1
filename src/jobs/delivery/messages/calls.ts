import type { Json } from "../../../plugin-host/contract.ts";
import type { Channel } from "../../../store/alerts/channels.ts";
import { discordMessage } from "./discord.ts";
import { messageOf } from "./event.ts";
import { opsgenieCalls } from "./opsgenie.ts";
import { pagerDutyEvents } from "./pagerduty.ts";
import { slackMessage } from "./slack.ts";
import { teamsMessage } from "./teams.ts";

/** One POST of JSON. */
interface Call {
  readonly url: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A channel whose service has a message format of its own. */
export type ServiceChannel = Exclude<Channel, { type: "webhook" | "email" }>;

/** The calls to a service for an event, in this order. @param payload - as `alertPayload` makes it. */
export function callsOf(channel: ServiceChannel, payload: Json): readonly Call[] {
  const message = messageOf(payload);
  switch (channel.type) {
    case "slack":
      return [{ url: channel.url, body: slackMessage(message) }];
    case "teams":
      return [{ url: channel.url, body: teamsMessage(message) }];
    case "discord":
      return [{ url: channel.url, body: discordMessage(message) }];
    case "pagerduty":
      return pagerDutyEvents(message, channel).map((body) => ({ url: channel.url, body }));
    case "opsgenie": {
      const headers = { Authorization: `GenieKey ${channel.api_key}` };
      return opsgenieCalls(message, channel).map((call) => ({ ...call, headers }));
    }
  }
}

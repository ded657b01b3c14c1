import { type TProperties, Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { createSecret, readSecret } from "../deliveries/signing.ts";

/** Services with their own message format, whose URL is all that is needed to post there. */
const CHATS = ["slack", "teams", "discord"] as const;
const SEVERITIES = ["critical", "error", "warning", "info"] as const;
const PRIORITIES = ["P1", "P2", "P3", "P4", "P5"] as const;
const PAGERDUTY_URL = "https://events.pagerduty.com/v2/enqueue";
const OPSGENIE_URL = "https://api.opsgenie.com/v2/alerts";

/** A stored channel; its deliveries refer to its id. */
export type Channel = { readonly id: string } & (
  | { readonly type: "webhook"; readonly url: string; readonly secret: string }
  | { readonly type: "email"; readonly to: string }
  | { readonly type: (typeof CHATS)[number]; readonly url: string }
  | { readonly type: "pagerduty"; readonly routing_key: string; readonly severity: string; readonly url: string }
  | { readonly type: "opsgenie"; readonly api_key: string; readonly priority: string; readonly url: string }
);
type ChannelType = Channel["type"];

/** As received: secrets may be missing when `id` names an existing channel that has them. */
export interface ChannelBody {
  readonly id?: string;
  readonly type: ChannelType;
  readonly url?: string;
  readonly to?: string;
  readonly secret?: string;
  readonly routing_key?: string;
  readonly severity?: string;
  readonly api_key?: string;
  readonly priority?: string;
}

/** Checks of a channel that differ between deployments. */
export interface ChannelChecks {
  /** Why a URL may not be called; undefined when it may. */
  readonly refuseUrl: (url: string) => string | undefined;
  readonly canMail: boolean;
}

const url = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }));
const oneOf = (names: readonly string[], description: string) =>
  Type.Optional(Type.String({ description: `${names.join(", ")}. ${description}` }));

interface ChannelKind {
  readonly members: TProperties;
  /** The field with the target of the channel; required, unless an existing channel has it. */
  readonly target: "url" | "to" | "routing_key" | "api_key";
  /** Whether `target` is a credential for posting. Such a field is stored and used but never shown. */
  readonly isSecret: boolean;
}

/** Whether the addresses of webhooks, which often contain a secret, are shown whole. Those of chats never are. */
export type Addresses = "whole" | "shortened";

const chat = (whose: string): ChannelKind => ({
  members: { url: url(`The address of ${whose}. It is never shown again.`) },
  target: "url",
  isSecret: true,
});

/** Every channel type: the schema, the documentation and the hidden fields come from this table. */
export const CHANNELS: Readonly<Record<ChannelType, ChannelKind>> = {
  webhook: {
    members: {
      url: url("http(s) address that events are posted to."),
      secret: Type.Optional(
        Type.String({ description: "Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none." }),
      ),
    },
    target: "url",
    isSecret: false,
  },
  email: {
    members: { to: Type.Optional(Type.String({ minLength: 3, maxLength: 320, description: "One address." })) },
    target: "to",
    isSecret: false,
  },
  slack: chat("an incoming webhook of Slack"),
  teams: chat("a Microsoft Teams workflow that starts when a webhook request is received"),
  discord: chat("a webhook of a Discord channel"),
  pagerduty: {
    members: {
      routing_key: Type.Optional(
        Type.String({ description: "Integration key of the Events API v2, 32 characters. It is never shown again." }),
      ),
      severity: oneOf(SEVERITIES, "Default: error."),
      url: url("Default: PagerDuty's own address for events."),
    },
    target: "routing_key",
    isSecret: true,
  },
  opsgenie: {
    members: {
      api_key: Type.Optional(
        Type.String({ maxLength: 200, description: "Key of an API integration. It is never shown again." }),
      ),
      priority: oneOf(PRIORITIES, "Default: P3."),
      url: url("Default: Opsgenie's own address for alerts."),
    },
    target: "api_key",
    isSecret: true,
  },
};
const TYPES = Object.keys(CHANNELS) as ChannelType[];

/** A response has `address` instead of secrets; clients may send back what they received. */
const COMMON = {
  id: Type.Optional(Type.String({ description: "Of a channel that is there: it keeps what is secret of it." })),
  address: Type.Optional(Type.String({ description: "Where it goes, shortened. Only in responses." })),
};

export const CHANNEL_SCHEMA = Type.Unsafe<ChannelBody>(
  Type.Union(
    TYPES.map((type) =>
      Type.Object({ ...COMMON, type: Type.Literal(type), ...CHANNELS[type].members }, { additionalProperties: false }),
    ),
    {
      expects: `a {"type": "webhook", "url"} or {"type": "email", "to"}, or a channel of type ${TYPES.slice(2).join(", ")}`,
    },
  ),
);

/** @throws GatewayError `invalid_body` that names the field with an unusable target. */
export function checkChannels(channels: readonly ChannelBody[], checks: ChannelChecks): void {
  for (const [index, channel] of channels.entries()) {
    const path = `channels.${index}`;
    checkChannel(channel, path, checks);
    const target = targetOf(channel);
    const twice = target !== undefined && channels.findIndex((other) => targetOf(other) === target) < index;
    if (twice) throw wrong(path, `${CHANNELS[channel.type].isSecret ? "its address" : target} is given twice`);
  }
}

const targetOf = (channel: ChannelBody) => channel[CHANNELS[channel.type].target];

function checkChannel(channel: ChannelBody, path: string, { refuseUrl, canMail }: ChannelChecks): void {
  const { type, url: address, routing_key, api_key, severity = "error", priority = "P3" } = channel;
  const { target } = CHANNELS[type];
  if (targetOf(channel) === undefined && channel.id === undefined) {
    throw wrong(`${path}.${target}`, `a channel of type ${type} needs ${target}`);
  }
  if (address !== undefined) checkUrl(address, `${path}.url`, refuseUrl);
  if (channel.secret !== undefined) readSecret(channel.secret, `${path}.secret`);
  if (routing_key !== undefined && !/^[A-Za-z0-9]{32}$/.test(routing_key)) {
    throw wrong(`${path}.routing_key`, "an integration key of PagerDuty's Events API v2 has 32 letters and digits");
  }
  if (api_key !== undefined && !/^[\x21-\x7e]{8,}$/.test(api_key)) {
    throw wrong(`${path}.api_key`, "give the key of an Opsgenie API integration, without spaces");
  }
  for (const [name, value, known] of [
    ["severity", severity, SEVERITIES],
    ["priority", priority, PRIORITIES],
  ] as const) {
    if (!(known as readonly string[]).includes(value)) {
      throw wrong(`${path}.${name}`, `${quote(value)} is no ${name}; ${hint(value, known)}`);
    }
  }
  if (type !== "email") return;
  if (!canMail) throw wrong(`${path}.type`, "e-mail is not configured: set WEIR_SMTP_URL and WEIR_SMTP_FROM");
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(channel.to ?? "")) {
    throw wrong(`${path}.to`, "give one e-mail address, such as ops@example.com");
  }
}

/** @throws GatewayError `invalid_body` when nothing may be posted to the URL. */
export function checkUrl(text: string, path: string, refuseUrl: ChannelChecks["refuseUrl"]): void {
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw wrong(path, "give an http:// or https:// address");
  if (parsed.username !== "" || parsed.password !== "") {
    throw wrong(path, "an address with a password in it would be shown");
  }
  const refused = refuseUrl(text);
  if (refused !== undefined) throw wrong(path, refused);
}

/**
 * Converts a channel for storage. An existing channel keeps its id and secrets.
 *
 * @param newSecrets - receives the ids of webhooks with a new signing secret: the caller shows those once.
 * @throws GatewayError `invalid_body` when a secret is missing and no existing channel has it.
 */
export function toChannel(
  wanted: ChannelBody,
  path: string,
  known: readonly Channel[],
  newSecrets: Set<string>,
): Channel {
  const { type } = wanted;
  const { target } = CHANNELS[type];
  const given = targetOf(wanted);
  const old = known.find(
    (each) => each.type === type && (given === undefined ? each.id === wanted.id : targetOf(each) === given),
  );
  const id = old?.id ?? uuidv7();
  const to = given ?? (old && targetOf(old));
  if (to === undefined) {
    throw wrong(`${path}.${target}`, `there is no channel ${wanted.id} of type ${type}; give its ${target}`);
  }
  // A stored key must not be sent to a new URL that the caller chose.
  if (given === undefined && target !== "url" && old && "url" in old && (wanted.url ?? old.url) !== old.url) {
    throw wrong(`${path}.${target}`, `give ${target} again, because the address has changed`);
  }
  switch (type) {
    case "email":
      return { id, type, to };
    case "pagerduty":
      return { id, type, routing_key: to, severity: wanted.severity ?? "error", url: wanted.url ?? PAGERDUTY_URL };
    case "opsgenie":
      return { id, type, api_key: to, priority: wanted.priority ?? "P3", url: wanted.url ?? OPSGENIE_URL };
    case "webhook": {
      const kept = old?.type === "webhook" ? old.secret : undefined;
      const secret = wanted.secret ?? kept ?? createSecret();
      if (secret !== kept) newSecrets.add(id);
      return { id, type, url: to, secret };
    }
    default:
      return { id, type, url: to };
  }
}

/** The request body that would create this channel, without secrets. */
export function channelBody(channel: Channel): ChannelBody {
  const { target, isSecret } = CHANNELS[channel.type];
  return without(channel, isSecret ? ["secret", target] : ["secret"]);
}

/** A channel as the API shows it: a hidden target is shortened. */
export function shownChannel(channel: Channel, addresses: Addresses): ChannelBody & { address?: string } {
  const { target, isSecret } = CHANNELS[channel.type];
  if (!isSecret && !(addresses === "shortened" && target === "url")) return channelBody(channel);
  return { ...without(channel, ["secret", target]), address: shortened(channel) };
}

/** The target of a channel, shortened if it is a secret. */
export function shownAddress(channel: Channel): string {
  return CHANNELS[channel.type].isSecret ? shortened(channel) : String(targetOf(channel));
}

function shortened(channel: Channel): string {
  const text = String(targetOf(channel));
  return CHANNELS[channel.type].target === "url" ? `${new URL(text).origin}/…${text.slice(-4)}` : `…${text.slice(-4)}`;
}

function without(channel: Channel, hidden: readonly string[]): ChannelBody {
  return Object.fromEntries(
    Object.entries(channel).filter(([name]) => !hidden.includes(name)),
  ) as unknown as ChannelBody;
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}

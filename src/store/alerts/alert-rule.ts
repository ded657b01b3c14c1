import { type Static, Type } from "@sinclair/typebox";
import { GatewayError } from "../../errors.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { hint, quote } from "../../filter/hint.ts";
import type { Json } from "../../plugin/contract.ts";
import { readSecret } from "../deliveries/signing.ts";
import { readGroups } from "../figures/read-groups.ts";

/** Figures of `metrics` by name, and how a value is made of them; null where nothing was measured. */
type Figures = Readonly<Record<string, Json>>;

const figure = (name: string) => (row: Figures) => (typeof row[name] === "number" ? row[name] : null);
const share = (name: string) => (row: Figures) => (row["requests"] > 0 ? row[name] / row["requests"] : null);

/** What an alert can watch. A rate is a share from 0 to 1. */
export const ALERT_METRICS: Readonly<Record<string, (row: Figures) => number | null>> = {
  ...Object.fromEntries(
    [
      ...[
        "requests",
        "errors",
        "error_rate",
        "refused",
        "cache_hits",
        "cost",
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
      ],
      ...["latency_avg", "latency_p50", "latency_p90", "latency_p95", "latency_p99"],
    ].map((name) => [name, figure(name)]),
  ),
  refusal_rate: share("refused"),
  cache_hit_rate: share("cache_hits"),
};

const DAY_SECONDS = 86_400;
const CHANNELS_MAX = 10;

const name = { minLength: 1, maxLength: 200 };
const WEBHOOK_CHANNEL = Type.Object(
  {
    id: Type.Optional(Type.String()),
    type: Type.Literal("webhook"),
    url: Type.String({ minLength: 1, maxLength: 2_000, description: "http(s) address that events are posted to." }),
    secret: Type.Optional(
      Type.String({ description: "Signing secret, whsec_ and base64 of 24 to 64 bytes; made where there is none." }),
    ),
  },
  { additionalProperties: false },
);
const EMAIL_CHANNEL = Type.Object(
  {
    id: Type.Optional(Type.String()),
    type: Type.Literal("email"),
    to: Type.String({ minLength: 3, maxLength: 320, description: "One address." }),
  },
  { additionalProperties: false },
);

export const ALERT_SCHEMA = Type.Object(
  {
    name: Type.String(name),
    metric: Type.String({ description: `One of ${Object.keys(ALERT_METRICS).join(", ")}.` }),
    comparison: Type.String({ description: "above or below; the threshold itself is neither." }),
    threshold: Type.Number({ description: "Dollars, milliseconds, tokens or a count; a rate is a share from 0 to 1." }),
    window_seconds: Type.Integer({
      minimum: 10,
      maximum: 31 * DAY_SECONDS,
      description: "How far back the metric looks at every check.",
    }),
    filter: Type.Optional(Type.Unknown({ description: 'As in queries; "all" unless given.' })),
    group_by: Type.Optional(
      Type.Array(Type.String(), {
        description: "model, provider, user, status, outcome, session, property:<Name>: each value triggers by itself.",
      }),
    ),
    minimum_requests: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "With fewer in the window nothing triggers." }),
    ),
    cooldown_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31 * DAY_SECONDS,
        description: "How long the condition must be over before it is resolved; 300 unless given.",
      }),
    ),
    channels: Type.Optional(
      Type.Array(
        Type.Union([WEBHOOK_CHANNEL, EMAIL_CHANNEL], {
          expects: 'a {"type": "webhook", "url"} or {"type": "email", "to"}',
        }),
        {
          maxItems: CHANNELS_MAX,
          description: "Who is told; none is allowed.",
        },
      ),
    ),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** As it comes from outside. */
export type AlertBody = Static<typeof ALERT_SCHEMA>;
export type ChannelBody = Static<typeof WEBHOOK_CHANNEL> | Static<typeof EMAIL_CHANNEL>;

/** Checked and complete, but for what channels are given when they are stored. */
export type AlertRule = Omit<Required<AlertBody>, "comparison"> & { readonly comparison: "above" | "below" };

/** What a channel must be besides well-formed; both differ between deployments. */
export interface ChannelChecks {
  /** Why an address may not be called, or undefined. */
  readonly refuseUrl: (url: string) => string | undefined;
  readonly canMail: boolean;
}

/**
 * The rule in a body that has the right shape.
 *
 * @throws GatewayError `invalid_body` or `filter_invalid` that names the wrong member.
 */
export function readAlertRule(body: AlertBody, checks: ChannelChecks): AlertRule {
  const { metric, comparison, threshold, filter = "all", channels = [] } = body;
  const metrics = Object.keys(ALERT_METRICS);
  if (!metrics.includes(metric)) throw wrong("metric", `there is no metric ${quote(metric)}; ${hint(metric, metrics)}`);
  if (comparison !== "above" && comparison !== "below") {
    throw wrong("comparison", `${quote(comparison)} is no comparison; ${hint(comparison, ["above", "below"])}`);
  }
  if (!Number.isFinite(threshold)) throw wrong("threshold", "give a finite number");
  if (metric.endsWith("_rate") && (threshold < 0 || threshold > 1)) {
    throw wrong("threshold", `${metric} is a share: give a number from 0 to 1, such as 0.05 for 5 %`);
  }
  decodeFilter(filter, "legacy");
  for (const [index, channel] of channels.entries()) {
    checkChannel(channel, `channels.${index}`, checks);
    const twice = channels.findIndex((other) => addressOf(other) === addressOf(channel)) < index;
    if (twice) throw wrong(`channels.${index}`, `${addressOf(channel)} is given twice`);
  }
  return {
    name: body.name,
    metric,
    comparison,
    threshold,
    window_seconds: body.window_seconds,
    filter,
    group_by: [...readGroups(body.group_by ?? [])],
    minimum_requests: body.minimum_requests ?? 0,
    cooldown_seconds: body.cooldown_seconds ?? 300,
    channels,
    enabled: body.enabled ?? true,
  };
}

const addressOf = (channel: ChannelBody) => (channel.type === "webhook" ? channel.url : channel.to);

function checkChannel(channel: ChannelBody, path: string, { refuseUrl, canMail }: ChannelChecks): void {
  if (channel.type === "webhook") {
    checkUrl(channel.url, `${path}.url`, refuseUrl);
    if (channel.secret !== undefined) readSecret(channel.secret, `${path}.secret`);
    return;
  }
  if (!canMail) throw wrong(`${path}.type`, "no e-mail is sent here: WEIR_SMTP_URL and WEIR_SMTP_FROM are not set");
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(channel.to)) {
    throw wrong(`${path}.to`, "give one e-mail address, such as ops@example.com");
  }
}

/** @throws GatewayError `invalid_body` where nothing may be posted to an address. */
export function checkUrl(text: string, path: string, refuseUrl: ChannelChecks["refuseUrl"]): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrong(path, "give an http:// or https:// address");
  if (url.username !== "" || url.password !== "") throw wrong(path, "an address with a password in it would be shown");
  const refused = refuseUrl(text);
  if (refused !== undefined) throw wrong(path, refused);
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}

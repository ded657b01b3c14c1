import type { Command, Option } from "./command.ts";
import { JSON_OPTION, REGION_OPTION } from "./options.ts";

const WHERE: Readonly<Record<string, Option>> = {
  org: { type: "string", value: "ORG", description: "the organization (default: default)" },
  region: REGION_OPTION,
};

const text = (value: string, description: string): Option => ({ type: "string", value, description });
const texts = (value: string, description: string): Option => ({ ...text(value, description), multiple: true });

/** Commands about alerts, webhooks and retention. */
export const ALERT_COMMANDS: readonly Command[] = [
  {
    name: "alerts list",
    summary: "list the alerts, and which of them are firing",
    options: { json: JSON_OPTION, ...WHERE },
    load: async () => (await import("./alerts.ts")).listAlertsCommand,
  },
  {
    name: "alerts create",
    summary: "create an alert and print its id on stdout",
    options: {
      name: text("NAME", "its name"),
      metric: text("METRIC", "such as cost, errors, error_rate or latency_p95"),
      above: text("NUMBER", "fires while the metric is over this"),
      below: text("NUMBER", "fires while the metric is under this"),
      window: text("TIME", "how far back the metric looks: 90s, 15m, 12h or 7d (default: 5m)"),
      calendar: text("PERIOD", "day, week or month: the metric counts from its beginning, instead of --window"),
      "time-zone": text("ZONE", "time zone of the calendar, such as Europe/Berlin (default: UTC)"),
      filter: text("JSON", "a filter tree, as in queries"),
      "group-by": text("LIST", "of model, provider, user, status, session, property:NAME"),
      "minimum-requests": text("NUMBER", "with fewer in the window it does not trigger"),
      cooldown: text("TIME", "how long the condition must have ended before the alert is resolved (default: 5m)"),
      webhook: texts("URL", "posts to this address; its signing secret is printed on stderr, once"),
      email: texts("ADDRESS", "writes to this address"),
      slack: texts("URL", "posts to this incoming webhook of Slack"),
      teams: texts("URL", "posts to this workflow of Microsoft Teams"),
      discord: texts("URL", "posts to this webhook of Discord"),
      pagerduty: texts("KEY", "opens and resolves incidents with this integration key of the Events API v2"),
      opsgenie: texts("KEY", "opens and closes alerts with this key of an API integration"),
      json: { type: "boolean", description: "the complete alert, secrets included, as JSON on stdout" },
      ...WHERE,
    },
    load: async () => (await import("./alerts.ts")).createAlertCommand,
  },
  {
    name: "alerts delete",
    summary: "remove an alert with its history",
    args: ["<id>"],
    options: WHERE,
    load: async () => (await import("./alerts.ts")).deleteAlertCommand,
  },
  {
    name: "alerts history",
    summary: "list triggered and resolved events, the newest first",
    args: ["<id>"],
    options: { json: JSON_OPTION, limit: text("NUMBER", "at most this many (default: 100)"), ...WHERE },
    load: async () => (await import("./alerts.ts")).alertHistoryCommand,
  },
  {
    name: "alerts test",
    summary: "send a test alert to every channel",
    args: ["<id>"],
    options: { json: JSON_OPTION, ...WHERE },
    notes: ["Exits with status 1 if a channel rejects it."],
    load: async () => (await import("./alerts.ts")).testAlertCommand,
  },
  {
    name: "webhooks list",
    summary: "list the webhooks for finished requests",
    options: { json: JSON_OPTION, ...WHERE },
    load: async () => (await import("./webhooks.ts")).listWebhooksCommand,
  },
  {
    name: "webhooks add",
    summary: "send every finished request to an address, and print the webhook's id on stdout",
    args: ["<url>"],
    options: {
      name: text("NAME", "its name"),
      event: texts("EVENT", "request.finished or audit.entry (default: request.finished)"),
      property: texts("NAME[=VALUE]", "only requests with this property; with all of them if several are given"),
      "sample-rate": text("PERCENT", "only this share of the requests (default: 100)"),
      fields: text("LIST", "the record's fields to send, separated by commas"),
      "include-body": { type: "boolean", description: "sends the bodies as well, unless they are long" },
      "secret-file": text("FILE", "holds the signing secret; otherwise one is generated and printed on stderr, once"),
      disabled: { type: "boolean", description: "create it switched off" },
      json: { type: "boolean", description: "the complete webhook, its secret included, as JSON on stdout" },
      ...WHERE,
    },
    notes: ["A running service begins within two seconds."],
    load: async () => (await import("./webhooks.ts")).addWebhookCommand,
  },
  {
    name: "webhooks remove",
    summary: "remove a webhook with its pending deliveries",
    args: ["<id>"],
    options: WHERE,
    load: async () => (await import("./webhooks.ts")).removeWebhookCommand,
  },
  {
    name: "webhooks test",
    summary: "send a test to a webhook",
    args: ["<id>"],
    options: { json: JSON_OPTION, ...WHERE },
    notes: ["Exits with status 1 if the receiver rejects it."],
    load: async () => (await import("./webhooks.ts")).testWebhookCommand,
  },
  {
    name: "webhooks deliveries",
    summary: "list the deliveries of a webhook and their results, the newest first",
    args: ["<id>"],
    options: { json: JSON_OPTION, limit: text("NUMBER", "at most this many (default: 100)"), ...WHERE },
    load: async () => (await import("./webhooks.ts")).webhookDeliveriesCommand,
  },
  {
    name: "retention show",
    summary: "show how long records and bodies are kept, and the last run",
    options: { json: JSON_OPTION, ...WHERE },
    load: async () => (await import("./retention.ts")).showRetentionCommand,
  },
  {
    name: "retention set",
    summary: "set how long records and bodies are kept",
    options: {
      days: text("DAYS", "that records are kept; forever, or default for the configured value"),
      "body-days": text("DAYS", "that bodies are kept; forever or default"),
      property: texts("RULE", "NAME[=VALUE]:DAYS[/BODY_DAYS] keeps such records this long; replaces all rules"),
      "no-properties": { type: "boolean", description: "removes the rules for properties" },
      ...WHERE,
    },
    load: async () => (await import("./retention.ts")).setRetentionCommand,
  },
  {
    name: "retention run",
    summary: "remove old records and bodies now",
    options: { json: JSON_OPTION, ...WHERE },
    load: async () => (await import("./retention.ts")).runRetentionCommand,
  },
];

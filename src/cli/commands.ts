import { NOTES as EXPORT_NOTES, OPTIONS as EXPORT_OPTIONS } from "../export/options.ts";
import { NOTES as IMPORT_NOTES, OPTIONS as IMPORT_OPTIONS } from "../import/options.ts";
import { ALERT_COMMANDS } from "./alert-commands.ts";
import { AUDIT_COMMANDS } from "./audit-commands.ts";
import type { Command, Option } from "./command.ts";
import { JSON_OPTION, REGION_OPTION } from "./options.ts";
import { PEOPLE_COMMANDS } from "./people-commands.ts";
import { PLUGIN_COMMANDS } from "./plugin-commands.ts";
import { QUERY_NOTES, QUERY_OPTIONS } from "./query-options.ts";
import { STORAGE_COMMANDS } from "./storage-commands.ts";
import { UNIFIED_COMMANDS } from "./unified-commands.ts";

const MODEL_OPTIONS: Readonly<Record<string, Option>> = {
  provider: { type: "string", value: "NAME", description: "the provider, if several have a model with this name" },
  org: { type: "string", value: "ORG", description: "the organization, if several use it" },
  region: REGION_OPTION,
};

/** Every command, in the order of help. Parser, help and tests read this table. */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    summary: "run the gateway and the API",
    notes: ["Stops on SIGTERM and SIGINT once streams in flight have finished; a second signal stops it at once."],
    load: async () => (await import("./serve.ts")).serveCommand,
  },
  {
    name: "demo",
    summary: "run a demo service with a week of recorded requests",
    options: {
      "data-dir": {
        type: "string",
        value: "DIR",
        description: "an empty directory that is kept (default: a temporary one)",
      },
    },
    notes: [
      "It has a directory, a key and settings of its own: from the configuration it takes only addresses and log_*. If a\nport is in use it takes another. Ctrl-C ends it and removes the temporary directory.",
    ],
    load: async () => (await import("./demo.ts")).demoCommand,
  },
  {
    name: "keys create",
    summary: "create a service key and print it, once, on stdout",
    options: {
      name: { type: "string", value: "NAME", description: "the key's name; recorded with its requests" },
      org: {
        type: "string",
        value: "ORG",
        description: "organization it belongs to, created if it does not exist (default: default)",
      },
      scopes: {
        type: "string",
        value: "LIST",
        description: "of gateway, figures, read, write, admin (default: gateway,read,write)",
      },
      models: {
        type: "string",
        value: "LIST",
        description:
          "patterns of models and routes it may use, such as 'openai/*,fast,!openai/gpt-5-pro' (default: all)",
      },
      credentials: {
        type: "string",
        value: "LIST",
        description: "patterns of credentials it may use; '' for none (default: all)",
      },
      region: { ...REGION_OPTION, description: "the region in its name; it works in both" },
      expires: { type: "string", value: "TIME", description: "90s, 15m, 12h, 30d or an ISO date (default: never)" },
    },
    load: async () => (await import("./keys.ts")).createKeyCommand,
  },
  {
    name: "keys list",
    summary: "list the service keys",
    options: { json: JSON_OPTION },
    load: async () => (await import("./keys.ts")).listKeysCommand,
  },
  {
    name: "keys rotate",
    summary: "give a service key a new secret and print it, once, on stdout",
    args: ["<id>"],
    options: {
      grace: {
        type: "string",
        value: "TIME",
        description: "how long the old secret keeps working, such as 24h (default: not at all)",
      },
    },
    load: async () => (await import("./keys.ts")).rotateKeyCommand,
  },
  {
    name: "keys transfer",
    summary: "give a service key another owner, or none, so that it keeps working without its owner",
    args: ["<id>"],
    options: {
      to: { type: "string", value: "EMAIL", description: "the new owner, a member whose role allows the key's scopes" },
      "no-owner": { type: "boolean", description: "the key has no owner, so it does not stop when a user is removed" },
    },
    notes: ["The former owner still knows the secret: `weir keys rotate` gives the key a new one."],
    load: async () => (await import("./keys.ts")).transferKeyCommand,
  },
  {
    name: "keys revoke",
    summary: "revoke a service key, within a second",
    args: ["<id>"],
    load: async () => (await import("./keys.ts")).revokeKeyCommand,
  },
  ...PEOPLE_COMMANDS,
  ...AUDIT_COMMANDS,
  ...UNIFIED_COMMANDS,
  {
    name: "models list",
    summary: "list the models seen in requests, and whether they are mapped",
    options: { json: JSON_OPTION, region: REGION_OPTION },
    load: async () => (await import("./models.ts")).listModelsCommand,
  },
  {
    name: "models show",
    summary: "show the mapping of a model, as JSON",
    args: ["<model>"],
    options: MODEL_OPTIONS,
    load: async () => (await import("./models.ts")).showModelCommand,
  },
  {
    name: "models expedite",
    summary: "map a model now, from its recorded requests",
    args: ["<model>"],
    options: MODEL_OPTIONS,
    notes: ["Exits with status 1 if the model stays pending."],
    load: async () => (await import("./models.ts")).expediteModelCommand,
  },
  {
    name: "models reread",
    summary: "read unread records again, and print how many are read, as JSON",
    options: { region: REGION_OPTION },
    notes: ["Exits with status 1 if records stay unread."],
    load: async () => (await import("./unread.ts")).rereadUnreadCommand,
  },
  {
    name: "models approve",
    summary: "activate a drafted mapping, or keep the active one permanently",
    args: ["<model>"],
    options: MODEL_OPTIONS,
    load: async () => (await import("./models.ts")).approveModelCommand,
  },
  {
    name: "models rollback",
    summary: "go back to the previous mapping, or to none",
    args: ["<model>"],
    options: MODEL_OPTIONS,
    load: async () => (await import("./models.ts")).rollBackModelCommand,
  },
  {
    name: "costs recompute",
    summary: "price recorded usage again and print what changed, as JSON",
    options: {
      since: { type: "string", value: "DATE", description: "only requests from this ISO date on" },
      model: { type: "string", value: "MODEL", description: "only requests of this model" },
      "dry-run": { type: "boolean", description: "change nothing" },
      region: REGION_OPTION,
    },
    load: async () => (await import("./costs.ts")).recomputeCostsCommand,
  },
  {
    name: "costs explain",
    summary: "show the cost of a request, and the arithmetic",
    args: ["<request id>"],
    options: { json: { type: "boolean", description: "as JSON" }, region: REGION_OPTION },
    load: async () => (await import("./costs.ts")).explainCostCommand,
  },
  ...ALERT_COMMANDS,
  ...STORAGE_COMMANDS,
  {
    name: "domains list",
    summary: "list target domains, whether they are approved, and today's requests of all organizations",
    options: {
      all: { type: "boolean", description: "also hosts of providers that had no request today" },
      json: { type: "boolean", description: "JSON instead of a table, with all domains" },
    },
    load: async () => (await import("./domains.ts")).listDomainsCommand,
  },
  {
    name: "domains approve",
    summary: "approve a target domain, within a second",
    args: ["<domain>"],
    options: { private: { type: "boolean", description: "it may be a private or loopback address" } },
    load: async () => (await import("./domains.ts")).decideDomainCommand("approve"),
  },
  {
    name: "domains deny",
    summary: "refuse a target domain, within a second",
    args: ["<domain>"],
    load: async () => (await import("./domains.ts")).decideDomainCommand("deny"),
  },
  {
    name: "domains revoke",
    summary: "revoke the approval of a domain, within a second",
    args: ["<domain>"],
    load: async () => (await import("./domains.ts")).decideDomainCommand("revoke"),
  },
  {
    name: "config",
    summary: "print the effective configuration, secrets masked, and where each value came from",
    load: async () => (await import("./config.ts")).configCommand,
  },
  ...PLUGIN_COMMANDS,
  {
    name: "query",
    summary: "find recorded requests of a running service and print them",
    args: ["[filter…]"],
    options: QUERY_OPTIONS,
    notes: QUERY_NOTES,
    load: async () => (await import("./query.ts")).queryCommand,
  },
  {
    name: "export",
    summary: "download recorded requests; can be killed and resumed",
    options: EXPORT_OPTIONS,
    notes: EXPORT_NOTES,
    readsItsOwnWords: true,
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "import",
    summary: "import exported records; can be stopped and run again",
    args: ["FILE…"],
    options: IMPORT_OPTIONS,
    notes: IMPORT_NOTES,
    readsItsOwnWords: true,
    load: async () => (await import("./export.ts")).importCommand,
  },
  {
    name: "doctor",
    summary: "check machine, data directory, databases, spool, drop-ins and service, and suggest fixes",
    options: {
      json: { type: "boolean", description: "one JSON array of check, verdict, message, fix" },
      thorough: { type: "boolean", description: "read databases of any size completely (default: up to 1 GB)" },
    },
    takesBrokenConfig: true,
    notes: ["Works with and without a running service. Exits with status 1 if a check fails."],
    load: async () => (await import("./doctor.ts")).doctorCommand,
  },
  {
    name: "upgrade-check",
    summary: "check, before an upgrade, that this version can use the data directory",
    options: { json: { type: "boolean", description: "one JSON array of check, verdict, message, fix" } },
    takesBrokenConfig: true,
    notes: ["Changes nothing and needs no network. Exits with status 1 if a check fails."],
    load: async () => (await import("./doctor.ts")).upgradeCheckCommand,
  },
  {
    name: "health",
    summary: "check whether the service of this configuration is ready: status 0, or 1 and the reason",
    load: async () => (await import("./doctor.ts")).healthCommand,
  },
  {
    name: "backup",
    summary: "copy records, spool, plugin state and drop-ins, also while the service runs",
    args: ["<directory or .tar file>"],
    alone: "plan",
    options: {
      plan: { type: "boolean", description: "only print the locations of data and the commands to back it up" },
      force: { type: "boolean", description: "replace a backup with this name, once the new one is complete" },
      "with-credentials-key": {
        type: "boolean",
        description: "include the key that decrypts credentials: the backup then gives access to them",
      },
      quiet: { type: "boolean", short: "q", description: "no progress" },
    },
    load: async () => (await import("./backup.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "verify a backup and put it into the data directory; the service must be stopped",
    args: ["<directory or .tar file>"],
    options: {
      force: { type: "boolean", description: "replace the content of the data directory" },
      quiet: { type: "boolean", short: "q", description: "no progress" },
    },
    load: async () => (await import("./backup.ts")).restoreCommand,
  },
  {
    name: "version",
    summary: "print the version",
    load: async () => (await import("./version.ts")).versionCommand,
  },
  {
    name: "help",
    summary: "show the help for Weir, or for one command",
    load: async () => (await import("./help.ts")).helpCommand(COMMANDS),
  },
];

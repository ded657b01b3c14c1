import { DEFAULT_SCOPES, parseExpiry, parsePatterns, parseScopes } from "../store/key-terms.ts";
import { createServiceKey, FIRST_ORGANIZATION, type ListedKey, listKeys, revokeKey } from "../store/keys.ts";
import type { Run } from "./command.ts";
import { printList } from "./print.ts";
import { readAll } from "./read-options.ts";
import { regionConfig } from "./region.ts";
import { CommandError, UsageError } from "./usage.ts";
import { withRecords } from "./with-store.ts";

/** Prints the key alone on stdout, so that a script can take it, and all else on stderr. */
export const createKeyCommand: Run = async ({ options, terminal, config }) => {
  const {
    name,
    org = FIRST_ORGANIZATION,
    scopes,
    expires,
    models,
    credentials,
  } = options as Record<string, string | undefined>;
  const order = readAll({
    name: () => {
      if (name === undefined || name.trim() === "") throw new UsageError("keys create needs --name NAME");
      return name;
    },
    organization: () => {
      if (org.trim() === "") throw new UsageError("--org must not be empty");
      return org;
    },
    region: () => regionConfig({ config, options }).region,
    scopes: () => (scopes === undefined ? DEFAULT_SCOPES : parseScopes(scopes.split(",").map((each) => each.trim()))),
    models: () => (models === undefined ? null : parsePatterns(listOf(models), "models")),
    credentials: () => (credentials === undefined ? null : parsePatterns(listOf(credentials), "credentials")),
    expiresAt: () => (expires === undefined ? null : parseExpiry(expires, Date.now())),
  });
  const made = await withRecords(config, (records) => createServiceKey(records, order));
  terminal.err(`key "${made.name}" (${made.id}) of organization "${made.organization}": ${made.scopes.join(", ")}`);
  terminal.err(made.expires_at === null ? "; never expires\n" : `; expires ${made.expires_at}\n`);
  terminal.err("It is shown this once; only its hash is stored.\n");
  terminal.out(`${made.key}\n`);
  return 0;
};

export const listKeysCommand: Run = async (invocation) => {
  const isTerminal = invocation.terminal.columns !== undefined;
  printList(invocation, await withRecords(invocation.config, (records) => listKeys(records)), {
    headings: ["id", "name", "expires", "scopes", "organization", "last used", "created", "models", "credentials"],
    cells: (key) => row(key, isTerminal ? shortTime : (time) => time),
    cuts: ["name", "organization", "models", "credentials"],
    none: "there are no keys",
  });
  return 0;
};

export const revokeKeyCommand: Run = async ({ args, terminal, config }) => {
  const id = args[0]!;
  if (!(await withRecords(config, (records) => revokeKey(records, id)))) {
    throw new CommandError(`there is no key with the id ${JSON.stringify(id)}; \`weir keys list\` shows them`);
  }
  terminal.err(`key ${id} is revoked\n`);
  return 0;
};

/** Of an option with commas; an empty one is an empty list. */
function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function row(key: ListedKey, timeText: (time: string) => string): string[] {
  const isExpired = key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();
  const expires = key.expires_at === null ? "never" : isExpired ? "expired" : timeText(key.expires_at);
  const used = key.last_used_at === null ? "never" : timeText(key.last_used_at);
  const scopes = key.scopes.includes("admin") ? "admin" : key.scopes.join(",");
  const lists = [key.models, key.credentials].map((patterns) =>
    patterns === null ? "all" : patterns.join(",") || "none",
  );
  const state = key.revoked_at === null ? expires : "revoked";
  return [key.id, key.name, state, scopes, key.organization, used, timeText(key.created_at), ...lists];
}

/** The day in UTC, or the time of day where that is less than a day away. */
function shortTime(time: string): string {
  const isNear = Math.abs(Date.parse(time) - Date.now()) < 86_400_000;
  return isNear ? `${time.slice(11, 16)} UTC` : time.slice(0, 10);
}

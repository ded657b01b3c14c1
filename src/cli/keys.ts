import { setTimeout as sleep } from "node:timers/promises";
import { europeanConfig } from "../config.ts";
import { isDirectoryTaken } from "../store/database/lock.ts";
import {
  boundedExpiry,
  DEFAULT_SCOPES,
  parseExpiry,
  parseGrace,
  parsePatterns,
  parseScopes,
} from "../store/key-terms.ts";
import { createServiceKey, type ListedKey, listKeys, revokeKey, rotateKey } from "../store/keys.ts";
import { areKeysKnown } from "../store/known-keys.ts";
import { transferKey, whyNoOwner } from "../store/people/key-owner.ts";
import { FIRST_ORGANIZATION } from "../store/people/organization-names.ts";
import { maxKeyDays } from "../store/people/organizations.ts";
import { readEmail } from "../store/people/users.ts";
import { type Database, localPath } from "../store/store.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { printList } from "./print.ts";
import { readAll } from "./read-options.ts";
import { regionConfig } from "./region.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { knownUser } from "./users.ts";
import { withRecords } from "./with-store.ts";

/** Prints only the key on stdout, for scripts, and everything else on stderr. */
export const createKeyCommand: Run = async (invocation) => {
  const { options, terminal, config } = invocation;
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
  const made = await withRecords(config, async (records) => {
    const maxDays = await maxKeyDays(records, config, order.organization);
    const expiresAt = boundedExpiry(order.expiresAt, maxDays, Date.now());
    const created = await createServiceKey(records, { ...order, expiresAt }, atCommandLine());
    await untilKnown(invocation, records);
    return created;
  });
  terminal.err(`key "${made.name}" (${made.id}) of organization "${made.organization}": ${made.scopes.join(", ")}`);
  terminal.err(made.expires_at === null ? "; never expires\n" : `; expires ${made.expires_at}\n`);
  terminal.err("It is shown this once; only its hash is stored.\n");
  terminal.out(`${made.key}\n`);
  return 0;
};

export const listKeysCommand: Run = async (invocation) => {
  const isTerminal = invocation.terminal.columns !== undefined;
  printList(invocation, await withRecords(invocation.config, (records) => listKeys(records)), {
    headings: [
      "id",
      "name",
      "expires",
      "scopes",
      "organization",
      "user",
      "last used",
      "created",
      "models",
      "credentials",
    ],
    cells: (key) => row(key, isTerminal ? shortTime : (time) => time),
    cuts: ["name", "organization", "user", "models", "credentials"],
    none: "there are no keys",
  });
  return 0;
};

export const revokeKeyCommand: Run = async (invocation) => {
  const { args, terminal, config } = invocation;
  const id = args[0]!;
  const isRevoked = await withRecords(config, async (records) => {
    const found = await revokeKey(records, { id }, atCommandLine());
    if (found) await untilKnown(invocation, records);
    return found;
  });
  if (!isRevoked) {
    throw new CommandError(`there is no key with the id ${JSON.stringify(id)}; \`weir keys list\` shows them`);
  }
  terminal.err(`key ${id} is revoked\n`);
  return 0;
};

/** Prints only the new secret on stdout. */
export const rotateKeyCommand: Run = async (invocation) => {
  const { args, options, terminal, config } = invocation;
  const id = args[0]!;
  const grace = options["grace"] as string | undefined;
  const { graceMs } = readAll({ graceMs: () => (grace === undefined ? 0 : parseGrace(grace)) });
  const rotated = await withRecords(config, async (records) => {
    const found = await rotateKey(records, { id }, graceMs, atCommandLine());
    if (found !== undefined) await untilKnown(invocation, records);
    return found;
  });
  if (rotated === undefined) throw noValidKey(id);
  terminal.err(`key "${rotated.name}" (${rotated.id}) has a new secret, which is shown this once\n`);
  if (rotated.previous_until !== null) terminal.err(`The old one works until ${rotated.previous_until}.\n`);
  terminal.out(`${rotated.key}\n`);
  return 0;
};

/** Takes effect in a running service before it returns. */
export const transferKeyCommand: Run = async (invocation) => {
  const { args, options, terminal, config } = invocation;
  const id = args[0]!;
  const to = options["to"]?.toString();
  if ((to === undefined) !== (options["no-owner"] === true))
    throw new UsageError("keys transfer needs either --to EMAIL or --no-owner");
  const { email } = readAll({ email: () => (to === undefined ? null : readEmail(to, "--to")) });
  const transferred = await withRecords(config, async (records) => {
    const [known] = await listKeys(records, { id });
    const user = email === null ? undefined : await knownUser(records, email);
    const why = known && user && (await whyNoOwner(records, known, user.id));
    if (why !== undefined) throw new CommandError(why);
    const found = await transferKey(records, { id }, user?.id ?? null, atCommandLine());
    if (found !== undefined) await untilKnown(invocation, records);
    return found;
  });
  if (transferred === undefined) throw noValidKey(id);
  const owner = transferred.user === null ? "has no owner now" : `belongs to ${transferred.user}`;
  terminal.err(`key "${transferred.name}" (${transferred.id}) ${owner}\n`);
  return 0;
};

/** How long a command waits for the service to reload its keys, which takes a third of a second. */
const KNOWN_MS = 10_000;

/** Waits until the service in this data directory uses the current keys. */
async function untilKnown({ config, terminal }: Invocation, records: Database): Promise<void> {
  if (localPath(config) === undefined) return;
  const european = europeanConfig(config);
  const regions = european === undefined ? [config.region] : [config.region, european.region];
  const endsAt = Date.now() + KNOWN_MS;
  while (isDirectoryTaken(config.data_dir)) {
    if (await areKeysKnown(records, regions)) return;
    if (Date.now() > endsAt) return terminal.err("the running service has not reloaded its keys yet\n");
    await sleep(KNOWN_POLL_MS);
  }
}

const KNOWN_POLL_MS = 20;

function noValidKey(id: string): CommandError {
  return new CommandError(
    `there is no key with the id ${JSON.stringify(id)} that is valid; \`weir keys list\` shows them`,
  );
}

/** Values of an option, separated by commas; an empty one is an empty list. */
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
  const state = key.revoked_at !== null ? "revoked" : key.stopped !== null ? "stopped" : expires;
  return [key.id, key.name, state, scopes, key.organization, key.user ?? "", used, timeText(key.created_at), ...lists];
}

/** The day in UTC, or the time of day if that is less than a day away. */
function shortTime(time: string): string {
  const isNear = Math.abs(Date.parse(time) - Date.now()) < 86_400_000;
  return isNear ? `${time.slice(11, 16)} UTC` : time.slice(0, 10);
}

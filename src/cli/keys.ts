import { DEFAULT_SCOPES, parseExpiry, parsePatterns, parseScopes } from "../store/key-terms.ts";
import { createServiceKey, FIRST_ORGANIZATION, type ListedKey, listKeys, revokeKey } from "../store/keys.ts";
import type { Run } from "./command.ts";
import { printList } from "./print.ts";
import { asUsage } from "./read-options.ts";
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
  if (name === undefined || name.trim() === "") throw new UsageError("keys create needs --name NAME");
  if (org.trim() === "") throw new UsageError("--org must not be empty");
  const order = {
    name,
    organization: org,
    region: regionConfig({ config, options }).region,
    scopes: asUsage(() =>
      scopes === undefined ? DEFAULT_SCOPES : parseScopes(scopes.split(",").map((each) => each.trim())),
    ),
    models: models === undefined ? null : asUsage(() => parsePatterns(listOf(models), "models")),
    credentials: credentials === undefined ? null : asUsage(() => parsePatterns(listOf(credentials), "credentials")),
    expiresAt: asUsage(() => (expires === undefined ? null : parseExpiry(expires, Date.now()))),
  };
  const made = await withRecords(config, (records) => createServiceKey(records, order));
  terminal.err(`key "${made.name}" (${made.id}) of organization "${made.organization}": ${made.scopes.join(", ")}`);
  terminal.err(made.expires_at === null ? "; never expires\n" : `; expires ${made.expires_at}\n`);
  terminal.err("It is shown this once; only its hash is stored.\n");
  terminal.out(`${made.key}\n`);
  return 0;
};

export const listKeysCommand: Run = async (invocation) => {
  printList(invocation, await withRecords(invocation.config, (records) => listKeys(records)), {
    headings: ["id", "name", "organization", "scopes", "state", "created", "last used", "models", "credentials"],
    cells: row,
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

function row(key: ListedKey): string[] {
  const expired = key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();
  const state = key.revoked_at !== null ? "revoked" : expired ? "expired" : "usable";
  const times = [key.created_at, key.last_used_at ?? "never"];
  const lists = [key.models, key.credentials].map((patterns) =>
    patterns === null ? "all" : patterns.join(",") || "none",
  );
  return [key.id, key.name, key.organization, key.scopes.join(","), state, ...times, ...lists];
}

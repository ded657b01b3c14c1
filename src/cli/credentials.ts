import { type Config, listenerPorts } from "../config.ts";
import { configuredCredentials, resolveConfigured } from "../credentials/configured.ts";
import { knownProviders } from "../credentials/form.ts";
import { readKeyring } from "../credentials/keyring.ts";
import { isLocked, openCredential } from "../credentials/open.ts";
import { type CredentialRules, findProvider, readCredential } from "../credentials/read-credential.ts";
import { type ShownCredential, shownConfigured, shownCredential, shownLent } from "../credentials/shown.ts";
import type { StoredCredential } from "../credentials/stored.ts";
import { loadFolders, pluginFolders } from "../plugin-host/files/load.ts";
import { buildRegistry } from "../plugin-host/providers/registry.ts";
import { CUSTOM } from "../routing/custom.ts";
import { listCredentials, removeCredential } from "../store/credentials/credentials.ts";
import { credentialGuards } from "../store/credentials/guards.ts";
import { keepCredential, rotateCredentials } from "../store/credentials/keep.ts";
import {
  ensureOrganization,
  FIRST_ORGANIZATION,
  firstOrganizationId,
  organizationNamed,
} from "../store/people/organization-names.ts";
import type { Database } from "../store/store.ts";
import { createCredentialCalls } from "../unified/credential-calls.ts";
import { testCredential } from "../unified/test-credential.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { membersOf, secretsOf } from "./credential-input.ts";
import { organizationId } from "./organization.ts";
import { printJson, printList } from "./print.ts";
import { asUsage } from "./read-options.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { withRecords } from "./with-store.ts";

export const addCredentialCommand: Run = async (invocation) => {
  const { args, options, terminal, config } = invocation;
  const providers = await providersOf(config);
  const form = findProvider(providers, args[0]!)?.form ?? { secret: ["api_key"] };
  const members = { ...membersOf(invocation, form), provider: args[0], name: options["name"]?.toString() };
  const secrets = await secretsOf(invocation, form, options["secret"]?.toString());
  await withRecords(config, async (records) => {
    const organization = options["org"]?.toString() ?? FIRST_ORGANIZATION;
    const rules = await rulesOf(config, records, await organizationNamed(records, organization), providers);
    const order = asUsage(() => readCredential({ ...members, ...secrets }, rules));
    if (order.name !== undefined && Object.hasOwn(config.credentials, order.name))
      throw new CommandError(`the configuration file has a credential ${order.name}; choose another name`);
    const id = await ensureOrganization(records, organization, atCommandLine());
    const kept = await keepCredential({ config, records, by: atCommandLine() }, id, order);
    if (options["json"]) printJson(terminal, shownCredential(kept, false));
    else {
      terminal.err(
        `credential "${kept.name}" of ${kept.provider} is stored; a running service uses it within a second\n`,
      );
      terminal.out(`${kept.name}\n`);
    }
  });
  return 0;
};

export const listCredentialsCommand: Run = async (invocation) => {
  const all = await withRecords(invocation.config, (records) => shownAll(invocation, records));
  printList(invocation, all, {
    headings: ["name", "provider", "state", "source", "weight", "models", "limit", "secrets"],
    cells: ({ name, provider, state, source, weight, models, limit, secrets }) => [
      ...[name, provider, state, source, `${weight}`, models.join(", ") || "all", limit ?? ""],
      Object.entries(secrets)
        .map(([member, secret]) => `${member} ${"from" in secret ? secret.from : `…${secret.last4 ?? ""}`}`)
        .join(", "),
    ],
    none: "there are no credentials; add one with: weir credentials add <provider> < key.txt",
  });
  return 0;
};

export const showCredentialCommand: Run = async (invocation) => {
  const name = invocation.args[0]!;
  const all = await withRecords(invocation.config, (records) => shownAll(invocation, records));
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw noSuchCredential(name);
  printJson(invocation.terminal, found);
  return 0;
};

export const setCredentialCommand: Run = (invocation) =>
  withCredential(invocation, async (records, previous) => {
    const { config, options, terminal } = invocation;
    const providers = await providersOf(config);
    const form = providers.find(({ name }) => name === previous.provider)?.form ?? { secret: [] };
    const members = membersOf(invocation, form);
    const secret = options["secret"]?.toString();
    const secrets = secret === undefined ? {} : await secretsOf(invocation, form, secret);
    if (secret !== undefined && Object.keys(secrets).length === 0)
      throw new UsageError(`${secret}: no value was given`);
    if (Object.keys({ ...members, ...secrets }).length === 0) throw new UsageError("say what to set; see --help");
    const rules = await rulesOf(config, records, previous.organization_id, providers);
    const order = asUsage(() => readCredential({ ...members, ...secrets }, rules, previous));
    const kept = await keepCredential(
      { config, records, by: atCommandLine() },
      previous.organization_id,
      order,
      previous,
    );
    if (options["json"]) printJson(terminal, shownCredential(kept, isLocked(kept, readKeyring(config))));
    else terminal.err(`credential "${kept.name}" is changed; a running service follows within a second\n`);
    return 0;
  });

export const removeCredentialCommand: Run = (invocation) =>
  withCredential(invocation, async (records, { name, organization_id }) => {
    await removeCredential(records, organization_id, name, atCommandLine());
    invocation.terminal.err(`credential "${name}" is removed\n`);
    return 0;
  });

/** Covers all organizations. Exits with status 1 if a secret could not be decrypted. */
export const rotateCredentialsCommand: Run = async ({ config, terminal }) => {
  const { rotated, kept, locked } = await withRecords(config, (records) =>
    rotateCredentials(config, records, atCommandLine()),
  );
  const [first] = readKeyring(config);
  terminal.err(`${rotated} encrypted again with the key ${first!.id}, ${kept} had it already\n`);
  for (const name of locked) terminal.err(`${name} is locked: no key here decrypts it; it stays as it is\n`);
  return locked.length === 0 ? 0 : 1;
};

/** Exits with status 1 if the provider refuses it. */
export const testCredentialCommand: Run = async ({ args, options, terminal, config }) => {
  const own = await organizationId(config, options["org"]?.toString() ?? FIRST_ORGANIZATION);
  const { providers, providerByName } = await registryOf(config);
  const name = args[0]!;
  const stored = await withRecords(config, (records) => listCredentials(records, own));
  const configured = configuredCredentials(config, {
    providers: knownProviders(providers),
    refuseUrl: () => undefined,
  });
  const ofFile = configured.find((each) => each.name === name);
  const found = stored.find((each) => each.name === name);
  if (ofFile === undefined && found === undefined) throw noSuchCredential(name);
  const credential = ofFile ? resolveConfigured(ofFile, terminal.env) : openCredential(found!, readKeyring(config));
  const provider = credential.provider === CUSTOM.name ? CUSTOM : providerByName(credential.provider);
  if (provider === undefined) throw new CommandError(`no provider ${credential.provider} is loaded`);
  const ports = new Set(listenerPorts(config));
  const calls = createCredentialCalls(config, () => ports);
  try {
    const wanted = { provider, credential, model: options["model"]?.toString() };
    const result = await testCredential(wanted, (request) => calls.call(request, credential.private));
    if (options["json"]) printJson(terminal, result);
    else terminal[result.ok ? "out" : "err"](`${name}: ${result.message}\n`);
    return result.ok ? 0 : 1;
  } finally {
    calls.close();
  }
};

async function shownAll({ config, options }: Invocation, records: Database): Promise<readonly ShownCredential[]> {
  const own = await organizationId(config, options["org"]?.toString() ?? FIRST_ORGANIZATION);
  const keys = readKeyring(config);
  const all = await listCredentials(records);
  const shown = (stored: StoredCredential) => {
    const show = stored.organization_id === own ? shownCredential : shownLent;
    return show(stored, isLocked(stored, keys));
  };
  const configured = configuredCredentials(config, {
    providers: await providersOf(config),
    refuseUrl: () => undefined,
  });
  const others = all.filter(({ organization_id, terms }) => organization_id !== own && terms.shared);
  return [
    ...configured.map(shownConfigured),
    ...all.filter(({ organization_id }) => organization_id === own).map(shown),
    ...others.map(shown),
  ];
}

/** Runs with the stored credential that the arguments name. */
async function withCredential(
  { args, options, config }: Invocation,
  work: (records: Database, credential: StoredCredential) => Promise<number>,
): Promise<number> {
  const own = await organizationId(config, options["org"]?.toString() ?? FIRST_ORGANIZATION);
  const name = args[0]!;
  return withRecords(config, async (records) => {
    const found = (await listCredentials(records, own)).find((each) => each.name === name);
    if (found !== undefined) return work(records, found);
    if (Object.hasOwn(config.credentials, name))
      throw new CommandError(`the configuration file defines the credential ${name}; change it there`);
    throw noSuchCredential(name);
  });
}

function noSuchCredential(name: string): CommandError {
  return new CommandError(`there is no credential ${JSON.stringify(name)}; \`weir credentials list\` shows them`);
}

async function registryOf(config: Config) {
  return buildRegistry(await loadFolders("provider", pluginFolders("provider", config)));
}

async function providersOf(config: Config) {
  return knownProviders((await registryOf(config)).providers);
}

/** @param organizationId - undefined if it does not exist yet; if none does, it becomes the first. */
async function rulesOf(
  config: Config,
  records: Database,
  organizationId: string | undefined,
  providers: CredentialRules["providers"],
): Promise<CredentialRules> {
  return {
    providers,
    operator: (await firstOrganizationId(records)) === organizationId,
    refuseUrl: credentialGuards(config, listenerPorts(config)),
  };
}

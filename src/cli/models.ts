import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { Mapper } from "../jobs/remap/mapper.ts";
import type { Acting } from "../people/actor.ts";
import { isoTime } from "../record/iso-time.ts";
import { lockDirectory } from "../store/database/lock.ts";
import { approveNewest, rollBack, shownMapping, shownVersion } from "../store/models/mapping-steps.ts";
import { type ModelName, mappingHistory, type StoredMapping } from "../store/models/mappings.ts";
import { expeditedModels, expediteModels, listModels, type ModelRow } from "../store/models/models.ts";
import type { Database } from "../store/store.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { organizationId } from "./organization.ts";
import { printJson, printList } from "./print.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage-error.ts";
import { withStore } from "./with-store.ts";
import { withoutService } from "./without-service.ts";

/** How long to wait for a running service to map a model. */
const SERVICE_MS = 60_000;
const LOOK_MS = 200;

export const listModelsCommand: Run = async (invocation) => {
  const models = await withStore(regionConfig(invocation), (store) => listModels(store.records));
  const rows = models.map(({ organization_id: _, since, ...row }) => ({ ...row, since: isoTime(since) }));
  printList(invocation, rows, {
    headings: ["provider", "model", "state", "count", "since", "reason"],
    cells: (row) => [row.provider, row.model, row.state, `${row.count}`, row.since, row.reason ?? ""],
    none: "no recorded request named a model yet",
  });
  return 0;
};

export const showModelCommand: Run = async (invocation) => {
  await withStore(regionConfig(invocation), async ({ records }) => {
    const [row, name] = await chosen(records, invocation);
    const history = await mappingHistory(records, name);
    const shown = shownVersion(history);
    printJson(invocation.terminal, {
      provider: name.provider,
      model: name.model,
      state: row.state,
      reason: row.reason,
      mapping: shown ? shownMapping(shown) : null,
      versions: history.map(withoutMapping),
    });
  });
  return 0;
};

const withoutMapping = (each: StoredMapping) => {
  const { mapping: _, ...rest } = shownMapping(each);
  return rest;
};

const stepCommand =
  (done: string, step: (records: Database, name: ModelName, by: Acting) => Promise<StoredMapping | undefined>): Run =>
  async (invocation) => {
    await withStore(regionConfig(invocation), async ({ records }) => {
      const [, name] = await chosen(records, invocation);
      const version = await step(records, name, atCommandLine());
      if (version === undefined) throw new CommandError(`${name.provider} ${name.model} has no mapping`);
      invocation.terminal.err(
        `${name.provider} ${name.model}: ${done}; version ${version.version} is ${version.state}\n`,
      );
    });
    await finishHere(invocation);
    return 0;
  };

export const approveModelCommand = stepCommand("approved", approveNewest);
export const rollBackModelCommand = stepCommand("rolled back", rollBack);

/** A running service maps the model; without one this command does. */
export const expediteModelCommand: Run = async (invocation) => {
  const { terminal } = invocation;
  const config = regionConfig(invocation);
  const names = await withStore(config, async ({ records }) => {
    const all = await found(records, invocation);
    for (const { organization_id, provider, model } of all)
      await expediteModels(records, { organizationId: organization_id, provider, model });
    return all;
  });
  if (!(await finishHere(invocation))) await served(config, names[0]!.model);
  const after = await withStore(config, ({ records }) => found(records, invocation));
  for (const { provider, model, state, reason } of after) {
    terminal.out(`${provider} ${model}: ${state}${reason === null ? "" : `: ${reason}`}\n`);
  }
  return after.some(({ state }) => state === "pending") ? 1 : 0;
};

/** Waits until the service has processed the order. */
async function served(config: Config, model: string): Promise<void> {
  await withStore(config, async ({ records }) => {
    const until = Date.now() + SERVICE_MS;
    while ((await expeditedModels(records, { model })).length > 0) {
      if (Date.now() > until)
        throw new CommandError("the service has not mapped the model yet; it continues in the background");
      await sleep(LOOK_MS);
    }
  });
}

/** Processes the order if no service runs. @returns whether it was done here. */
async function finishHere(invocation: Invocation): Promise<boolean> {
  const config = regionConfig(invocation);
  const lock = lockDirectory(config.data_dir);
  if (lock === undefined) return false;
  try {
    await withoutService(invocation, config, async ({ store, ...parts }) => {
      const mapper = new Mapper({ ...parts, writer: async () => store, onChanged: async () => {} });
      await mapper.mapOrdered();
      await mapper.rereadAll();
    });
  } finally {
    lock.release();
  }
  return true;
}

async function found(records: Database, { args, options, config }: Invocation): Promise<ModelRow[]> {
  const provider = options["provider"]?.toString().toUpperCase();
  const organization = options["org"]?.toString();
  const only = organization === undefined ? undefined : await organizationId(config, organization);
  const rows = await listModels(records, only, args[0]!);
  const wanted = rows.filter((row) => provider === undefined || row.provider === provider);
  if (wanted.length === 0)
    throw new CommandError(`no recorded request names the model ${args[0]}; see \`weir models list\``);
  return wanted;
}

/** The one model that the arguments name. */
async function chosen(records: Database, invocation: Invocation): Promise<[ModelRow, ModelName]> {
  const rows = await found(records, invocation);
  const [row] = rows;
  if (rows.length > 1) {
    const where = rows
      .map(({ provider, organization_id }) => `${provider} of organization ${organization_id}`)
      .join(", ");
    throw new CommandError(`there are several: ${where}; choose one with --provider and --org`);
  }
  return [row!, { organizationId: row!.organization_id, provider: row!.provider, model: row!.model }];
}

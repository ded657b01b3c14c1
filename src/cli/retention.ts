import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "../counted.ts";
import { engineSink } from "../engine/writer.ts";
import { Retention } from "../jobs/retention/retention.ts";
import { configuredLog } from "../log.ts";
import { lockDirectory } from "../store/database/lock.ts";
import {
  inForce,
  lastRun,
  orderedRuns,
  orderRun,
  type PropertyRetention,
  putRetention,
  retentionOf,
  shownRun,
} from "../store/retention/retention.ts";
import { openStore, type Store } from "../store/store.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { withOrganization } from "./organization.ts";
import { printJson } from "./print.ts";
import { readAll } from "./read-options.ts";
import { regionConfig } from "./region.ts";
import { CommandError, UsageError } from "./usage-error.ts";

/** How long to wait for a run in the service; after that it continues in the background. */
const RUN_MS = 600_000;
const LOOK_MS = 200;

export const showRetentionCommand: Run = async (invocation) => {
  await withOrganization(invocation, async ({ records }, organizationId) => {
    const rule = await retentionOf(records, organizationId);
    const last_run = shownRun(await lastRun(records, organizationId));
    const shown = { ...rule, in_force: inForce(rule, regionConfig(invocation)), last_run };
    if (invocation.options["json"]) return printJson(invocation.terminal, shown);
    const whence = (days: number | null) => (days === null ? ", as configured" : "");
    const lines = [
      `records: ${periodText(shown.in_force.days)}${whence(rule.days)}`,
      `bodies: ${periodText(shown.in_force.body_days)}${whence(rule.body_days)}`,
      ...rule.properties.map(describeRule),
      last_run === null
        ? "no run yet"
        : `last run ${last_run.finished_at}: ${counted(last_run.records_removed, "record")}, bodies of ${last_run.bodies_removed}`,
    ];
    for (const line of lines) invocation.terminal.out(`${line}\n`);
  });
  return 0;
};

export const setRetentionCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  const { days, body_days, rules } = readAll({
    days: () => readDays(options["days"], "days"),
    body_days: () => readDays(options["body-days"], "body-days"),
    rules: () => ((options["property"] ?? []) as readonly string[]).map(readRule),
  });
  if (days === undefined && body_days === undefined && rules.length === 0 && !options["no-properties"]) {
    throw new UsageError("retention set needs --days, --body-days, --property or --no-properties");
  }
  await withOrganization(invocation, async ({ records }, organizationId) => {
    const before = await retentionOf(records, organizationId);
    const properties = rules.length > 0 ? rules : options["no-properties"] ? [] : before.properties;
    const rule = {
      days: days === undefined ? before.days : days,
      body_days: body_days === undefined ? before.body_days : body_days,
      properties,
    };
    await putRetention(records, organizationId, rule, atCommandLine());
    const force = inForce(rule, regionConfig(invocation));
    terminal.err(`records are kept ${periodText(force.days)}, bodies ${periodText(force.body_days)}\n`);
  });
  return 0;
};

/** A running service runs it; without one this command does. */
export const runRetentionCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  await withOrganization(invocation, async (store, organizationId) => {
    const orderedAt = Date.now();
    await orderRun(store.records, organizationId);
    if (!(await runHere(invocation, store))) await served(store, organizationId, orderedAt);
    const run = shownRun(await lastRun(store.records, organizationId));
    if (options["json"]) printJson(terminal, run);
    else
      terminal.out(
        `${counted(run?.records_removed ?? 0, "record")} and the bodies of ${run?.bodies_removed ?? 0} were removed\n`,
      );
    if (run?.error != null) throw new CommandError(run.error);
  });
  return 0;
};

async function runHere(invocation: Invocation, store: Store): Promise<boolean> {
  const config = regionConfig(invocation);
  const lock = lockDirectory(config.data_dir);
  if (lock === undefined) return false;
  const reader = await openStore(config, "current");
  try {
    const sink = engineSink({ store, config });
    await new Retention({
      config,
      log: configuredLog(config),
      reader,
      writer: async () => store,
      remove: ({ organizationId, requestIds }) => sink.remove(organizationId, requestIds),
      maintain: (task) => sink.maintain(task),
    }).runOrdered();
  } finally {
    await reader.close();
    lock.release();
  }
  return true;
}

async function served({ records }: Store, organizationId: string, orderedAt: number): Promise<void> {
  const endsAt = Date.now() + RUN_MS;
  for (;;) {
    const isWaiting = (await orderedRuns(records)).some((order) => order.organizationId === organizationId);
    const finished = (await lastRun(records, organizationId))?.finished_at ?? 0;
    if (!isWaiting && finished >= orderedAt) return;
    if (Date.now() > endsAt)
      throw new CommandError("the service has not finished the run yet; it continues in the background");
    await sleep(LOOK_MS);
  }
}

function describeRule({ property, value, days, body_days }: PropertyRetention): string {
  const kept: string[] = [];
  if (days !== null) kept.push(`records ${periodText(days)}`);
  if (body_days !== null) kept.push(`bodies ${periodText(body_days)}`);
  return `with ${value === null ? property : `${property}=${value}`}: ${kept.join(", ")}`;
}

const periodText = (days: number) => (days === 0 ? "forever" : counted(days, "day"));

function readDays(text: unknown, name: string): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "forever") return 0;
  if (text === "default") return null;
  if (/^\d{1,5}$/.test(String(text)) && Number(text) <= 36_500) return Number(text);
  throw new UsageError(`--${name} takes a number of days, forever or default, not ${text}`);
}

function readRule(text: string): PropertyRetention {
  const [, property, value = null, days, bodyDays] =
    /^([^=]+?)(?:=(.*))?:(\d{1,5}|forever)(?:\/(\d{1,5}|forever))?$/.exec(text) ?? [];
  if (property === undefined) throw new UsageError(`--property takes NAME[=VALUE]:DAYS[/BODY_DAYS], not ${text}`);
  const read = (each: string | undefined) => readDays(each, "property") ?? null;
  return { property, value, days: read(days), body_days: read(bodyDays) };
}

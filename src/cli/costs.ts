import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { counted } from "../counted.ts";
import { engineReader } from "../engine/reader.ts";
import { keysOf } from "../engine/record-source.ts";
import { recomputeCosts } from "../jobs/remap/recompute.ts";
import { explainCost } from "../mapping/prices/explain.ts";
import { readIsoTime } from "../record/iso-time.ts";
import { providerOf } from "../record/provider.ts";
import type { RequestRow } from "../record/request-record.ts";
import { lockDirectory } from "../store/database/lock.ts";
import { LearntTables } from "../store/models/learnt.ts";
import { type Progress, placeOrder, type RecomputeOrder, stateOf } from "../store/models/recompute-order.ts";
import { type Database, openStore } from "../store/store.ts";
import type { Invocation, Run } from "./command.ts";
import { printJson, printTable } from "./print.ts";
import { regionConfig, withHome } from "./region.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { reachDirectory, withStore } from "./with-store.ts";
import { withoutService } from "./without-service.ts";

/** How long to wait for a running service to begin. */
const BEGIN_MS = 60_000;
const LOOK_MS = 200;

/** A running service recomputes, because it writes the records; without one this command does. */
export const recomputeCostsCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  const config = regionConfig(invocation);
  const { since, model } = options as Record<string, string | undefined>;
  const from = since === undefined ? 0 : readIsoTime(since);
  if (from === undefined) throw new UsageError("--since takes an ISO 8601 date such as 2026-01-31");
  const order = { id: randomUUID(), since: from, model: model ?? null, dryRun: options["dry-run"] === true };
  let shownAt = 0;
  const onProgress = ({ seen, total, changed }: Progress) => {
    if (Date.now() - shownAt < 1_000) return;
    shownAt = Date.now();
    terminal.err(`${seen} of ${counted(total, "record")}, ${changed} ${order.dryRun ? "would change" : "changed"}\n`);
  };
  reachDirectory(config);
  const lock = lockDirectory(config.data_dir);
  let done: Progress;
  try {
    done =
      lock === undefined ? await served(config, order, onProgress) : await recomputeHere(invocation, order, onProgress);
  } finally {
    lock?.release();
  }
  const { seen, changed, before, after } = done;
  terminal.out(
    `${JSON.stringify({ records: seen, changed, cost_before: before, cost_after: after, dry_run: order.dryRun })}\n`,
  );
  return 0;
};

type OnProgress = (progress: Progress) => void;

/** Requests the job from the running service, and waits. */
async function served(config: Config, order: RecomputeOrder, onProgress: OnProgress): Promise<Progress> {
  return withStore(config, async ({ records }) => {
    await placeOrder(records, order);
    for (const begunUntil = Date.now() + BEGIN_MS; ; await sleep(LOOK_MS)) {
      const state = await stateOf(records, order.id);
      if (state === undefined) {
        if (Date.now() > begunUntil)
          throw new CommandError("the service has not begun yet; it continues in the background");
        continue;
      }
      if (state.failed !== undefined) throw new CommandError(`the service gave up: ${state.failed}`);
      if (state.done) return state;
      onProgress(state);
    }
  });
}

async function recomputeHere(
  invocation: Invocation,
  { since, model, dryRun }: RecomputeOrder,
  onProgress: OnProgress,
): Promise<Progress> {
  return withoutService(invocation, regionConfig(invocation), (parts) =>
    recomputeCosts({ ...parts, since, model: model ?? undefined, dryRun, onProgress }),
  );
}

export const explainCostCommand: Run = async (invocation) => {
  const { args, options, terminal } = invocation;
  const config = regionConfig(invocation);
  const id = args[0]!.toLowerCase();
  const explain = async (records: Database, home: Database | undefined) => {
    const row = await recordOf(config, id);
    if (row === undefined) throw new CommandError(`there is no request ${args[0]}`);
    const learnt = new LearntTables(config.prices, home);
    await learnt.load(records);
    return { row, ...explainCost(row, learnt.priceOf(row.organization_id, providerOf(row))) };
  };
  const explained = await withHome(invocation, config, (home) =>
    withStore(config, ({ records }) => explain(records, home)),
  );
  const { row, lines, rates, ...explanation } = explained;
  if (options["json"]) {
    printJson(terminal, { request_id: row.request_id, ...explanation, lines, rates });
    return 0;
  }
  const cells = lines.map((line) => [line.what, `${line.count}`, `$${line.perMillion}`, `$${line.dollars}`]);
  if (cells.length > 0) printTable(terminal, ["what", "count", "per million", "cost"], cells);
  terminal.out(
    `${row.provider} ${row.model ?? "(no model)"}: ${explanation.cost === null ? "unknown" : `$${explanation.cost}`}\n`,
  );
  if (explanation.cost_source !== null) terminal.out(`source: ${explanation.cost_source}\n`);
  terminal.out(`${explanation.note}\n`);
  return 0;
};

/** In any organization. Only a reader's connection sees the bodies' file, which holds parts of a record. */
async function recordOf(config: Config, id: string): Promise<RequestRow | undefined> {
  const reader = await openStore(config, "current");
  try {
    const { source } = engineReader(reader, config);
    const organization = await source.organizationOf(id);
    return organization === undefined ? undefined : (await source.records(organization, keysOf([id])))[0];
  } finally {
    await reader.close();
  }
}

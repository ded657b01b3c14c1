import { and, count, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { datasetRunResults, datasetRuns } from "../../record/tables.ts";
import { record, recorded } from "../audit/recorded.ts";
import { over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Sender } from "../people/sent-for.ts";
import type { Database } from "../store.ts";

/** Where the items of a run are sent. */
export interface Target {
  /** Unique within the run. */
  readonly name: string;
  /** A model string: a model, a route, or several of them. */
  readonly model: string;
  /** A system prompt that replaces the item's. */
  readonly system: string | null;
  /** Other fields of the body, such as `temperature`. */
  readonly parameters: Json;
  /** Recorded with each call. */
  readonly prompt_id: string | null;
  readonly prompt_version: string | null;
}

export interface RunSettings {
  /** Concurrent calls. */
  readonly concurrency: number;
  /** US dollars; null for no limit. */
  readonly max_cost: number | null;
  /** How often a call is retried when the provider fails. */
  readonly retries: number;
  readonly stream: boolean;
}

type Row = typeof datasetRuns.$inferSelect;

export type RunState = Row["state"];

export type Run = Omit<Row, "targets" | "settings" | "sender"> & {
  readonly targets: readonly Target[];
  readonly settings: RunSettings;
  readonly sender: Sender;
};

/** A run and its progress. */
export type RunProgress = Run & {
  readonly done: number;
  readonly errors: number;
  /** US dollars, for calls with a known price. */
  readonly cost: number;
  readonly unknown_costs: number;
};

/** Not bound as a parameter: SQLite uses a partial index only if the query repeats its condition literally. */
const RUNNING = sql`${datasetRuns.state} = 'running'`;
/** Maximum runs per dataset, and running ones per organization. */
const RUNS_MAX = 100;
const RUNNING_MAX = 10;

/** Runs of a dataset, newest first. */
export function listRuns(records: Database, datasetId: string): Promise<RunProgress[]> {
  return withProgress(records, eq(datasetRuns.dataset_id, datasetId));
}

export async function findRun(records: Database, datasetId: string, id: string): Promise<RunProgress | undefined> {
  return (await withProgress(records, and(eq(datasetRuns.dataset_id, datasetId), eq(datasetRuns.id, id))))[0];
}

async function withProgress(records: Database, which: SQL | undefined): Promise<RunProgress[]> {
  const { run_id, ok, cost } = datasetRunResults;
  const sum = (of: SQL | AnySQLiteColumn) => sql<number>`coalesce(sum(${of}), 0)`;
  const progress = {
    done: count(ok),
    errors: sum(eq(ok, false)),
    cost: sum(cost),
    unknown_costs: sum(sql`${eq(ok, true)} and ${isNull(cost)}`),
  };
  const rows = await over(records)
    .select({ run: datasetRuns, ...progress })
    .from(datasetRuns)
    .leftJoin(datasetRunResults, eq(run_id, datasetRuns.id))
    .where(which)
    .groupBy(datasetRuns.id)
    .orderBy(desc(datasetRuns.id));
  return rows.map(({ run, ...totals }) => ({ ...toRun(run), ...totals }));
}

/** Unfinished runs, oldest first. */
export async function runningRuns(records: Database, limit: number): Promise<Run[]> {
  const { id } = datasetRuns;
  const rows = await over(records).select().from(datasetRuns).where(RUNNING).orderBy(id).limit(limit);
  return rows.map(toRun);
}

/** @throws GatewayError `invalid_body` when there are too many. */
export async function startRun(records: Database, run: Run, by: Acting): Promise<void> {
  const db = over(records);
  const { dataset_id, organization_id } = datasetRuns;
  if ((await db.$count(datasetRuns, eq(dataset_id, run.dataset_id))) >= RUNS_MAX)
    throw new GatewayError("invalid_body", `the dataset has ${RUNS_MAX} runs already: delete one first`);
  const running = and(eq(organization_id, run.organization_id), RUNNING);
  if ((await db.$count(datasetRuns, running)) >= RUNNING_MAX)
    throw new GatewayError("invalid_body", `${RUNNING_MAX} runs are under way already: wait for one, or cancel it`);
  const insert = db.insert(datasetRuns).values({ ...run, sender: senderText(run.sender) });
  const after = { targets: run.targets.map(({ model }) => model), items: run.items, max_cost: run.settings.max_cost };
  await recorded(records, [insert], by, { ...actOf("dataset_run.started", run), after });
}

/** @returns whether it was running. */
export async function cancelRun(records: Database, run: Run, by: Acting): Promise<boolean> {
  if (run.state !== "running") return false;
  const change = finish(records, run.id, { state: "cancelled", reason: null });
  await record(records, { statements: [change], by, acts: [actOf("dataset_run.cancelled", run)], ifChanged: true });
  return true;
}

/** Resumes with the remaining calls and, on request, with the failed ones. */
export async function resumeRun(
  records: Database,
  run: Run,
  { again, sender, settings }: { readonly again: boolean } & Pick<Run, "sender" | "settings">,
  by: Acting,
): Promise<void> {
  const db = over(records);
  const { run_id, ok } = datasetRunResults;
  const set = { reason: null, finished_at: null, sender: senderText(sender), settings };
  const statements = [
    ...(again ? [db.delete(datasetRunResults).where(and(eq(run_id, run.id), eq(ok, false)))] : []),
    db
      .update(datasetRuns)
      .set({ ...set, state: "running" })
      .where(eq(datasetRuns.id, run.id)),
  ];
  const after = { errors_again: again, max_cost: settings.max_cost };
  await recorded(records, statements, by, { ...actOf("dataset_run.resumed", run), after });
}

type End = Pick<Run, "state" | "reason">;

export async function finishRun(records: Database, id: string, end: End): Promise<void> {
  await patiently(() => finish(records, id, end));
}

const finish = (records: Database, id: string, end: End) =>
  over(records)
    .update(datasetRuns)
    .set({ ...end, finished_at: Date.now() })
    .where(and(eq(datasetRuns.id, id), RUNNING));

export async function removeRun(records: Database, run: Run, by: Acting): Promise<void> {
  const db = over(records);
  const results = db.delete(datasetRunResults).where(eq(datasetRunResults.run_id, run.id));
  await recorded(
    records,
    [results, db.delete(datasetRuns).where(eq(datasetRuns.id, run.id))],
    by,
    actOf("dataset_run.removed", run),
  );
}

function actOf(action: Act["action"], { id, name, organization_id }: Run): Act {
  return { action, organizationId: organization_id, object: { kind: "dataset_run", id, name } };
}

const senderText = ({ kind, id }: Sender): string => `${kind}:${id}`;

function toRun({ targets, settings, sender, ...row }: Row): Run {
  const at = sender.indexOf(":");
  return {
    ...row,
    targets: targets as Target[],
    settings: settings as RunSettings,
    sender: { kind: sender.slice(0, at) as Sender["kind"], id: sender.slice(at + 1) },
  };
}

import { GatewayError } from "../../errors.ts";
import type { Act } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import type { Json } from "../../plugin/contract.ts";
import { record, recorded } from "../audit/recorded.ts";
import { patiently } from "../database/patiently.ts";
import type { Sender } from "../people/sent-for.ts";
import type { Database, Statement } from "../store.ts";

/** What each item of a run is sent to. */
export interface Target {
  /** Unlike that of the others. */
  readonly name: string;
  /** A model string: a model, a route, several. */
  readonly model: string;
  /** A system prompt in place of the item's. */
  readonly system: string | null;
  /** Other members of the body, such as `temperature`. */
  readonly parameters: Json;
  /** Recorded with each call. */
  readonly prompt_id: string | null;
  readonly prompt_version: string | null;
}

export interface RunSettings {
  /** Calls at a time. */
  readonly concurrency: number;
  /** US dollars; null for no limit. */
  readonly max_cost: number | null;
  /** How often a call is made again where the provider fails. */
  readonly retries: number;
  readonly stream: boolean;
}

export type RunState = "running" | "done" | "stopped" | "cancelled";

export interface Run {
  readonly id: string;
  readonly dataset_id: string;
  readonly organization_id: string;
  readonly name: string;
  /** Of the dataset. */
  readonly version: number;
  readonly label: string | null;
  readonly targets: readonly Target[];
  readonly settings: RunSettings;
  /** When it was started. */
  readonly items: number;
  readonly state: RunState;
  readonly reason: string | null;
  readonly created_by: string;
  readonly sender: Sender;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly finished_at: number | null;
}

/** A run and how far it is. */
export interface RunProgress extends Run {
  readonly done: number;
  readonly errors: number;
  /** US dollars, of the calls whose price is known. */
  readonly cost: number;
  readonly unknown_costs: number;
}

type Row = Omit<Run, "targets" | "settings" | "sender"> & {
  readonly targets: string;
  readonly settings: string;
  readonly sender: string;
};

/** A dataset has so many at most, and an organization so many that run. */
const RUNS_MAX = 100;
const RUNNING_MAX = 10;

const COLUMNS = `id, dataset_id, organization_id, name, version, label, targets, settings, items, state, reason, created_by, sender,
  created_at, finished_at`;
const PROGRESS = `select r.*, count(x.ok) as done, coalesce(sum(x.ok = 0), 0) as errors, coalesce(sum(x.cost), 0) as cost,
    coalesce(sum(x.ok = 1 and x.cost is null), 0) as unknown_costs
  from dataset_runs r left join dataset_run_results x on x.run_id = r.id`;

/** Of a dataset, the newest first. */
export async function listRuns(records: Database, datasetId: string): Promise<RunProgress[]> {
  const sql = `${PROGRESS} where r.dataset_id = ? group by r.id order by r.id desc`;
  return (await records.query<Row & RunProgress>({ sql, args: [datasetId] })).map(toRun<RunProgress>);
}

export async function findRun(records: Database, datasetId: string, id: string): Promise<RunProgress | undefined> {
  const sql = `${PROGRESS} where r.dataset_id = ? and r.id = ? group by r.id`;
  return (await records.query<Row & RunProgress>({ sql, args: [datasetId, id] })).map(toRun<RunProgress>)[0];
}

/** Those that are under way, the oldest first. */
export async function runningRuns(records: Database, limit: number): Promise<Run[]> {
  const sql = `select ${COLUMNS} from dataset_runs where state = 'running' order by id limit ?`;
  return (await records.query<Row>({ sql, args: [limit] })).map(toRun<Run>);
}

/** @throws GatewayError `invalid_body` where there are too many. */
export async function startRun(records: Database, run: Run, by: Acting): Promise<void> {
  const sql = `select sum(dataset_id = ?) as runs, sum(state = 'running') as running from dataset_runs where organization_id = ?`;
  const [counted] = await records.query<{ runs: number | null; running: number | null }>({
    sql,
    args: [run.dataset_id, run.organization_id],
  });
  if ((counted?.runs ?? 0) >= RUNS_MAX)
    throw new GatewayError("invalid_body", `the dataset has ${RUNS_MAX} runs already: delete one first`);
  if ((counted?.running ?? 0) >= RUNNING_MAX)
    throw new GatewayError("invalid_body", `${RUNNING_MAX} runs are under way already: wait for one, or cancel it`);
  const args = [
    ...[run.id, run.dataset_id, run.organization_id, run.name, run.version, run.label],
    ...[JSON.stringify(run.targets), JSON.stringify(run.settings), run.items, run.state, run.reason],
    ...[run.created_by, senderText(run.sender), run.created_at, run.finished_at],
  ];
  const insert = { sql: `insert into dataset_runs (${COLUMNS}) values (${args.map(() => "?").join(", ")})`, args };
  const after = { targets: run.targets.map(({ model }) => model), items: run.items, max_cost: run.settings.max_cost };
  await recorded(records, [insert], by, { ...actOf("dataset_run.started", run), after });
}

/** @returns whether it was under way. */
export async function cancelRun(records: Database, run: Run, by: Acting): Promise<boolean> {
  const sql =
    "update dataset_runs set state = 'cancelled', reason = null, finished_at = ? where id = ? and state = 'running'";
  if (run.state !== "running") return false;
  const statements = [{ sql, args: [Date.now(), run.id] }];
  await record(records, { statements, by, acts: [actOf("dataset_run.cancelled", run)], ifChanged: true });
  return true;
}

/** Goes on with what is left, and with what failed where that is wanted. */
export async function resumeRun(
  records: Database,
  run: Run,
  { again, sender, settings }: { readonly again: boolean } & Pick<Run, "sender" | "settings">,
  by: Acting,
): Promise<void> {
  const statements: Statement[] = [
    ...(again ? [{ sql: "delete from dataset_run_results where run_id = ? and ok = 0", args: [run.id] }] : []),
    {
      sql: "update dataset_runs set state = 'running', reason = null, finished_at = null, sender = ?, settings = ? where id = ?",
      args: [senderText(sender), JSON.stringify(settings), run.id],
    },
  ];
  const after = { errors_again: again, max_cost: settings.max_cost };
  await recorded(records, statements, by, { ...actOf("dataset_run.resumed", run), after });
}

export async function finishRun(
  records: Database,
  id: string,
  { state, reason }: { readonly state: RunState; readonly reason: string | null },
): Promise<void> {
  const sql = "update dataset_runs set state = ?, reason = ?, finished_at = ? where id = ? and state = 'running'";
  await patiently(() => records.batch([{ sql, args: [state, reason, Date.now(), id] }]));
}

export async function removeRun(records: Database, run: Run, by: Acting): Promise<void> {
  const statements: Statement[] = [
    { sql: "delete from dataset_run_results where run_id = ?", args: [run.id] },
    { sql: "delete from dataset_runs where id = ?", args: [run.id] },
  ];
  await recorded(records, statements, by, actOf("dataset_run.removed", run));
}

function actOf(action: Act["action"], { id, name, organization_id }: Run): Act {
  return { action, organizationId: organization_id, object: { kind: "dataset_run", id, name } };
}

const senderText = ({ kind, id }: Sender): string => `${kind}:${id}`;

function toRun<T extends Run>({ targets, settings, sender, ...row }: Row): T {
  const at = sender.indexOf(":");
  return {
    ...row,
    targets: JSON.parse(targets),
    settings: JSON.parse(settings),
    sender: { kind: sender.slice(0, at), id: sender.slice(at + 1) },
  } as unknown as T;
}

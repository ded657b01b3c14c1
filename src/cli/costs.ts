import { recomputeCosts } from "../jobs/recompute.ts";
import { explainCost } from "../mapping/explain.ts";
import { configuredLog } from "../observe.ts";
import { openRegistry } from "../plugin/live.ts";
import type { RequestRow } from "../record/request-record.ts";
import { rewriteRecords } from "../recorder/rewrite.ts";
import { LearntTables } from "../store/learnt.ts";
import { patiently } from "../store/patiently.ts";
import { type Database, openStore, type Store } from "../store/store.ts";
import type { Run } from "./commands.ts";
import { withStore } from "./models.ts";
import { table } from "./print.ts";
import { regionConfig, withHome } from "./region.ts";
import { CommandError, UsageError } from "./usage.ts";

/** Works beside a running service too: the columns that it writes are written once, when a record ends. */
export const recomputeCostsCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  const config = regionConfig(invocation);
  const { since, model } = options as Record<string, string | undefined>;
  const from = since === undefined ? 0 : Date.parse(since);
  if (Number.isNaN(from)) throw new UsageError("--since takes an ISO 8601 date such as 2026-01-31");
  const dryRun = options["dry-run"] === true;
  const registry = await openRegistry({ config, log: configuredLog(config) });
  const reader = await openStore(config, "current");
  let shownAt = 0;
  try {
    const recompute = async (store: Store, home: Database | undefined) => {
      const learnt = new LearntTables(config.prices, home);
      await learnt.load(store.records);
      const done = await recomputeCosts({
        reader,
        rewrite: (changes) => patiently(async () => void (await rewriteRecords(store, changes, Date.now()))),
        learnt,
        provider: (name) => registry.current().providerByName(name),
        since: from,
        model,
        dryRun,
        onProgress: ({ seen, total, changed }) => {
          if (Date.now() - shownAt < 1_000) return;
          shownAt = Date.now();
          terminal.err(`${seen} of ${total} records, ${changed} ${dryRun ? "would change" : "changed"}\n`);
        },
      });
      const { seen, changed, before, after } = done;
      terminal.out(
        `${JSON.stringify({ records: seen, changed, cost_before: before, cost_after: after, dry_run: dryRun })}\n`,
      );
    };
    await withHome(invocation, config, (home) => withStore(config, (store) => recompute(store, home)));
  } finally {
    registry.close();
    await reader.close();
  }
  return 0;
};

export const explainCostCommand: Run = async (invocation) => {
  const { args, options, terminal } = invocation;
  const config = regionConfig(invocation);
  const id = args[0]!.toLowerCase();
  const explain = async ({ records }: Store, home: Database | undefined) => {
    const [row] = await records.query<RequestRow>({ sql: "select * from requests where request_id = ?", args: [id] });
    if (row === undefined) throw new CommandError(`there is no request ${args[0]}`);
    const learnt = new LearntTables(config.prices, home);
    await learnt.load(records);
    return { row, ...explainCost(row, learnt.priceOf(row.organization_id, row.provider)) };
  };
  const explained = await withHome(invocation, config, (home) => withStore(config, (store) => explain(store, home)));
  const { row, lines, rates, ...told } = explained;
  if (options["json"]) {
    terminal.out(`${JSON.stringify({ request_id: row.request_id, ...told, lines, rates }, null, 2)}\n`);
    return 0;
  }
  const cells = lines.map((line) => [line.what, `${line.count}`, `$${line.perMillion}`, `$${line.dollars}`]);
  if (cells.length > 0) terminal.out(table(["what", "count", "per million", "cost"], cells));
  terminal.out(`${row.provider} ${row.model ?? "(no model)"}: ${told.cost === null ? "unknown" : `$${told.cost}`}\n`);
  if (told.cost_source !== null) terminal.out(`source: ${told.cost_source}\n`);
  terminal.out(`${told.note}\n`);
  return 0;
};

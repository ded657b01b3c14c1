import { setImmediate as nextTurn } from "node:timers/promises";
import type { RecordWalk, WalkPosition } from "../../engine/record-walk.ts";
import { statedCost } from "../../mapping/errors-and-costs.ts";
import { parseJson } from "../../mapping/json.ts";
import { costOf, FREE, SET_BY_PLUGIN } from "../../mapping/prices/cost.ts";
import { isPriceable, modelsOfRow, usageOfRow } from "../../mapping/prices/explain.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { dollars, isCost } from "../../record/dollars.ts";
import { usageText } from "../../record/kinds.ts";
import { providerOf } from "../../record/provider.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { Learnt } from "../../store/models/learnt.ts";
import type { Progress } from "../../store/models/recompute-order.ts";
import type { Store } from "../../store/store.ts";
import type { RecordChange } from "../../threads.ts";
import { loadRecorded, type Recorded, toInputs } from "./recorded.ts";

/** Records per step. */
const STEP_ROWS = 500;
/** Records per step with bodies, which a provider's own rule may read. */
const STEP_ROWS_WITH_BODIES = 50;

export interface RecomputeOptions {
  readonly reader: Store;
  readonly walk: RecordWalk;
  readonly rewrite: (changes: readonly RecordChange[]) => Promise<unknown>;
  readonly learnt: Learnt;
  readonly provider: (name: string) => ProviderPlugin | undefined;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly model: string | undefined;
  readonly dryRun: boolean;
  readonly onProgress: (progress: Progress) => void;
}

/** Reprices recorded usage, in small steps. Costs that were not computed stay. Can be interrupted and repeated. */
export async function recomputeCosts(options: RecomputeOptions): Promise<Progress> {
  const { walk, since, model, rewrite, dryRun, onProgress } = options;
  // Later records already get the new prices when they are recorded.
  const walked = { kind: "priced", since, until: Date.now(), model } as const;
  let progress: Progress = { seen: 0, changed: 0, before: 0, after: 0, total: await walk.count(walked) };
  let [before, after] = [0, 0];
  for (let at: WalkPosition | undefined; ; ) {
    const rows = await walk.next(walked, at, STEP_ROWS);
    at = rows.at(-1);
    if (at === undefined) return progress;
    const changes: RecordChange[] = [];
    for (const recorded of await withBodies(rows, options)) {
      const { row } = recorded;
      const now = costNow(recorded, options);
      if (now.cost !== row.cost || now.source !== row.cost_source) {
        changes.push({ requestId: row.request_id, columns: { cost: now.cost, cost_source: now.source } });
      }
      before += row.cost ?? 0;
      after += now.cost ?? 0;
    }
    if (changes.length > 0 && !dryRun) await rewrite(changes);
    const [seen, changed] = [progress.seen + rows.length, progress.changed + changes.length];
    progress = { ...progress, seen, changed, before: dollars(before), after: dollars(after) };
    onProgress(progress);
    await nextTurn();
  }
}

/** Bodies are read only for providers with their own cost rule. */
async function withBodies(rows: readonly RequestRow[], { provider, reader }: RecomputeOptions): Promise<Recorded[]> {
  const ruled = rows.filter((row) => row.unread === null && provider(providerOf(row))?.cost !== undefined);
  const full = new Map<string, Recorded>();
  for (let at = 0; at < ruled.length; at += STEP_ROWS_WITH_BODIES) {
    for (const each of await loadRecorded(reader.content, ruled.slice(at, at + STEP_ROWS_WITH_BODIES)))
      full.set(each.row.request_id, each);
  }
  const bare = {
    requestBody: undefined,
    responseBody: undefined,
    events: undefined,
    bodies: { request: undefined, response: undefined },
    requestHeaders: [],
    responseHeaders: [],
  };
  return rows.map((row) => full.get(row.request_id) ?? { row, ...bare });
}

function costNow(recorded: Recorded, { provider, learnt }: RecomputeOptions) {
  const { row } = recorded;
  if (row.cost_source === SET_BY_PLUGIN) return { cost: row.cost, source: row.cost_source };
  if (row.cached !== 0) return FREE;
  const plugin = provider(providerOf(row));
  const raw = row.usage_raw === null ? undefined : parseJson(usageText(row.usage_raw));
  const wasStated = row.cost_source === "stated by the provider" ? (row.cost ?? undefined) : undefined;
  const now = costOf({
    provider: plugin,
    models: modelsOfRow(row),
    usage: usageOfRow(row),
    usageRaw: raw,
    statedCost: wasStated ?? statedCost(raw),
    ownPrice: isPriceable(row) ? learnt.priceOf(row.organization_id, providerOf(row)) : undefined,
    exchange: toInputs(recorded, plugin, () => undefined).provider,
    at: new Date(row.request_created_at),
  });
  // An imported cost without its source would be lost, because nothing here can compute it.
  const isImported = row.cost_source === null && isCost(row.cost);
  return now.cost === null && isImported ? { cost: row.cost, source: null } : now;
}

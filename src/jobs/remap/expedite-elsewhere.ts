import { setTimeout as sleep } from "node:timers/promises";
import { shownVersion } from "../../store/models/mapping-steps.ts";
import { mappingHistory } from "../../store/models/mappings.ts";
import { expeditedModels, expediteModels, listModels } from "../../store/models/models.ts";
import type { Database } from "../../store/store.ts";
import type { ExpediteOrder, ModelOutcome } from "../../threads.ts";

const LOOK_MS = 200;
/** Longer than any caller waits; the order is processed regardless. */
const WAIT_MS = 60_000;

/** Orders the mapping of a model through the table, from the node that runs the jobs, and waits for the result. */
export async function expediteElsewhere(records: Database, order: ExpediteOrder): Promise<readonly ModelOutcome[]> {
  const { organizationId, model } = order;
  await expediteModels(records, order);
  const until = Date.now() + WAIT_MS;
  while ((await expeditedModels(records, order)).length > 0 && Date.now() < until) await sleep(LOOK_MS);
  const outcomes: ModelOutcome[] = [];
  for (const row of await listModels(records, organizationId, model)) {
    const { provider, state, reason } = row;
    if (order.provider !== undefined && provider !== order.provider) continue;
    const version = shownVersion(await mappingHistory(records, { organizationId, provider, model }));
    const { confidence = null, samples = 0 } = version ?? {};
    outcomes.push({ provider, model, state, version: version?.version ?? null, confidence, samples, reason });
  }
  return outcomes;
}

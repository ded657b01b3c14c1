import { and, desc, getTableColumns, isNotNull } from "drizzle-orm";
import { models } from "../../record/tables.ts";
import { ifGiven, over } from "../database/builder.ts";
import { patiently } from "../database/while-locked.ts";
import type { Database } from "../store.ts";

/** A model that requests used, and whether a mapping reads it. */
export type ModelRow = Omit<typeof models.$inferSelect, "expedited_at">;

/** Models that requests used, most used first: of one organization, or of all. */
export async function listModels(records: Database, organizationId?: string, model?: string): Promise<ModelRow[]> {
  const { expedited_at: _, ...shown } = getTableColumns(models);
  return over(records)
    .select(shown)
    .from(models)
    .where(those({ organizationId, model }))
    .orderBy(desc(models.count), models.provider, models.model);
}

interface WhichModels {
  readonly organizationId?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** Orders the process that runs the jobs to map models immediately. */
export async function expediteModels(records: Database, which: WhichModels): Promise<void> {
  await patiently(() => over(records).update(models).set({ expedited_at: Date.now() }).where(those(which)));
}

/** Models with such an order that is not carried out yet. */
export async function expeditedModels(records: Database, which: WhichModels = {}): Promise<ModelRow[]> {
  return over(records)
    .select()
    .from(models)
    .where(and(those(which), isNotNull(models.expedited_at)));
}

const those = ({ organizationId, provider, model }: WhichModels) =>
  and(
    ifGiven(models.organization_id, organizationId),
    ifGiven(models.provider, provider),
    ifGiven(models.model, model),
  );

/** Number of newest requests that `askedModels` reads. */
const LOOKED_AT = 2_000;

/**
 * Model names in requests, by `<provider> <model>` as recorded: a response may name a specific version of the requested
 * model.
 */
export async function requestedModels(records: Database, organizationId: string): Promise<Map<string, string[]>> {
  const sql = `select distinct provider, model, request_model as requested from (
      select provider, model, request_model from whole_requests where organization_id = ?
      order by request_created_at desc, request_id desc limit ${LOOKED_AT}
    ) where request_model is not null and request_model <> model`;
  const rows = await records.query<{ provider: string; model: string; requested: string }>({
    sql,
    args: [organizationId],
  });
  const names = Map.groupBy(rows, ({ provider, model }) => `${provider} ${model}`);
  return new Map([...names].map(([key, found]) => [key, found.map(({ requested }) => requested)]));
}

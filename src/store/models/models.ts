import type { Database } from "../store.ts";

/** A model that was seen, and whether a mapping reads it. */
export interface ModelRow {
  readonly organization_id: string;
  readonly provider: string;
  readonly model: string;
  readonly state: "pending" | "mapped";
  readonly count: number;
  readonly since: number;
  readonly reason: string | null;
}

/** Models that were seen, the most used first: of one organization, or of all. */
export async function listModels(records: Database, organizationId?: string, model?: string): Promise<ModelRow[]> {
  const sql = `select organization_id, provider, model, state, count, since, reason from models
    where (?1 is null or organization_id = ?1) and (?2 is null or model = ?2) order by count desc, provider, model`;
  return records.query<ModelRow>({ sql, args: [organizationId ?? null, model ?? null] });
}

/** Requests that `askedModels` looks at: the newest. */
const LOOKED_AT = 2_000;

/** Names that requests asked for, by `<provider> <model>` as they were recorded: an answer may name a version of it. */
export async function askedModels(records: Database, organizationId: string): Promise<Map<string, string[]>> {
  const sql = `select distinct provider, model, request_model as asked from (
      select provider, model, request_model from whole_requests where organization_id = ?
      order by request_created_at desc, request_id desc limit ${LOOKED_AT}
    ) where request_model is not null and request_model <> model`;
  const rows = await records.query<{ provider: string; model: string; asked: string }>({ sql, args: [organizationId] });
  const names = Map.groupBy(rows, ({ provider, model }) => `${provider} ${model}`);
  return new Map([...names].map(([key, found]) => [key, found.map(({ asked }) => asked)]));
}

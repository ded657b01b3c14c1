import type { OwnPrice } from "../../mapping/prices/own.ts";
import { patiently } from "../database/patiently.ts";
import type { Database } from "../store.ts";

/** What an admin says that a model costs. */
export interface StoredPrice {
  readonly organizationId: string;
  readonly provider: string;
  /** May end in `*`. */
  readonly model: string;
  readonly price: OwnPrice;
  readonly updatedAt: number;
}

interface PriceRow {
  readonly organization_id: string;
  readonly provider: string;
  readonly model: string;
  readonly price: string;
  readonly updated_at: number;
}

/** Of one organization, or of all. */
export async function listPrices(records: Database, organizationId?: string): Promise<StoredPrice[]> {
  const sql = `select organization_id, provider, model, price, updated_at from prices
    where ?1 is null or organization_id = ?1 order by provider, model`;
  const rows = await records.query<PriceRow>({ sql, args: [organizationId ?? null] });
  return rows.map((row) => ({
    organizationId: row.organization_id,
    provider: row.provider,
    model: row.model,
    price: JSON.parse(row.price) as OwnPrice,
    updatedAt: row.updated_at,
  }));
}

export async function putPrice(
  records: Database,
  { organizationId, provider, model, price }: Omit<StoredPrice, "updatedAt">,
) {
  const sql = `insert into prices (organization_id, provider, model, price, updated_at) values (?, ?, ?, ?, ?)
    on conflict (organization_id, provider, model) do update set price = excluded.price, updated_at = excluded.updated_at`;
  const args = [organizationId, provider, model, JSON.stringify(price), Date.now()];
  await patiently(() => records.batch([{ sql, args }]));
}

/** @returns whether there was one. */
export async function removePrice(
  records: Database,
  organizationId: string,
  provider: string,
  model: string,
): Promise<boolean> {
  const all = await listPrices(records, organizationId);
  if (!all.some((price) => price.provider === provider && price.model === model)) return false;
  const sql = "delete from prices where organization_id = ? and provider = ? and model = ?";
  await patiently(() => records.batch([{ sql, args: [organizationId, provider, model] }]));
  return true;
}

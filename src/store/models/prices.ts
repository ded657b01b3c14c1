import type { OwnPrice } from "../../mapping/prices/own.ts";
import type { Acting } from "../../people/actor.ts";
import { recorded } from "../audit/recorded.ts";
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
  by: Acting,
): Promise<void> {
  const known = await findPrice(records, { organizationId, provider, model });
  const sql = `insert into prices (organization_id, provider, model, price, updated_at) values (?, ?, ?, ?, ?)
    on conflict (organization_id, provider, model) do update set price = excluded.price, updated_at = excluded.updated_at`;
  const args = [organizationId, provider, model, JSON.stringify(price), Date.now()];
  await recorded(records, [{ sql, args }], by, {
    action: "price.changed",
    organizationId,
    object: { kind: "price", id: `${provider}/${model}`, name: model },
    ...(known !== undefined && { before: known.price }),
    after: price,
  });
}

/** @returns whether there was one. */
export async function removePrice(records: Database, which: WhichPrice, by: Acting): Promise<boolean> {
  const known = await findPrice(records, which);
  if (known === undefined) return false;
  const { organizationId, provider, model } = which;
  const sql = "delete from prices where organization_id = ? and provider = ? and model = ?";
  await recorded(records, [{ sql, args: [organizationId, provider, model] }], by, {
    action: "price.removed",
    organizationId,
    object: { kind: "price", id: `${provider}/${model}`, name: model },
    before: known.price,
  });
  return true;
}

type WhichPrice = Pick<StoredPrice, "organizationId" | "provider" | "model">;

async function findPrice(records: Database, { organizationId, provider, model }: WhichPrice) {
  const all = await listPrices(records, organizationId);
  return all.find((price) => price.provider === provider && price.model === model);
}

import { and, count, eq, sql } from "drizzle-orm";
import type { OwnPrice } from "../../mapping/prices/own.ts";
import type { OrganizationPrice } from "../../mapping/prices/own-prices.ts";
import type { Acting } from "../../people/actor.ts";
import { type mappings, prices } from "../../record/tables.ts";
import { recorded } from "../audit/recorded.ts";
import { ifGiven, over } from "../database/builder.ts";
import type { Database } from "../store.ts";

/** An admin's price for a model. */
export interface StoredPrice extends OrganizationPrice {
  readonly updatedAt: number;
}

/** Changes when a row of the table changes. */
export async function changesOf(database: Database, table: typeof mappings | typeof prices): Promise<string> {
  const [found] = await over(database)
    .select({ n: count(), sum: sql`total(${table.updated_at})` })
    .from(table);
  return JSON.stringify(found);
}

export const pricesFingerprint = (home: Database): Promise<string> => changesOf(home, prices);

/** Of one organization, or all. */
export async function listPrices(records: Database, organizationId?: string): Promise<StoredPrice[]> {
  const rows = await over(records)
    .select()
    .from(prices)
    .where(ifGiven(prices.organization_id, organizationId))
    .orderBy(prices.provider, prices.model);
  return rows.map(({ organization_id, provider, model, price, updated_at }) => ({
    ...{ organizationId: organization_id, provider, model, updatedAt: updated_at },
    price: price as OwnPrice,
  }));
}

export async function putPrice(
  records: Database,
  { organizationId, provider, model, price }: Omit<StoredPrice, "updatedAt">,
  by: Acting,
): Promise<void> {
  const known = await findPrice(records, { organizationId, provider, model });
  const { organization_id, provider: whose, model: which } = prices;
  const set = { price, updated_at: Date.now() };
  const upsert = over(records)
    .insert(prices)
    .values({ ...set, organization_id: organizationId, provider, model })
    .onConflictDoUpdate({ target: [organization_id, whose, which], set });
  await recorded(records, [upsert], by, {
    action: "price.changed",
    organizationId,
    object: { kind: "price", id: `${provider}/${model}`, name: model },
    ...(known !== undefined && { before: known.price }),
    after: price,
  });
}

/** @returns whether it existed. */
export async function removePrice(records: Database, which: WhichPrice, by: Acting): Promise<boolean> {
  const known = await findPrice(records, which);
  if (known === undefined) return false;
  const { organizationId, provider, model } = which;
  const it = and(eq(prices.organization_id, organizationId), eq(prices.provider, provider), eq(prices.model, model));
  await recorded(records, [over(records).delete(prices).where(it)], by, {
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

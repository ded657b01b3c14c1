import { count, sql } from "drizzle-orm";
import type { Mapping, MappingOf } from "../../mapping/mapping.ts";
import { MODEL_LENGTH_MAX, type OwnPrice, type OwnPriceOf, type PriceEntry } from "../../mapping/prices/own.ts";
import { mappings, prices } from "../../record/tables.ts";
import { over } from "../database/builder.ts";
import type { Database } from "../store.ts";
import { currentMappings } from "./mappings.ts";
import { listPrices } from "./prices.ts";

/** What a deployment knows beyond its plugins: how models are read, and what they cost. In memory, by organization. */
export interface Learnt {
  mappingOf(organizationId: string, provider: string): MappingOf;
  priceOf(organizationId: string, provider: string): OwnPriceOf;
}

interface Priced {
  readonly price: OwnPrice;
  readonly source: string;
}

/** The prices of one provider: by name, and by the beginning of a name, the longest first. */
interface PriceScope {
  readonly exact: ReadonlyMap<string, Priced>;
  readonly prefixes: readonly (readonly [prefix: string, priced: Priced])[];
}

type PriceScopes = ReadonlyMap<string, PriceScope>;

const keyOf = (...names: readonly string[]) => names.join("\n");

/** Kept in step with the tables by whoever calls `load` or `refresh`. */
export class LearntTables implements Learnt {
  readonly #configured: PriceScopes;
  #mappings: ReadonlyMap<string, Mapping> = new Map();
  #prices: PriceScopes = new Map();
  #fingerprint: string | undefined;

  readonly #home: Database | undefined;

  /**
   * @param prices - of the configuration: they hold for every organization, after its own.
   * @param home - where prices stand that people set, where that is another database.
   */
  constructor(prices: readonly PriceEntry[] = [], home?: Database) {
    this.#home = home;
    this.#configured = scopesOf(
      prices.map(({ provider, model, ...price }) => ({
        scope: provider.toUpperCase(),
        model,
        priced: { price, source: `configured price: ${provider.toUpperCase()} ${model}` },
      })),
    );
  }

  mappingOf(organizationId: string, provider: string): MappingOf {
    return (model) => this.#mappings.get(keyOf(organizationId, provider, model));
  }

  priceOf(organizationId: string, provider: string): OwnPriceOf {
    const scopes = [this.#prices.get(keyOf(organizationId, provider)), this.#configured.get(provider)];
    const own = scopes.filter((scope) => scope !== undefined);
    return (models) => {
      if (own.length === 0) return undefined;
      for (const model of models) {
        if (model.length > MODEL_LENGTH_MAX) continue;
        for (const scope of own) {
          const found = lookUp(scope, model);
          if (found !== undefined) return found;
        }
      }
      return undefined;
    };
  }

  /** Reads all of both tables. */
  async load(records: Database): Promise<void> {
    const [fingerprint, mappings, prices] = [
      await this.#readFingerprint(records),
      await currentMappings(records),
      await listPrices(this.#home ?? records),
    ];
    this.#mappings = new Map(
      mappings.map((each) => [keyOf(each.organizationId, each.provider, each.model), each.mapping]),
    );
    this.#prices = scopesOf(
      prices.map(({ organizationId, provider, model, price }) => ({
        scope: keyOf(organizationId, provider),
        model,
        priced: { price, source: `own price: ${provider} ${model}` },
      })),
    );
    this.#fingerprint = fingerprint;
  }

  /** Reads them where something has changed; the question alone is cheap. @returns whether anything had. */
  async refresh(records: Database): Promise<boolean> {
    if ((await this.#readFingerprint(records)) === this.#fingerprint) return false;
    await this.load(records);
    return true;
  }

  async #readFingerprint(records: Database): Promise<string> {
    const of = (database: Database, table: typeof mappings | typeof prices) =>
      over(database)
        .select({ n: count(), sum: sql`total(${table.updated_at})` })
        .from(table);
    return JSON.stringify([await of(records, mappings), await of(this.#home ?? records, prices)]);
  }
}

/** Groups prices by where they hold, so that a lookup takes one step per pattern, however long the name is. */
function scopesOf(entries: readonly { scope: string; model: string; priced: Priced }[]): PriceScopes {
  const scopes = new Map<string, { exact: Map<string, Priced>; prefixes: [string, Priced][] }>();
  for (const { scope, model, priced } of entries) {
    const known = scopes.get(scope) ?? { exact: new Map<string, Priced>(), prefixes: [] };
    scopes.set(scope, known);
    known.exact.set(model, priced);
    if (model.endsWith("*")) known.prefixes.push([model.slice(0, -1), priced]);
  }
  for (const { prefixes } of scopes.values()) prefixes.sort(([a], [b]) => b.length - a.length);
  return scopes;
}

/** Exact names first, then the longest beginning that ends in `*`. */
function lookUp({ exact, prefixes }: PriceScope, model: string): Priced | undefined {
  return exact.get(model) ?? prefixes.find(([prefix]) => model.startsWith(prefix))?.[1];
}

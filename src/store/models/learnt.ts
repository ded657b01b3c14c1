import type { Mapping, MappingOf } from "../../mapping/mapping.ts";
import type { OwnPrice, OwnPriceOf, PriceEntry } from "../../mapping/prices/own.ts";
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

const keyOf = (...names: readonly string[]) => names.join("\n");

/** Kept in step with the tables by whoever calls `load` or `refresh`. */
export class LearntTables implements Learnt {
  readonly #configured: ReadonlyMap<string, Priced>;
  #mappings: ReadonlyMap<string, Mapping> = new Map();
  #prices: ReadonlyMap<string, Priced> = new Map();
  #fingerprint: string | undefined;

  readonly #home: Database | undefined;

  /**
   * @param prices - of the configuration: they hold for every organization, after its own.
   * @param home - where prices stand that people set, where that is another database.
   */
  constructor(prices: readonly PriceEntry[] = [], home?: Database) {
    this.#home = home;
    this.#configured = new Map(
      prices.map(({ provider, model, ...price }) => [
        keyOf(provider.toUpperCase(), model),
        { price, source: `configured price: ${provider.toUpperCase()} ${model}` },
      ]),
    );
  }

  mappingOf(organizationId: string, provider: string): MappingOf {
    return (model) => this.#mappings.get(keyOf(organizationId, provider, model));
  }

  priceOf(organizationId: string, provider: string): OwnPriceOf {
    return (models) => {
      for (const model of models) {
        const found =
          lookUp(this.#prices, [organizationId, provider], model) ?? lookUp(this.#configured, [provider], model);
        if (found !== undefined) return found;
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
    this.#prices = new Map(
      prices.map(({ organizationId, provider, model, price }) => [
        keyOf(organizationId, provider, model),
        { price, source: `own price: ${provider} ${model}` },
      ]),
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
    const of = (table: string) => ({
      sql: `select count(*) || ':' || total(updated_at) as stand from ${table}`,
      args: [],
    });
    const home = this.#home ?? records;
    return JSON.stringify([await records.query<unknown>(of("mappings")), await home.query<unknown>(of("prices"))]);
  }
}

/** Exact names first, then the longest beginning that ends in `*`. */
function lookUp(prices: ReadonlyMap<string, Priced>, scope: readonly string[], model: string): Priced | undefined {
  if (prices.size === 0) return undefined;
  const exact = prices.get(keyOf(...scope, model));
  if (exact !== undefined) return exact;
  for (let length = model.length; length >= 0; length--) {
    const found = prices.get(keyOf(...scope, `${model.slice(0, length)}*`));
    if (found !== undefined) return found;
  }
  return undefined;
}

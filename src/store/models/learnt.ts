import type { MappingOf } from "../../mapping/mapping.ts";
import type { OwnPriceOf, PriceEntry } from "../../mapping/prices/own.ts";
import { OwnPrices } from "../../mapping/prices/own-prices.ts";
import { mappings } from "../../record/tables.ts";
import type { Database } from "../store.ts";
import { currentMappings, type StoredMapping } from "./mappings.ts";
import { changesOf, listPrices, pricesFingerprint } from "./prices.ts";

/** Mappings and prices of a deployment beyond its plugins. In memory, by organization. */
export interface Learnt {
  mappingOf(organizationId: string, provider: string): MappingOf;
  /** Returns the current mapping version of a model; 0 when it has none. */
  versionsOf(organizationId: string, provider: string): (model: string) => number;
  priceOf(organizationId: string, provider: string): OwnPriceOf;
}

const keyOf = (...names: readonly string[]) => names.join("\n");

/** Call `load` or `refresh` to keep it in step with the tables. */
export class LearntTables implements Learnt {
  readonly #configured: readonly PriceEntry[];
  readonly #home: Database | undefined;
  #mappings: ReadonlyMap<string, Pick<StoredMapping, "mapping" | "version">> = new Map();
  #prices: OwnPrices;
  #fingerprint: string | undefined;

  /**
   * @param configured - prices of the configuration.
   * @param home - the database with the prices that users set, if it is a different one.
   */
  constructor(configured: readonly PriceEntry[] = [], home?: Database) {
    this.#configured = configured;
    this.#home = home;
    this.#prices = new OwnPrices(configured, []);
  }

  mappingOf(organizationId: string, provider: string): MappingOf {
    return (model) => this.#mappings.get(keyOf(organizationId, provider, model))?.mapping;
  }

  versionsOf(organizationId: string, provider: string): (model: string) => number {
    const known = this.#mappings;
    return (model) => known.get(keyOf(organizationId, provider, model))?.version ?? 0;
  }

  priceOf(organizationId: string, provider: string): OwnPriceOf {
    return this.#prices.of(organizationId, provider);
  }

  /** Reads all of both tables. */
  async load(records: Database): Promise<void> {
    const [fingerprint, mappings, prices] = [
      await this.#readFingerprint(records),
      await currentMappings(records),
      await listPrices(this.#home ?? records),
    ];
    this.#mappings = new Map(mappings.map((each) => [keyOf(each.organizationId, each.provider, each.model), each]));
    this.#prices = new OwnPrices(this.#configured, prices);
    this.#fingerprint = fingerprint;
  }

  /** Reloads the tables when something has changed; the check is cheap. @returns whether anything had changed. */
  async refresh(records: Database): Promise<boolean> {
    if ((await this.#readFingerprint(records)) === this.#fingerprint) return false;
    await this.load(records);
    return true;
  }

  async #readFingerprint(records: Database): Promise<string> {
    return `${await changesOf(records, mappings)} ${await pricesFingerprint(this.#home ?? records)}`;
  }
}

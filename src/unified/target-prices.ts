import { costLines, type PriceEntry, totalOf } from "../mapping/prices/own.ts";
import { OwnPrices } from "../mapping/prices/own-prices.ts";
import type { OrderParts } from "../routing/order.ts";
import type { RoutingTables } from "../routing/tables.ts";
import { tablePrice } from "./model-catalog.ts";

/** Prices of requests at a target: from the organization's own price, else the configuration's, else the price table. */
export class TargetPrices {
  readonly #configured: readonly PriceEntry[];
  readonly #tables: () => RoutingTables;
  #seen: RoutingTables | undefined;
  #own: OwnPrices;

  constructor(configured: readonly PriceEntry[], tables: () => RoutingTables) {
    this.#configured = configured;
    this.#tables = tables;
    this.#own = new OwnPrices(configured, []);
  }

  /** In US dollars. */
  of(organizationId: string): OrderParts["priceOf"] {
    const tables = this.#tables();
    if (tables !== this.#seen) {
      this.#seen = tables;
      this.#own = new OwnPrices(this.#configured, tables.prices);
    }
    const own = this.#own;
    return ({ provider, model }, input, output) => {
      const price = own.of(organizationId, provider.name)([model])?.price;
      if (price === undefined) return tablePrice(provider.name, model, input, output);
      const lines = costLines(price, { prompt_tokens: input, completion_tokens: output });
      return lines === undefined ? undefined : totalOf(lines);
    };
  }
}

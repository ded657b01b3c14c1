import { MODEL_LENGTH_MAX, type OwnPrice, type OwnPriceOf, type PriceEntry } from "./own.ts";

/** A price that an organization has set; `model` may end in `*`. */
export interface OrganizationPrice {
  readonly organizationId: string;
  /** Upper case. */
  readonly provider: string;
  readonly model: string;
  readonly price: OwnPrice;
}

interface Priced {
  readonly price: OwnPrice;
  readonly source: string;
}

/** The prices of one provider: by exact name, and by the beginning of a name, longest first. */
interface PriceScope {
  readonly exact: Map<string, Priced>;
  readonly prefixes: [prefix: string, priced: Priced][];
}

/** Scope of the configuration's prices: they apply to every organization, after its own. */
const EVERYBODY = "";
const NO_PRICE: OwnPriceOf = () => undefined;

/** The prices of this deployment: those of `weir.toml` and those that organizations have set. */
export class OwnPrices {
  /** By provider and organization. */
  readonly #scopes = new Map<string, Map<string, PriceScope>>();

  constructor(configured: readonly PriceEntry[], stored: readonly OrganizationPrice[]) {
    for (const { provider: name, model, ...price } of configured) {
      const provider = name.toUpperCase();
      this.#add(EVERYBODY, provider, model, { price, source: `configured price: ${provider} ${model}` });
    }
    for (const { organizationId, provider, model, price } of stored)
      this.#add(organizationId, provider, model, { price, source: `own price: ${provider} ${model}` });
    for (const scopes of this.#scopes.values())
      for (const { prefixes } of scopes.values()) prefixes.sort(([a], [b]) => b.length - a.length);
  }

  /** A look-up takes one step per pattern, whatever the length of the name. */
  of(organizationId: string, provider: string): OwnPriceOf {
    const scopes = this.#scopes.get(provider);
    const own = scopes?.get(organizationId);
    const configured = scopes?.get(EVERYBODY);
    if (own === undefined && configured === undefined) return NO_PRICE;
    return (models) => {
      for (const model of models) {
        if (model.length > MODEL_LENGTH_MAX) continue;
        const found = (own && lookUp(own, model)) ?? (configured && lookUp(configured, model));
        if (found !== undefined) return found;
      }
      return undefined;
    };
  }

  #add(organizationId: string, provider: string, model: string, priced: Priced): void {
    const scopes = this.#scopes.get(provider) ?? new Map<string, PriceScope>();
    const scope: PriceScope = scopes.get(organizationId) ?? { exact: new Map(), prefixes: [] };
    this.#scopes.set(provider, scopes.set(organizationId, scope));
    scope.exact.set(model, priced);
    if (model.endsWith("*")) scope.prefixes.push([model.slice(0, -1), priced]);
  }
}

/** Exact names first, then the longest pattern that ends in `*`. */
function lookUp({ exact, prefixes }: PriceScope, model: string): Priced | undefined {
  return exact.get(model) ?? prefixes.find(([prefix]) => model.startsWith(prefix))?.[1];
}

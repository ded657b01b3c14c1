import { pricedModels, tablePrice } from "../mapping/prices/models.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { Credential } from "../routing/credential.ts";
import { entriesOf } from "../routing/endpoint.ts";
import { fits } from "../routing/pattern.ts";
import type { ModelIndex } from "../routing/scope.ts";

export { tablePrice };

/** The known models: from providers' facts, the price table, and providers' own lists. */
export class ModelCatalog implements ModelIndex {
  readonly #providers: () => readonly ProviderPlugin[];
  readonly #providerByName: (name: string) => ProviderPlugin | undefined;
  /** A new value whenever the known models change. */
  state: object = {};
  /** Providers' lists, by credential. */
  readonly #listed = new Map<string, ReadonlySet<string>>();

  constructor(
    providers: () => readonly ProviderPlugin[],
    providerByName: (name: string) => ProviderPlugin | undefined,
  ) {
    this.#providers = providers;
    this.#providerByName = providerByName;
  }

  has(provider: ProviderPlugin, model: string, credential: Credential | undefined): boolean {
    if (credential !== undefined && this.listedBy(credential).has(model)) return true;
    if (pricedModels(provider.name).some(({ id }) => id === model)) return true;
    if (this.#hasOnlyInheritedFacts(provider)) return false;
    return entriesOf(provider, this.#providerByName).some(({ match }) => isSpecific(match) && fits(match, model));
  }

  /** Such as Groq, which extends OpenAI: OpenAI's facts say nothing about what Groq serves. */
  #hasOnlyInheritedFacts({ extends: parent, models }: ProviderPlugin): boolean {
    return parent !== undefined && models === this.#providerByName(parent)?.models;
  }

  providersOf(model: string): readonly ProviderPlugin[] {
    return this.#providers().filter((provider) => this.has(provider, model, undefined));
  }

  *names(): Iterable<string> {
    for (const provider of this.#providers())
      for (const { id } of pricedModels(provider.name)) yield `${provider.name.toLowerCase()}/${id}`;
  }

  /** The list of a credential's provider, if it was fetched. */
  listedBy(credential: Credential): ReadonlySet<string> {
    return this.#listed.get(keyOf(credential)) ?? NOTHING;
  }

  /** @param models - undefined if it is no longer known. */
  setListed(credential: Credential, models: readonly string[] | undefined): void {
    this.state = {};
    if (models === undefined) this.#listed.delete(keyOf(credential));
    else this.#listed.set(keyOf(credential), new Set(models));
  }
}

const NOTHING: ReadonlySet<string> = new Set();
const keyOf = ({ organizationId, name }: Credential) => JSON.stringify([organizationId, name]);

/**
 * Whether a pattern is specific enough to distinguish a provider's models from all others. Providers that extend another one
 * have its entries too.
 */
const isSpecific = (match: string) => match.replaceAll("*", "").length >= 3 && !match.startsWith("*");

import { GatewayError } from "../../errors.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import type { GatewayHeader } from "../headers/gateway-header.ts";
import { fromWire } from "../headers/headers.ts";
import type { ProviderIndex } from "../target.ts";

const SETTING = "provider-key";

/** Whether a line brings a key for a provider. */
export const isKeyLine = ({ setting }: GatewayHeader): boolean =>
  setting === SETTING || setting.startsWith(`${SETTING}-`);

/** The keys that a client brought for providers. They are sent to those providers' own hosts and kept nowhere. */
export class OwnKeys {
  readonly #named = new Map<string, string>();
  /** For the provider of the first target. */
  readonly #general: string | undefined;

  /**
   * @param beside - a key that came beside the service key; one that a line names goes before it.
   * @throws GatewayError `invalid_header` where a header names no provider.
   */
  constructor(
    lines: readonly GatewayHeader[],
    beside: string | undefined,
    providers: Pick<ProviderIndex, "providerByName">,
  ) {
    let general: string | undefined;
    for (const { name, setting, value } of lines) {
      if (setting === SETTING) general = keyIn(name, value);
      else {
        const provider = providers.providerByName(setting.slice(SETTING.length + 1));
        if (provider === undefined) throw new GatewayError("invalid_header", `${name} names no provider`);
        this.#named.set(provider.name, keyIn(name, value));
      }
    }
    this.#general = general ?? beside;
  }

  get hasAny(): boolean {
    return this.#general !== undefined || this.#named.size > 0;
  }

  /** Whether it may serve a provider: a general one serves whichever comes first. */
  mayServe({ name }: ProviderPlugin): boolean {
    return this.#general !== undefined || this.#named.has(name);
  }

  /** @param first - the provider of the first target. */
  keyOf({ name }: ProviderPlugin, first: ProviderPlugin | undefined): string | undefined {
    return this.#named.get(name) ?? (first?.name === name ? this.#general : undefined);
  }

  /** What a cached response may not be shared across. */
  get all(): readonly string[] {
    return [
      ...[...this.#named].map(([name, key]) => `${name} ${key}`),
      ...(this.#general === undefined ? [] : [this.#general]),
    ];
  }
}

/** Most requests bring none. */
export const NO_OWN_KEYS = new OwnKeys([], undefined, { providerByName: () => undefined });

/** @throws GatewayError `invalid_header`. */
export const ownKeys = (...given: ConstructorParameters<typeof OwnKeys>): OwnKeys =>
  given[0].length === 0 && given[1] === undefined ? NO_OWN_KEYS : new OwnKeys(...given);

function keyIn(name: string, value: string): string {
  const key = fromWire(value)
    .trim()
    .replace(/^bearer[ \t]+/i, "");
  if (key === "" || /\s/.test(key)) throw new GatewayError("invalid_header", `${name} must be a provider's key`);
  return key;
}

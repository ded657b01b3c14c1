import { GatewayError } from "../../../errors.ts";
import type { ProviderPlugin } from "../../../plugin-host/contract.ts";
import type { GatewayHeader } from "../../headers/gateway-header.ts";
import { fromWire } from "../../headers/headers.ts";
import type { ProviderIndex } from "../../target.ts";

const SETTING = "provider-key";

/** Whether a line contains a key for a provider. */
export const isKeyLine = ({ setting }: GatewayHeader): boolean =>
  setting === SETTING || setting.startsWith(`${SETTING}-`);

/** The client's own keys for providers. They are sent only to those providers' own hosts and stored nowhere. */
export class OwnKeys {
  readonly #named = new Map<string, string>();
  /** For the provider of the first target. */
  readonly #general: string | undefined;

  /**
   * @param beside - a key sent in addition to the service key; one that a line names has precedence.
   * @throws GatewayError `invalid_header` if a header names no provider.
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

  /** Whether a key may serve a provider: the general one serves the first target's, whichever that is. */
  mayServe({ name }: ProviderPlugin): boolean {
    return this.#general !== undefined || this.#named.has(name);
  }

  /** @param first - the provider of the first target. */
  keyOf({ name }: ProviderPlugin, first: ProviderPlugin | undefined): string | undefined {
    return this.#named.get(name) ?? (first?.name === name ? this.#general : undefined);
  }

  /** Keys that separate cached responses from each other. */
  get all(): readonly string[] {
    return [
      ...[...this.#named].map(([name, key]) => `${name} ${key}`),
      ...(this.#general === undefined ? [] : [this.#general]),
    ];
  }
}

/** Most requests have none. */
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

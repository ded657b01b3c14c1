import { GatewayError } from "../../errors.ts";
import type { ProviderPlugin } from "../../plugin/contract.ts";
import { fromWire, type RequestHeaders } from "../headers/headers.ts";
import type { ProviderIndex } from "../target.ts";
import { sdkKey } from "./address.ts";

const SETTING = "provider-key";

/** The keys that a client brought for providers. They are sent to those providers' own hosts and kept nowhere. */
export class OwnKeys {
  readonly #named = new Map<string, string>();
  /** For the provider of the first target. */
  readonly #general: string | undefined;

  /** @throws GatewayError `invalid_header` where a header names no provider. */
  constructor(headers: RequestHeaders, url: string, providers: ProviderIndex) {
    let general: string | undefined;
    for (const { name, setting, value } of headers.gateway) {
      if (setting === SETTING) general = keyIn(name, value);
      else if (setting.startsWith(`${SETTING}-`)) {
        const provider = providers.providerByName(setting.slice(SETTING.length + 1));
        if (provider === undefined) throw new GatewayError("invalid_header", `${name} names no provider`);
        this.#named.set(provider.name, keyIn(name, value));
      }
    }
    // Beside Gateway-Auth, the key where SDKs put theirs is the provider's.
    this.#general = general ?? (headers.auth.length > 0 ? sdkKey(headers, url) : undefined);
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

function keyIn(name: string, value: string): string {
  const key = fromWire(value)
    .trim()
    .replace(/^bearer[ \t]+/i, "");
  if (key === "" || /\s/.test(key)) throw new GatewayError("invalid_header", `${name} must be a provider's key`);
  return key;
}

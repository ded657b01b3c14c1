import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { Credential } from "./credential.ts";
import type { Route } from "./route.ts";

/** The known models, so that a bare name finds its providers. */
export interface ModelIndex {
  /** Whether the provider is known to have a model with this name. */
  has(provider: ProviderPlugin, model: string, credential: Credential | undefined): boolean;
  /** Every provider that is known to have it, whether or not anything is stored for it. */
  providersOf(model: string): readonly ProviderPlugin[];
  /** Names for "did you mean", such as `openai/gpt-5-mini`. */
  names(): Iterable<string>;
}

/** The models and credentials that one caller may use. */
export interface Scope {
  /** Routes of the caller's organization and of `weir.toml`; a route of the file has precedence over a stored one. */
  readonly routes: readonly Route[];
  /** Enabled credentials of the caller's organization, of `weir.toml` and shared ones that its key may use. */
  readonly credentials: readonly Credential[];
  /** Whether the key may use only some credentials. */
  readonly someCredentials: boolean;
  readonly providerByName: (name: string) => ProviderPlugin | undefined;
  readonly models: ModelIndex;
  /** The key's `models`; empty for all. */
  readonly allowed: readonly string[];
  /** Whether the client brought a key of its own for this provider. */
  readonly hasOwnKey: (provider: ProviderPlugin) => boolean;
  /** `Gateway-Target-Provider`: the provider of bare models. */
  readonly defaultProvider: string | undefined;
}

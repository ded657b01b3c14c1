import type { CredentialForm } from "../plugin-host/contract.ts";
import { CUSTOM } from "../routing/custom.ts";

/** The part of a provider that describes its credentials. */
export interface KnownProvider {
  /** Upper case. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly form: CredentialForm;
}

/** A member of a provider's credential that is not a secret: JSON Schema of a text. */
export interface SettingForm {
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly description?: string;
}

const KEY: CredentialForm = { secret: ["api_key"] };

/** A provider that is loaded, as the registry or another thread knows it. */
interface Loaded {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly credential?: CredentialForm | null;
}

/** Providers by name and alias, with the form of their credentials; `CUSTOM` covers providers without a file. */
export function knownProviders(providers: readonly Loaded[]): readonly KnownProvider[] {
  return [...providers, CUSTOM].map(({ name, aliases = [], credential }) => ({
    name,
    aliases,
    form: credential ?? KEY,
  }));
}

import type { CredentialForm } from "../plugin/contract.ts";
import { CUSTOM } from "../routing/custom.ts";

/** A provider as far as its credentials go. */
export interface KnownProvider {
  /** Upper case. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly form: CredentialForm;
}

/** A member of a provider's credential that is no secret: JSON Schema of a text. */
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

/** Providers by name and alias, and what their credentials are made of; `CUSTOM` stands for what no file describes. */
export function knownProviders(providers: readonly Loaded[]): readonly KnownProvider[] {
  return [...providers, CUSTOM].map(({ name, aliases = [], credential }) => ({
    name,
    aliases,
    form: credential ?? KEY,
  }));
}

/** What a provider's credential is made of. */
export interface CredentialForm {
  /** Names of its secret members. */
  readonly secret: readonly string[];
  /** Sets of members of which one has to be there whole; the first secret alone unless given. An empty set: none needed. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Other members, each with JSON Schema of a text. */
  readonly settings?: Readonly<Record<string, SettingForm>>;
  /** Settings that have to be there. */
  readonly required?: readonly string[];
  /** Whether `base_url` has to be there: the provider has no address of its own. */
  readonly baseUrl?: "required";
}

/** A member of a provider's credential that is no secret. */
export interface SettingForm {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly default?: string;
  readonly description?: string;
}

/** A provider as far as its credentials go. */
export interface KnownProvider {
  /** Upper case. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly form: CredentialForm;
}

/** The name that a provider has which no file describes; its credentials say where it is. */
export const CUSTOM = "CUSTOM";

const SHAPE: SettingForm = {
  type: "string",
  enum: ["chat-completions", "responses", "messages", "generate-content", "cohere-chat", "ollama-chat"],
  default: "chat-completions",
};

const FORMS: Readonly<Record<string, CredentialForm>> = {
  GOOGLE: {
    secret: ["api_key", "service_account"],
    oneOf: [["api_key"], ["service_account"]],
    settings: {
      project: { type: "string" },
      location: { type: "string", pattern: "^[a-z0-9-]+$", default: "global" },
    },
  },
  AWS: {
    secret: ["access_key_id", "secret_access_key", "session_token", "api_key"],
    oneOf: [["access_key_id", "secret_access_key"], ["api_key"]],
    settings: { region: { type: "string", pattern: "^[a-z0-9-]+$", description: "Such as eu-central-1." } },
    required: ["region"],
  },
  AZURE: {
    secret: ["api_key", "client_secret"],
    oneOf: [["api_key"], ["client_secret", "tenant_id", "client_id"]],
    settings: {
      endpoint: { type: "string", pattern: "^https?://", description: "Such as https://acme.openai.azure.com." },
      api_version: { type: "string", default: "v1" },
      tenant_id: { type: "string" },
      client_id: { type: "string" },
    },
    required: ["endpoint"],
  },
  OLLAMA: { secret: ["api_key"], oneOf: [["api_key"], []] },
  [CUSTOM]: { secret: ["api_key"], oneOf: [["api_key"], []], settings: { shape: SHAPE }, baseUrl: "required" },
};

/** What the credential of a provider holds: a key alone, unless the provider is one of those that need more. */
export function formOf(provider: string): CredentialForm {
  return Object.hasOwn(FORMS, provider) ? FORMS[provider]! : { secret: ["api_key"] };
}

/** Providers by name and alias, and what their credentials hold; `CUSTOM` stands for what no file describes. */
export function knownProviders(
  providers: readonly { readonly name: string; readonly aliases?: readonly string[] }[],
): readonly KnownProvider[] {
  const loaded = providers.map(({ name, aliases = [] }) => ({ name, aliases, form: formOf(name) }));
  return [...loaded, { name: CUSTOM, aliases: [], form: formOf(CUSTOM) }];
}

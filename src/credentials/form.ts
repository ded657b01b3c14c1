/** What a provider's credential holds. */
export interface CredentialForm {
  /** Names of its secret members. */
  readonly secret: readonly string[];
  /** Sets of members of which one has to be there, whole. */
  readonly needs: readonly (readonly string[])[];
  readonly settings: Readonly<Record<string, SettingForm>>;
}

/** A member of a provider's credential that is no secret. */
export interface SettingForm {
  readonly type: "string";
  readonly enum?: readonly string[];
  /** Regular expression on the whole value. */
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

const KEY = { secret: ["api_key"], needs: [["api_key"]], settings: {} } as const;
const NAME = "[A-Za-z0-9._-]{1,200}";
const SHAPE: SettingForm = {
  type: "string",
  enum: ["chat-completions", "responses", "messages", "generate-content", "converse", "cohere-chat", "ollama-chat"],
  default: "chat-completions",
  description: "Shape that it speaks.",
};

const FORMS: Readonly<Record<string, CredentialForm>> = {
  GOOGLE: {
    secret: ["api_key", "service_account"],
    needs: [["api_key"], ["service_account"]],
    settings: {
      project: {
        type: "string",
        pattern: NAME,
        description: "Project of Vertex; that of the service account unless given.",
      },
      location: { type: "string", pattern: NAME, default: "global", description: "Location of Vertex." },
    },
  },
  AWS: {
    secret: ["access_key_id", "secret_access_key", "session_token", "api_key"],
    needs: [
      ["access_key_id", "secret_access_key", "region"],
      ["api_key", "region"],
    ],
    settings: {
      region: { type: "string", pattern: "[a-z]{2}(-[a-z]+)+-\\d{1,2}", description: "Such as eu-central-1." },
    },
  },
  AZURE: {
    secret: ["api_key", "client_secret"],
    needs: [
      ["api_key", "endpoint"],
      ["client_secret", "tenant_id", "client_id", "endpoint"],
    ],
    settings: {
      endpoint: {
        type: "string",
        pattern: "https?://[^\\s?#@]{1,500}",
        description: "Such as https://acme.openai.azure.com.",
      },
      api_version: {
        type: "string",
        pattern: "v1|preview|\\d{4}-\\d\\d-\\d\\d(-preview)?",
        default: "v1",
        description: "A date means paths of deployments.",
      },
      tenant_id: { type: "string", pattern: NAME },
      client_id: { type: "string", pattern: NAME },
    },
  },
  OLLAMA: { secret: ["api_key"], needs: [], settings: { shape: SHAPE } },
  [CUSTOM]: { secret: ["api_key"], needs: [["base_url"]], settings: { shape: SHAPE } },
};

/** What the credential of a provider holds: a key alone, unless the provider is one of those that need more. */
export function formOf(provider: string): CredentialForm {
  return Object.hasOwn(FORMS, provider) ? FORMS[provider]! : KEY;
}

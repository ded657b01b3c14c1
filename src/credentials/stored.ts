/** What a credential says besides its secrets; members as `POST /v1/credentials` takes them. */
export interface CredentialTerms {
  /** The provider's own members, such as `region`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly weight: number;
  /** Patterns; empty for all. */
  readonly models: readonly string[];
  readonly model_map: Readonly<Record<string, string>>;
  readonly limit: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly base_url: string | null;
  readonly private: boolean;
  /** Null: on where it has a limit in cents or tokens. */
  readonly ask_usage: boolean | null;
  readonly enabled: boolean;
  readonly shared: boolean;
}

/** A secret as it is stored. */
export interface StoredSecret {
  /** `v1.<key id>.<nonce>.<ciphertext>`. */
  readonly sealed: string;
  /** Milliseconds since 1970. */
  readonly set_at: number;
  /** The last four characters; null where the secret is too short, or no plain text. */
  readonly last4: string | null;
}

/** A credential as the database has it: its secrets are encrypted. Times are milliseconds since 1970. */
export interface StoredCredential {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** Upper case. */
  readonly provider: string;
  readonly secrets: Readonly<Record<string, StoredSecret>>;
  readonly terms: CredentialTerms;
  readonly created_at: number;
  readonly updated_at: number;
}

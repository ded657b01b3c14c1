/** The members of a credential except its secrets, as in `POST /v1/credentials`. */
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
  /** Null: on if it has a limit in cents or tokens. */
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
  /** The last four characters; null if the secret is too short, or not plain text. */
  readonly last4: string | null;
}

/** A credential as stored in the database: its secrets are encrypted. Times are milliseconds since 1970. */
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

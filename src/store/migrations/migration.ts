/** One migration; there are no down migrations. `version` counts from 1 without gaps, per target. */
export interface Migration {
  readonly target: "records" | "bodies";
  readonly version: number;
  readonly name: string;
  /** One SQL statement each; all run in one transaction. */
  readonly statements: readonly string[];
}

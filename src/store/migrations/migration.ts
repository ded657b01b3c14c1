/** One step forward; there is no way back. `version` counts from 1 without gaps, per target. */
export interface Migration {
  readonly target: "records" | "bodies";
  readonly version: number;
  readonly name: string;
  /** Each one SQL statement; all of them are one transaction. */
  readonly statements: readonly string[];
}

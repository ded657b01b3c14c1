import { GatewayError } from "../errors.ts";

/** SQLite takes 32,766; a few are left for what stands around a filter. */
const PARAMETERS_MAX = 32_700;

/** A statement as the store takes it. */
export interface SqlStatement {
  readonly sql: string;
  readonly args: readonly (string | number | null)[];
}

/** The values of one statement, each bound once however often it is used. */
export class Parameters {
  readonly #args: (string | number | null)[] = [];
  readonly #known = new Map<string | number | null, string>();

  /**
   * @returns the numbered parameter that stands for `value`.
   * @throws GatewayError `filter_invalid` where one statement cannot hold that many values.
   */
  readonly bind = (value: string | number | null): string => {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#args.length === PARAMETERS_MAX) {
      throw new GatewayError("filter_invalid", `a filter has at most ${PARAMETERS_MAX} different names and values`, {
        path: "filter",
      });
    }
    this.#args.push(value);
    const parameter = `?${this.#args.length}`;
    this.#known.set(value, parameter);
    return parameter;
  };

  /** The statement whose parameters were all made here. */
  statement(sql: string): SqlStatement {
    return { sql, args: this.#args };
  }
}

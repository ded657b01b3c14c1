import { GatewayError } from "../errors.ts";
import { print, type Sql, type SqlValue } from "./sql.ts";

/** SQLite's maximum of parameters, less a few for the statement around a filter. */
const SQLITE_PARAMETERS_MAX = 32_766;
const PARAMETERS_MAX = 32_700;
/**
 * SQLite computes each constant once, and compares it with all other constants to find it again: 20,000 of them took 4 s of
 * CPU time. Beyond this number a parameter is written as a subquery, which is also computed once, but not compared.
 */
const CONSTANTS_MAX = 500;
const PARAMETER = /\?(\d+)/g;

/** A statement in the form that the store accepts. */
export interface SqlStatement {
  readonly sql: string;
  readonly args: readonly SqlValue[];
}

/** Prints one statement for SQLite; each value is bound once, however often it is used. */
export class Parameters {
  readonly #args: SqlValue[] = [];
  readonly #known = new Map<SqlValue, string>();

  /**
   * Text of a piece of the statement.
   *
   * @throws GatewayError `filter_invalid` if there are too many values for one statement.
   */
  print(piece: Sql): string {
    return print(piece, this.#bind);
  }

  /** The parameter for a value. */
  readonly #bind = (value: SqlValue): string => {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#args.length === PARAMETERS_MAX) {
      throw new GatewayError("filter_invalid", `a filter has at most ${PARAMETERS_MAX} different names and values`, {
        path: "filter",
      });
    }
    this.#args.push(value);
    const number = this.#args.length;
    const parameter = number <= CONSTANTS_MAX ? `?${number}` : `(select ?${number})`;
    this.#known.set(value, parameter);
    return parameter;
  };

  /** The statement of a text whose pieces were all printed by this object. */
  statement(text: string): SqlStatement {
    return this.#args.length <= CONSTANTS_MAX ? { sql: text, args: this.#args } : this.#withoutNumbers(text);
  }

  /**
   * SQLite searches its list for each numbered parameter, so many parameters are written without numbers, in their order.
   */
  #withoutNumbers(sql: string): SqlStatement {
    const args: SqlValue[] = [];
    const unnumbered = sql.replace(PARAMETER, (_parameter, number: string) => {
      args.push(this.#args[Number(number) - 1]!);
      return "?";
    });
    // A value that is used several times is bound several times.
    return args.length <= SQLITE_PARAMETERS_MAX ? { sql: unnumbered, args } : { sql, args: this.#args };
  }
}

/** A statement of one piece. */
export function statementOf(piece: Sql): SqlStatement {
  const parameters = new Parameters();
  return parameters.statement(parameters.print(piece));
}

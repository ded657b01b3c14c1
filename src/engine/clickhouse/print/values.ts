import { GatewayError } from "../../../errors.ts";
import type { PropertyName } from "../../../filter/property-names.ts";
import { EMPTY, raw, type Sql, type SqlValue, sql } from "../../../filter/sql.ts";
import { type Literal, literal } from "../literal.ts";

/** The same limit as in SQLite, so that both engines accept the same filters. */
const VALUES_MAX = 32_700;

/** Writes the values of one statement as literals, and counts the distinct ones. */
export class Values {
  readonly #known = new Set<Literal>();

  /** @throws GatewayError `filter_invalid` when there are too many. */
  readonly spell = (value: SqlValue): string => {
    this.#known.add(value);
    if (this.#known.size > VALUES_MAX)
      throw new GatewayError("filter_invalid", `a filter has at most ${VALUES_MAX} different names and values`, {
        path: "filter",
      });
    return literal(value);
  };
}

/** A map of names to values in row `r`, and its names that lost their case. */
interface NamedMap {
  readonly values: Sql;
  readonly erased: Sql;
}

/** By the kind of names in a filter: properties, and prompt inputs. */
export const MAPS: Readonly<Record<0 | 1, NamedMap>> = {
  0: { values: raw("r.properties"), erased: raw("r.case_erased") },
  1: { values: raw("r.prompt_inputs"), erased: raw("r.inputs_case_erased") },
};

/** SQL that is true when a row has a value under that name. The map returns '' for a missing name, so this is a separate test. */
export function hasName({ values }: NamedMap, name: string): Sql {
  return sql`mapContains(${values}, ${name})`;
}

/** SQL that is true when a row has a value under the name in lower case, if it arrived like that. */
export function hasErased(map: NamedMap, name: string): Sql {
  return sql`has(${map.erased}, ${name}) and ${hasName(map, name)}`;
}

/** SQL of the value of a property, null when there is none. */
export function namedValue(map: NamedMap, { exact, erased }: PropertyName): Sql {
  const own = sql`${hasName(map, exact)}, ${map.values}[${exact}]`;
  const other = erased === undefined ? EMPTY : sql`, ${hasErased(map, erased)}, ${map.values}[${erased}]`;
  return sql`multiIf(${own}${other}, null)`;
}

/** SQL of a score of the row, null when it has none with that name. */
export function scoreValue(name: string): Sql {
  return sql`if(mapContains(r.scores, ${name}), r.scores[${name}], null)`;
}

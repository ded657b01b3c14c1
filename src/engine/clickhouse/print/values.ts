import { GatewayError } from "../../../errors.ts";
import type { PropertyName } from "../../../filter/property-names.ts";
import { EMPTY, raw, type Sql, type SqlValue, sql } from "../../../filter/sql.ts";
import { type Literal, literal } from "../literal.ts";

/** The same limit as in SQLite, so that a filter is answered by both or by none. */
const VALUES_MAX = 32_700;

/** Spells the values of one statement, and counts the different ones. */
export class Values {
  readonly #known = new Set<Literal>();

  /** @throws GatewayError `filter_invalid` where there are too many. */
  readonly spell = (value: SqlValue): string => {
    this.#known.add(value);
    if (this.#known.size > VALUES_MAX)
      throw new GatewayError("filter_invalid", `a filter has at most ${VALUES_MAX} different names and values`, {
        path: "filter",
      });
    return literal(value);
  };
}

/** A map of names to values over the row `r`, and the names in it that lost their case. */
export interface NamedMap {
  readonly values: Sql;
  readonly erased: Sql;
}

/** By the kind of property that a filter names: properties, and prompt inputs. */
export const MAPS: Readonly<Record<0 | 1, NamedMap>> = {
  0: { values: raw("r.properties"), erased: raw("r.case_erased") },
  1: { values: raw("r.prompt_inputs"), erased: raw("r.inputs_case_erased") },
};

/** SQL that is true where a row has a value under that name. A missing name has the value '', so this is asked apart. */
export function hasName({ values }: NamedMap, name: string): Sql {
  return sql`mapContains(${values}, ${name})`;
}

/** The same under the name in lower case, which reached us so. */
export function hasErased(map: NamedMap, name: string): Sql {
  return sql`has(${map.erased}, ${name}) and ${hasName(map, name)}`;
}

/** SQL of the value under a property name, null where there is none. */
export function namedValue(map: NamedMap, { exact, erased }: PropertyName): Sql {
  const own = sql`${hasName(map, exact)}, ${map.values}[${exact}]`;
  const other = erased === undefined ? EMPTY : sql`, ${hasErased(map, erased)}, ${map.values}[${erased}]`;
  return sql`multiIf(${own}${other}, null)`;
}

/** SQL of a score of the row, null where it has none with that name. */
export function scoreValue(name: string): Sql {
  return sql`if(mapContains(r.scores, ${name}), r.scores[${name}], null)`;
}

import { GatewayError } from "../../../errors.ts";
import type { PropertyName } from "../../../filter/property-names.ts";
import { type Literal, literal } from "../literal.ts";

/** The same limit as in SQLite, so that a filter is answered by both or by none. */
const VALUES_MAX = 32_700;

/** Spells the values of one statement, and counts the different ones. */
export class Values {
  readonly #known = new Set<Literal>();

  /** @throws GatewayError `filter_invalid` where there are too many. */
  readonly bind = (value: string | number | null): string => {
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
  readonly values: string;
  readonly erased: string;
}

/** By the kind of property that a filter names: properties, and prompt inputs. */
export const MAPS: Readonly<Record<0 | 1, NamedMap>> = {
  0: { values: "r.properties", erased: "r.case_erased" },
  1: { values: "r.prompt_inputs", erased: "r.inputs_case_erased" },
};

/** SQL that is true where a row has a value under that name. A missing name has the value '', so this is asked apart. */
export function hasName({ values }: NamedMap, name: string, bind: Values["bind"]): string {
  return `mapContains(${values}, ${bind(name)})`;
}

/** The same under the name in lower case, which reached us so. */
export function hasErased(map: NamedMap, name: string, bind: Values["bind"]): string {
  return `has(${map.erased}, ${bind(name)}) and ${hasName(map, name, bind)}`;
}

/** SQL of the value under a property name, null where there is none. */
export function namedValue(map: NamedMap, { exact, erased }: PropertyName, bind: Values["bind"]): string {
  const own = `${hasName(map, exact, bind)}, ${map.values}[${bind(exact)}]`;
  const other = erased === undefined ? "" : `, ${hasErased(map, erased, bind)}, ${map.values}[${bind(erased)}]`;
  return `multiIf(${own}${other}, null)`;
}

/** SQL of a score of the row, null where it has none of that name. */
export function scoreValue(name: string, bind: Values["bind"]): string {
  return `if(mapContains(r.scores, ${bind(name)}), r.scores[${bind(name)}], null)`;
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FilterTree } from "../../filter/tree.ts";
import { propertyKey, propertyOf } from "../../metrics/filter.ts";
import type { Span } from "../../metrics/range.ts";
import { propertyNamesQuery } from "../../name-queries.ts";
import { SPLITS } from "./search.ts";
import { TopList } from "./top-list.tsx";

interface TopListsProps {
  readonly by: string | undefined;
  readonly span: Span;
  readonly filter: FilterTree;
  readonly whole: number | null | undefined;
}

/** The lists of every overview, after the dimension of the split. */
const LISTS: readonly string[] = ["model", "user", "key", "provider"];
/** Shown if requests have a value. */
const OPTIONAL: readonly string[] = ["prompt", "prompt_version"];
const PROPERTY = "property";

/**
 * Costs by model, user, key, provider, prompt, prompt version and one property. The lists load one at a time, so that the
 * charts above them need not wait.
 */
export function TopLists({ by, ...shared }: TopListsProps) {
  const [loaded, setLoaded] = useState<ReadonlySet<string>>(new Set());
  const property = by === undefined ? undefined : propertyOf(by);
  const fixed = property === undefined && by !== undefined ? [by] : [];
  const named = [...new Set([...fixed, ...LISTS, ...OPTIONAL])];
  const order = property === undefined ? [...named, PROPERTY] : [PROPERTY, ...named];
  const turn = (list: string) => ({
    ...shared,
    isEnabled: order.slice(0, order.indexOf(list)).every((each) => loaded.has(each)),
    onLoaded: () => setLoaded((before) => new Set(before).add(list)),
  });
  return order.map((list) =>
    list === PROPERTY ? (
      <PropertyList key={`${PROPERTY}:${property}`} first={property} {...turn(list)} />
    ) : (
      <TopList
        key={list}
        title={`By ${SPLITS[list]?.toLowerCase()}`}
        by={list}
        isOptional={list !== by && OPTIONAL.includes(list)}
        {...turn(list)}
      />
    ),
  );
}

interface PropertyListProps extends Omit<TopListsProps, "by"> {
  readonly first: string | undefined;
  readonly isEnabled: boolean;
  readonly onLoaded: () => void;
}

/** The values of one property, which the user chooses. */
function PropertyList({ first, ...shared }: PropertyListProps) {
  const { data: known = [] } = useQuery(propertyNamesQuery);
  const [chosen, choose] = useState(first);
  const name = chosen ?? known[0];
  if (name === undefined) return null;
  const names = known.includes(name) ? known : [name, ...known];
  return (
    <TopList
      title={`By property ${name}`}
      by={propertyKey(name)}
      choice={
        <label className="inline-field">
          Property
          <select value={name} onChange={({ target }) => choose(target.value)}>
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      }
      {...shared}
    />
  );
}

import { useMemo, useRef } from "react";
import { useKeys } from "../parts/shortcuts.ts";
import { AddCondition, ConditionChips } from "./conditions.tsx";
import { type FilterGroup, fromTree, toTree } from "./model.ts";
import type { FilterTree } from "./tree.ts";

interface FilterConditionsProps {
  /** The form's name, for screen readers. */
  readonly label: string;
  readonly tree: unknown;
  readonly onChange: (tree: FilterTree) => void;
}

/** The filter of a page: conditions are added and removed; `/` moves the focus there. */
export function FilterConditions({ label, tree, onChange }: FilterConditionsProps) {
  const value = useRef<HTMLInputElement>(null);
  const filter = useMemo(() => fromTree(tree), [tree]);
  const conditions = { filter, valueRef: value, onChange: (next: FilterGroup) => onChange(toTree(next)) };
  useKeys({ "/": () => value.current?.focus() });
  return (
    <div className="filter-bar">
      <search>
        <AddCondition label={label} {...conditions} />
      </search>
      <ConditionChips {...conditions} />
    </div>
  );
}

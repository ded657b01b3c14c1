import { memo, type RefObject } from "react";
import { AddCondition, ConditionChips } from "../../filter/conditions.tsx";
import type { FilterGroup } from "../../filter/model.ts";
import { SearchBox } from "../../parts/search-box.tsx";

interface FilterBarProps {
  /** Search words. */
  readonly search: string;
  readonly onSearch: (text: string) => void;
  /** Gets the focus on `s`. */
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly filter: FilterGroup;
  readonly onChange: (filter: FilterGroup) => void;
  readonly isEditing: boolean;
  readonly onEdit: () => void;
  /** Gets the focus on `/`. */
  readonly valueRef: RefObject<HTMLInputElement | null>;
}

/** Search and conditions, with the active ones beside them. Not rendered again for each page of rows. */
export const FilterBar = memo(({ search, onSearch, searchRef, isEditing, onEdit, ...conditions }: FilterBarProps) => {
  return (
    <div className="filter-bar">
      <search>
        <SearchBox label="Search words, user, session, id" value={search} onSearch={onSearch} inputRef={searchRef} />
        <AddCondition label="Filter requests" {...conditions}>
          <button type="button" className="quiet" aria-expanded={isEditing} onClick={onEdit}>
            Builder
          </button>
        </AddCondition>
      </search>
      <ConditionChips {...conditions} />
    </div>
  );
});

import { type RefObject, useState } from "react";
import { ConditionEditor, newCondition } from "../../filter/condition-editor.tsx";
import { type FilterGroup, type FilterNode, isComplete, nodeText } from "../../filter/model.ts";
import { Icon } from "../../parts/icon.tsx";
import { SearchBox } from "../../parts/search-box.tsx";

interface FilterBarProps {
  /** Words that are searched for. */
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

/** Adds one condition after the other; what is in force stands beside as words, each of which can be taken away. */
export function FilterBar({
  search,
  onSearch,
  searchRef,
  filter,
  onChange,
  isEditing,
  onEdit,
  valueRef,
}: FilterBarProps) {
  const [draft, setDraft] = useState(newCondition);
  const add = (node: FilterNode) => {
    const isOneOf = filter.operator === "or" && filter.nodes.length > 1;
    onChange(
      isOneOf
        ? { kind: "group", operator: "and", nodes: [filter, node] }
        : { kind: "group", operator: "and", nodes: [...filter.nodes, node] },
    );
    setDraft({ ...draft, value: newCondition(draft.field).value });
  };
  // Of an "any" the parts cannot be taken one by one without meaning something else: it is one word.
  const words: readonly FilterNode[] = filter.operator === "or" && filter.nodes.length > 1 ? [filter] : filter.nodes;
  const keep = (nodes: readonly FilterNode[]) => {
    onChange({ kind: "group", operator: "and", nodes });
    valueRef.current?.focus(); // the button that was pressed goes with its word
  };
  return (
    <div className="filter-bar">
      <search>
        <SearchBox label="Search words, user, session, id" value={search} onSearch={onSearch} inputRef={searchRef} />
        <form
          className="filter-add"
          aria-label="Filter requests"
          onKeyDown={(event) => {
            // Back to where the other keys mean something.
            if (event.key === "Escape") (event.target as HTMLElement).blur();
          }}
          onSubmit={(event) => {
            event.preventDefault();
            if (isComplete(draft)) add(draft);
          }}
        >
          <Icon name="filter" />
          <ConditionEditor condition={draft} onChange={setDraft} valueRef={valueRef} />
          <button type="submit" disabled={!isComplete(draft)}>
            Add filter
          </button>
          <button type="button" className="quiet" aria-expanded={isEditing} onClick={onEdit}>
            Builder
          </button>
        </form>
      </search>
      {words.length === 0 ? null : (
        <ul className="chips" aria-label="Filters in force">
          {words.map((node, at) => (
            <li key={at} className="chip">
              <span title={nodeText(node)}>{nodeText(node)}</span>
              <button
                type="button"
                className="quiet"
                aria-label={`Remove: ${nodeText(node)}`}
                onClick={() => keep(words.filter((each) => each !== node))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
          <li>
            <button type="button" className="quiet small" onClick={() => keep([])}>
              Clear
            </button>
          </li>
        </ul>
      )}
    </div>
  );
}

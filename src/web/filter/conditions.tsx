import { type ReactNode, type RefObject, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { ConditionEditor, newCondition } from "./condition-editor.tsx";
import { type FilterGroup, type FilterNode, isComplete, nodeText } from "./model.ts";

interface ConditionsProps {
  readonly filter: FilterGroup;
  readonly onChange: (filter: FilterGroup) => void;
  /** The input for a condition's value. */
  readonly valueRef: RefObject<HTMLInputElement | null>;
}

interface AddConditionProps extends ConditionsProps {
  /** The form's name, for screen readers. */
  readonly label: string;
  /** Buttons after its own. */
  readonly children?: ReactNode;
}

/** Adds conditions, one at a time. */
export function AddCondition({ filter, onChange, valueRef, label, children }: AddConditionProps) {
  const [draft, setDraft] = useState(newCondition);
  const add = (node: FilterNode) => {
    const nodes = isOneOf(filter) ? [filter, node] : [...filter.nodes, node];
    onChange({ kind: "group", operator: "and", nodes });
    setDraft({ ...draft, value: newCondition(draft.field).value });
  };
  return (
    <form
      className="filter-add"
      aria-label={label}
      onKeyDown={(event) => {
        // Leaves the input, so that the page's shortcuts work again.
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
      {children}
    </form>
  );
}

/** The active conditions as chips, each of which can be removed. */
export function ConditionChips({ filter, onChange, valueRef }: ConditionsProps) {
  // Removing one part of an "any" would change the meaning of the rest, so it is one chip.
  const words: readonly FilterNode[] = isOneOf(filter) ? [filter] : filter.nodes;
  if (words.length === 0) return null;
  const keep = (nodes: readonly FilterNode[]) => {
    onChange({ kind: "group", operator: "and", nodes });
    valueRef.current?.focus(); // the pressed button disappears with its chip
  };
  return (
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
  );
}

const isOneOf = ({ operator, nodes }: FilterGroup) => operator === "or" && nodes.length > 1;

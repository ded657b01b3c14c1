import { type ReactNode, type RefObject, useState } from "react";
import { Icon } from "../parts/icon.tsx";
import { ConditionEditor, newCondition } from "./condition-editor.tsx";
import { type FilterGroup, type FilterNode, isComplete, nodeText } from "./model.ts";

interface ConditionsProps {
  readonly filter: FilterGroup;
  readonly onChange: (filter: FilterGroup) => void;
  /** The field in which a condition's value is typed. */
  readonly valueRef: RefObject<HTMLInputElement | null>;
}

interface AddConditionProps extends ConditionsProps {
  /** The form's name, for screen readers. */
  readonly label: string;
  /** Buttons behind its own. */
  readonly children?: ReactNode;
}

/** Adds one condition after the other. */
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
      {children}
    </form>
  );
}

/** What is in force, as words, each of which can be taken away. */
export function ConditionChips({ filter, onChange, valueRef }: ConditionsProps) {
  // Of an "any" the parts cannot be taken one by one without meaning something else: it is one word.
  const words: readonly FilterNode[] = isOneOf(filter) ? [filter] : filter.nodes;
  if (words.length === 0) return null;
  const keep = (nodes: readonly FilterNode[]) => {
    onChange({ kind: "group", operator: "and", nodes });
    valueRef.current?.focus(); // the button that was pressed goes with its word
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

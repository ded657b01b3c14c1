import { Icon } from "../parts/icon.tsx";
import { fromTree, nodeText } from "./model.ts";

/** A filter that a page was opened with; taking it away shows all again. */
export function FilterChip({ filter, onClear }: { readonly filter: unknown; readonly onClear: () => void }) {
  if (filter === undefined || filter === "all") return null;
  const { nodes, operator } = fromTree(filter);
  const text = nodes.map(nodeText).join(` ${operator} `);
  return (
    <p className="filter-chip">
      <span>Only requests where</span>
      <strong title={text}>{text}</strong>
      <button type="button" className="quiet small" aria-label="Show all requests again" onClick={onClear}>
        <Icon name="close" size={12} />
      </button>
    </p>
  );
}

import { Icon } from "./icon.tsx";

/** A filter that a page was opened with; taking it away shows all again. */
export function FilterChip({ filter, onClear }: { readonly filter: unknown; readonly onClear: () => void }) {
  if (filter === undefined || filter === "all") return null;
  const text = JSON.stringify(filter);
  return (
    <p className="filter-chip">
      <span>Only requests that match</span>
      <code title={text}>{text}</code>
      <button type="button" className="quiet small" aria-label="Show all requests again" onClick={onClear}>
        <Icon name="close" size={12} />
      </button>
    </p>
  );
}

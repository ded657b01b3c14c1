import { Icon } from "./icon.tsx";

interface SortHeaderProps {
  readonly label: string;
  readonly end?: boolean;
  readonly sorted?: "ascending" | "descending" | undefined;
  /** Without it the column cannot be sorted. */
  readonly onSort?: () => void;
}

/** A column head whose button sorts by the column, and reverses the order. */
export function SortHeader({ label, end = false, sorted, onSort }: SortHeaderProps) {
  return (
    <th scope="col" className={end ? "end" : undefined} aria-sort={sorted}>
      {onSort === undefined ? (
        label
      ) : (
        <button type="button" className="sort" onClick={onSort}>
          {label}
          <span className={sorted === undefined ? "sort-mark sort-off" : "sort-mark"}>
            <Icon name={sorted === "ascending" ? "up" : "down"} size={12} />
          </span>
        </button>
      )}
    </th>
  );
}

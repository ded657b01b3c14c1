import type { ReactNode } from "react";
import { Empty, Failed, Loading } from "./states.tsx";

interface ListStatesProps<T> {
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** Explains an empty list. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly T[]) => ReactNode;
}

/** A list in any state: loading, failed, empty or loaded. Loaded rows stay while they cannot be refreshed. */
export function ListStates<T>({ rows, error, onRetry, empty, children }: ListStatesProps<T>) {
  if (rows === undefined) {
    if (error !== null && error !== undefined) return <Failed error={error} onRetry={onRetry} />;
    return (
      <div className="table-scroller">
        <Loading />
      </div>
    );
  }
  if (rows.length === 0) {
    return <div className="table-scroller">{typeof empty === "string" ? <Empty title={empty} /> : empty}</div>;
  }
  return children(rows);
}

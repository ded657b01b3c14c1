import type { ReactNode } from "react";
import { Empty, Failed, Loading } from "./states.tsx";

interface ListRoomProps<T> {
  readonly rows: readonly T[] | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** What it means that there is nothing. */
  readonly empty: ReactNode;
  readonly children: (rows: readonly T[]) => ReactNode;
}

/** A list in whichever state it is: on its way, failed, empty or there. What is there stays while it cannot be asked for again. */
export function ListRoom<T>({ rows, error, onRetry, empty, children }: ListRoomProps<T>) {
  if (rows === undefined) {
    if (error !== null && error !== undefined) return <Failed error={error} onRetry={onRetry} />;
    return (
      <div className="table-room">
        <Loading />
      </div>
    );
  }
  if (rows.length === 0) {
    return <div className="table-room">{typeof empty === "string" ? <Empty title={empty} /> : empty}</div>;
  }
  return children(rows);
}

import { type QueryKey, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { get } from "../api.ts";
import { type Column, DataTable } from "./data-table.tsx";
import { GatedButton } from "./gated-button.tsx";
import { Icon } from "./icon.tsx";
import { ListStates } from "./list-states.tsx";
import { Page } from "./page.tsx";

/** Refresh interval of a list: usage and rests change while the page is open. */
const REFRESH_MS = 5_000;

interface SettingsPageProps<T extends object> {
  readonly title: string;
  readonly about: ReactNode;
  /** The API's path of the list. */
  readonly path: string;
  readonly queryKey: QueryKey;
  /** Label of the button that adds one. */
  readonly add: string;
  readonly empty: ReactNode;
  /** What the table holds, for screen readers. */
  readonly label: string;
  /** Declared outside of the component; `onEdit` opens the dialog for a row. */
  readonly columns: (onEdit: (row: T) => void) => readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** Edits a row; adds one if there is none. */
  readonly dialog: (row: T | undefined, onClose: () => void) => ReactNode;
  /** Above the table. */
  readonly head?: ReactNode;
  /** Below the table. */
  readonly more?: (rows: readonly T[]) => ReactNode;
}

/** A page of settings that admins change: a table, a button that adds a row, and a dialog that edits one. */
export function SettingsPage<T extends object>(props: SettingsPageProps<T>) {
  const { title, about, path, queryKey, add, empty, label, columns, rowKey, dialog, head, more } = props;
  const [edited, setEdited] = useState<T | "new">();
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => get<readonly T[]>(path, signal),
    refetchInterval: REFRESH_MS,
  });
  const shown = useMemo(() => columns(setEdited), [columns]);
  return (
    <Page
      title={title}
      about={about}
      actions={
        <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          {add}
        </GatedButton>
      }
    >
      {head}
      <ListStates rows={data} error={error} onRetry={() => void refetch()} empty={empty}>
        {(rows) => (
          <>
            <DataTable label={label} rows={rows} columns={shown} rowKey={rowKey} />
            {more?.(rows)}
          </>
        )}
      </ListStates>
      {edited === undefined ? null : dialog(edited === "new" ? undefined : edited, () => setEdited(undefined))}
    </Page>
  );
}

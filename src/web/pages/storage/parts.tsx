import { useId } from "react";
import { formatPercent } from "../../metrics/format.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Bytes, Time } from "../../parts/values.tsx";
import type { StorageView } from "./shapes.ts";

interface StoredPart {
  readonly name: string;
  readonly holds: string;
  readonly bytes: number;
  /** Of the total, from 0 to 1. */
  readonly share: number;
}

const COLUMNS: readonly Column<StoredPart>[] = [
  { id: "name", header: "Part", value: ({ name }) => name, cell: ({ name }) => name },
  { id: "bytes", header: "Size", align: "end", value: ({ bytes }) => bytes, cell: ({ bytes }) => <Bytes of={bytes} /> },
  {
    id: "share",
    header: "Share",
    align: "end",
    cell: ({ share }) => (
      <>
        {formatPercent(share)}{" "}
        <span className="meter" aria-hidden="true">
          <span className="meter-bar" style={{ width: `${share * 100}%` }} />
        </span>
      </>
    ),
  },
  { id: "holds", header: "What it holds", cell: ({ holds }) => <span className="muted">{holds}</span> },
];

/** Disk usage by part. */
export function Parts({ view }: { readonly view: StorageView }) {
  const id = useId();
  const rows = partsOf(view);
  return (
    <section aria-labelledby={id} className="top-list">
      <h2 id={id}>Disk usage</h2>
      <DataTable label="Disk usage" rows={rows} columns={COLUMNS} rowKey={({ name }) => name} />
      {view.parts === null ? null : (
        <p className="muted">
          Measured <Time of={view.parts.measured_at} />
          {view.parts.sampled ? " from a sample of the pages: right to about one percent of the whole" : null}.
        </p>
      )}
    </section>
  );
}

/** Parts that are not empty; only the database's files if it reports no parts. */
function partsOf({ parts, ...view }: StorageView): StoredPart[] {
  const all: [name: string, holds: string, bytes: number][] =
    parts === null
      ? [["Database", "Records and bodies, on a database server", view.stored_bytes ?? 0]]
      : [
          ["Rows", "Records, properties, keys and settings", parts.rows_bytes],
          ["Indexes", "How records are found", parts.indexes_bytes],
          ["Columns", "What charts and sums are made of", parts.columns_bytes],
          ["Packs", "Bodies, headers and files, compressed together", parts.packs_bytes],
          ["Search index", "Which records have a word", parts.search_bytes],
          ["Older bodies", "Bodies of an earlier version, to be moved into packs", parts.older_bytes],
          ["Free", "Pages that new records will use", parts.free_bytes],
          ["Logs", "Changes that are not in the database files yet", logBytes(view.stored_bytes, parts)],
        ];
  all.push(["Spool", "What is on its way into the database", view.spool_bytes]);
  all.push(["Cache", "Responses that are kept", view.cache_bytes]);
  const some = all.filter(([, , bytes]) => bytes > 0);
  const whole = some.reduce((sum, [, , bytes]) => sum + bytes, 0);
  return some.map(([name, holds, bytes]) => ({ name, holds, bytes, share: bytes / whole }));
}

/** The size of the files beyond their pages. */
function logBytes(stored: number | null, parts: NonNullable<StorageView["parts"]>): number {
  const { rows_bytes, indexes_bytes, columns_bytes, packs_bytes, search_bytes, older_bytes, free_bytes } = parts;
  const pages = rows_bytes + indexes_bytes + columns_bytes + packs_bytes + search_bytes + older_bytes + free_bytes;
  return Math.max(0, (stored ?? 0) - pages);
}

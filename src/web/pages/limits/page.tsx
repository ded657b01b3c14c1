import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { windowText } from "../../parts/format.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ListRoom } from "../../parts/list-room.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { LimitDialog } from "./limit-dialog.tsx";
import { LIMITS, type LimitRow } from "./shapes.ts";
import { amountText } from "./words.ts";

export function LimitsPage() {
  const [edited, setEdited] = useState<LimitRow | "new">();
  const { data, error, refetch } = useQuery({
    queryKey: LIMITS,
    queryFn: ({ signal }) => get<readonly LimitRow[]>("/v1/rate-limits", signal),
    refetchInterval: 5_000,
  });
  const columns = useMemo(() => columnsOf(setEdited), []);
  return (
    <Page
      title="Limits"
      about="Rate limits and budgets: how much may be sent or spent within a sliding window. A request needs room in every one that bears on it."
      actions={
        <GatedButton scope="admin" className="primary" onClick={() => setEdited("new")}>
          <Icon name="plus" />
          Create limit
        </GatedButton>
      }
    >
      <ListRoom
        rows={data}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No limits">
            Create one here, write it into <code>weir.toml</code>, or send{" "}
            <code>Gateway-RateLimit-Policy: 100;w=60</code> with a request: those that requests bring are not listed.
          </Empty>
        }
      >
        {(rows) => (
          <>
            <DataTable label="Rate limits and budgets" rows={rows} columns={columns} rowKey={({ id }) => id} />
            {rows.map((row) =>
              row.segments === undefined || row.segments.length === 0 ? null : <Segments key={row.id} row={row} />,
            )}
          </>
        )}
      </ListRoom>
      {edited === undefined ? null : (
        <LimitDialog limit={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
}

function columnsOf(onEdit: (row: LimitRow) => void): Column<LimitRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => row.name },
    {
      id: "quota",
      header: "Limit",
      cell: (row) => `${amountText(row.quota, row.unit)} in ${windowText(row.window_seconds)}`,
    },
    {
      id: "applies",
      header: "Counted",
      cell: (row) => (
        <>
          {row.segment === null ? "all together" : row.segment === "user" ? "for each user" : `for each ${row.segment}`}
          {row.key_id === null ? null : (
            <>
              , of key <code title={row.key_id}>{row.key_id.slice(0, 8)}</code>
            </>
          )}
        </>
      ),
    },
    {
      id: "used",
      header: "Used",
      value: (row) => (row.quota === 0 ? 1 : row.used / row.quota),
      cell: (row) => (
        <span className="used">
          <Meter
            label={row.segment === null ? `Used of ${row.name}` : `Most used of ${row.name}`}
            value={row.used}
            max={row.quota}
            text={`${amountText(row.used, row.unit)} of ${amountText(row.quota, row.unit)}`}
            warns
          />
          <span className="number">
            {amountText(row.used, row.unit)}
            {row.segment === null ? "" : " at most"}
          </span>
        </span>
      ),
    },
    {
      id: "resets_at",
      header: "Comes back from",
      cell: (row) =>
        row.resets_at === null ? <span className="muted">nothing is counted</span> : <Time of={row.resets_at} />,
    },
    {
      id: "actions",
      header: "Actions",
      cell: (row) =>
        row.source === "configuration" ? (
          <span className="muted">in weir.toml</span>
        ) : (
          <span className="row-actions">
            <GatedButton scope="admin" className="small" onClick={() => onEdit(row)}>
              Edit<span className="unseen"> {row.name}</span>
            </GatedButton>
            <ConfirmButton
              scope="admin"
              label="Delete"
              of={row.name}
              danger
              title={`Delete the limit “${row.name}”?`}
              action="Delete limit"
              run={() => call("DELETE", `/v1/rate-limits/${row.id}`)}
              refresh={[LIMITS]}
            >
              Requests are no longer held to it, from the next one on. What was counted is forgotten.
            </ConfirmButton>
          </span>
        ),
    },
  ];
}

function Segments({ row }: { readonly row: LimitRow }) {
  const { name, quota, unit, segment, segments = [], segments_total = 0 } = row;
  const what = segment === "user" ? "users" : `values of ${segment}`;
  return (
    <section className="panel" aria-label={`Most used of ${name}`}>
      <header className="panel-head">
        <h2>
          {name}: {what} that used most
        </h2>
        <span className="muted">
          {segments.length} of {segments_total}
        </span>
      </header>
      <ul className="most-used">
        {segments.map((each) => (
          <li key={each.segment}>
            <span className="clipped" title={each.segment}>
              {each.segment}
            </span>
            <Meter
              label={each.segment}
              value={each.used}
              max={quota}
              text={`${amountText(each.used, unit)} of ${amountText(quota, unit)}`}
              warns
            />
            <span className="number">{amountText(each.used, unit)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

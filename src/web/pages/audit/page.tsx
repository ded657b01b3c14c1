import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { AuditEntry } from "../../../store/audit/entry.ts";
import { call } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Field } from "../../parts/field.tsx";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { useMissing } from "../../session.ts";
import { type AuditQuery, auditPath } from "./audit-path.ts";
import { Detail } from "./detail.tsx";
import { ExportButton } from "./export-button.tsx";

const PAGE_ROWS = 100;

const ALL: AuditQuery = { actor: "", action: "", object: "", outcome: "", since: "", until: "" };

/** Actions and refused attempts. */
export function AuditPage() {
  const missing = useMissing("admin");
  const [query, setQuery] = useState(ALL);
  const [shown, setShown] = useState<AuditEntry>();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["audit", query],
    queryFn: ({ signal, pageParam }) =>
      call<readonly AuditEntry[]>("GET", auditPath(query, PAGE_ROWS, pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    enabled: missing === undefined,
  });
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const columns = useMemo(() => columnsOf(setShown), []);
  return (
    <Page
      title="Audit"
      about="Who did what, and what was refused. Entries cannot be changed or deleted."
      actions={<ExportButton query={query} disabled={missing !== undefined} />}
    >
      {missing !== undefined ? (
        <Empty title="The audit log is for admins">{missing}</Empty>
      ) : (
        <>
          <Filters onAsk={setQuery} />
          <ListStates
            rows={rows}
            error={error}
            onRetry={() => void refetch()}
            empty={<Empty title="No entries">No entry matches these filters.</Empty>}
          >
            {(all) => <DataTable label="Audit" rows={all} columns={columns} rowKey={({ seq }) => String(seq)} />}
          </ListStates>
          {hasNextPage ? (
            <div className="form-actions">
              <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Older entries
              </button>
            </div>
          ) : null}
        </>
      )}
      {shown === undefined ? null : <Detail entry={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

function Filters({ onAsk }: { readonly onAsk: (query: AuditQuery) => void }) {
  return (
    <form
      className="filter-form"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        const text = (name: keyof AuditQuery) => String(values.get(name) ?? "").trim();
        onAsk({
          ...{ actor: text("actor"), action: text("action"), object: text("object"), outcome: text("outcome") },
          ...{ since: moment(text("since")), until: moment(text("until")) },
        });
      }}
    >
      <Field label="Actor" hint="Name, id or kind">
        {(ids) => <input {...ids} name="actor" maxLength={300} />}
      </Field>
      <Field label="Action" hint="Such as key.created, or key.*">
        {(ids) => <input {...ids} name="action" maxLength={100} />}
      </Field>
      <Field label="Object" hint="Name, id or kind">
        {(ids) => <input {...ids} name="object" maxLength={300} />}
      </Field>
      <Field label="Outcome">
        {(ids) => (
          <select {...ids} name="outcome">
            <option value="">all</option>
            <option>done</option>
            <option>refused</option>
          </select>
        )}
      </Field>
      <Field label="Since">{(ids) => <input {...ids} name="since" type="datetime-local" />}</Field>
      <Field label="Until">{(ids) => <input {...ids} name="until" type="datetime-local" />}</Field>
      <button type="submit" className="primary">
        Show
      </button>
    </form>
  );
}

/** A time in this browser's zone, in the API's form. */
function moment(local: string): string {
  return local === "" ? "" : new Date(local).toISOString();
}

function columnsOf(onShow: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    { id: "time", header: "Time", cell: ({ time }) => <Time of={time} /> },
    { id: "actor", header: "Actor", cell: ({ actor }) => `${actor.name} (${actor.kind})` },
    {
      id: "action",
      header: "Action",
      cell: (entry) => (
        <>
          {entry.action} {entry.outcome === "refused" ? <Badge tone="plain">refused</Badge> : null}
        </>
      ),
    },
    { id: "object", header: "Object", cell: ({ object }) => `${object.kind} ${object.name || object.id}` },
    { id: "organization", header: "Organization", cell: ({ organization }) => organization ?? "" },
    {
      id: "details",
      header: "Details",
      cell: (entry) => (
        <button type="button" className="small" onClick={() => onShow(entry)}>
          Details<span className="unseen"> of entry {entry.seq}</span>
        </button>
      ),
    },
  ];
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useBlocker } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiFailure, get } from "../../api.ts";
import { isUnreadable } from "../../filter/address.ts";
import { FilterConditions } from "../../filter/filter-conditions.tsx";
import type { FilterTree } from "../../filter/tree.ts";
import { isoSpan } from "../../metrics/range.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { readAgain } from "../../read-again.ts";
import { useSession } from "../../session.ts";
import { EditActions, ViewActions } from "./board-actions.tsx";
import { Panels } from "./board-panels.tsx";
import type { DashboardSearch } from "./search.ts";
import { DASHBOARDS, type Dashboard } from "./shapes.ts";

const route = getRouteApi("/dashboards/$id");

export function DashboardPage() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: [...DASHBOARDS, id],
    queryFn: ({ signal }) => get<Dashboard>(`/v1/dashboards/${encodeURIComponent(id)}`, signal),
  });
  if (data !== undefined) return <Board key={data.id} stored={data} />;
  const isGone = error instanceof ApiFailure && error.status === 404;
  return (
    <Page title="Dashboard" actions={<AllDashboards />}>
      {isGone ? (
        <Empty title="There is no dashboard with this id">It was deleted, or is not shared with you.</Empty>
      ) : error === null ? (
        <Loading />
      ) : (
        <Failed error={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function AllDashboards() {
  return (
    <Link to="/dashboards" className="button quiet">
      <Icon name="list" /> All dashboards
    </Link>
  );
}

function Board({ stored }: { readonly stored: Dashboard }) {
  const { edit: begins, filter, ...time } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const mayChange = useMayChange(stored);
  /** The edited dashboard; undefined while it is only viewed. */
  const [draft, setDraft] = useState<Dashboard | undefined>(begins && mayChange ? stored : undefined);
  const shown = draft ?? stored;
  const wanted = filter ?? stored.filter ?? "all";
  const change = (next: DashboardSearch) => void navigate({ search: next });
  useEffect(() => {
    if (begins) void navigate({ search: ({ edit: _, ...rest }) => rest, replace: true });
  }, [begins]);
  const isChanged = draft !== undefined && draft !== stored;
  useBlocker({
    shouldBlockFn: () => isChanged && !confirm("Leave without saving the dashboard?"),
    enableBeforeUnload: () => isChanged,
  });
  const isBroken = wanted !== "all" && isUnreadable(wanted);
  return (
    <Page
      title={stored.name}
      about={stored.description}
      actions={
        <>
          <AllDashboards />
          <TimeRangeMenu
            value={time}
            fallback={stored.range}
            onChange={(next) => change({ ...next, ...(filter === undefined ? {} : { filter }) })}
          />
          <button type="button" onClick={() => void readAgain(client, { changes: [["metrics"]] })}>
            Refresh
          </button>
          {draft === undefined ? (
            <ViewActions stored={stored} mayChange={mayChange} onEdit={() => setDraft(stored)} />
          ) : (
            <EditActions draft={draft} onDraft={setDraft} />
          )}
        </>
      }
    >
      {isBroken ? (
        <BrokenLink onClear={() => change(time)} />
      ) : (
        <>
          <FilterConditions
            label="Filter all panels"
            tree={wanted}
            onChange={(tree) => change({ ...time, ...(tree === (stored.filter ?? "all") ? {} : { filter: tree }) })}
          />
          <Panels
            shown={shown}
            onDraft={draft === undefined ? undefined : setDraft}
            panelProps={{
              ...{ time, range: stored.range, filter: wanted as FilterTree },
              onZoom: (span) => change({ ...isoSpan(span), ...(filter === undefined ? {} : { filter }) }),
            }}
          />
        </>
      )}
    </Page>
  );
}

/** Whether the log-in may replace it: as its owner, or for a shared one as an admin. */
function useMayChange({ own, shipped }: Dashboard): boolean {
  const { scopes } = useSession();
  return !shipped && (own || scopes.includes("admin"));
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { ApiFailure, get } from "../../api.ts";
import { isUnreadable } from "../../filter/address.ts";
import { FilterConditions } from "../../filter/filter-conditions.tsx";
import type { FilterTree } from "../../filter/tree.ts";
import { isoSpan } from "../../metrics/range.ts";
import { BrokenLink } from "../../parts/broken-link.tsx";
import { Trouble } from "../../parts/confirm-button.tsx";
import { useSave } from "../../parts/dialog-form.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { useSession } from "../../session.ts";
import { BoardPanel } from "./board-panel.tsx";
import { DetailsDialog } from "./details-dialog.tsx";
import { fileName, fileText } from "./file.ts";
import { placeBelow, settled } from "./grid.ts";
import { GridRoom } from "./grid-room.tsx";
import { copyName, DeleteButton } from "./page.tsx";
import { PanelEditor } from "./panel-editor.tsx";
import type { DashboardSearch } from "./search.ts";
import { DASHBOARDS, type Dashboard, type Panel } from "./shapes.ts";

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
        <Empty title="There is no dashboard of this id">It was deleted, or is not shared with you.</Empty>
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
  /** What is being changed; undefined while the dashboard is only looked at. */
  const [draft, setDraft] = useState<Dashboard | undefined>(begins && mayChange ? stored : undefined);
  const shown = draft ?? stored;
  const asked = filter ?? stored.filter ?? "all";
  const change = (next: DashboardSearch) => void navigate({ search: next });
  useEffect(() => {
    if (begins) void navigate({ search: ({ edit: _, ...rest }) => rest, replace: true });
  }, [begins]);
  const isChanged = draft !== undefined && draft !== stored;
  useBlocker({
    shouldBlockFn: () => isChanged && !confirm("Leave without saving the dashboard?"),
    enableBeforeUnload: () => isChanged,
  });
  const isBroken = asked !== "all" && isUnreadable(asked);
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
          <button type="button" onClick={() => void client.invalidateQueries({ queryKey: ["metrics"] })}>
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
            tree={asked}
            onChange={(tree) => change({ ...time, ...(tree === (stored.filter ?? "all") ? {} : { filter: tree }) })}
          />
          <Panels
            shown={shown}
            onDraft={draft === undefined ? undefined : setDraft}
            panelProps={{
              ...{ time, range: stored.range, filter: asked as FilterTree },
              onZoom: (span) => change({ ...isoSpan(span), ...(filter === undefined ? {} : { filter }) }),
            }}
          />
        </>
      )}
    </Page>
  );
}

/** Whether the log-in may replace it: the owner, and of a shared one an admin. */
function useMayChange({ own, shipped }: Dashboard): boolean {
  const { scopes } = useSession();
  return !shipped && (own || scopes.includes("admin"));
}

interface ViewActionsProps {
  readonly stored: Dashboard;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
}

function ViewActions({ stored, mayChange, onEdit }: ViewActionsProps) {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<"copy" | "details">();
  const close = () => setOpened(undefined);
  const copy = { ...stored, name: copyName(stored.name), shared: false };
  const exported = () => {
    const address = URL.createObjectURL(new Blob([fileText(stored)], { type: "application/json" }));
    const link = Object.assign(document.createElement("a"), { href: address, download: fileName(stored) });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <>
      {mayChange ? (
        <button type="button" className="primary" onClick={onEdit}>
          Edit
        </button>
      ) : (
        <GatedButton scope="figures" className="primary" onClick={() => setOpened("copy")}>
          Copy
        </GatedButton>
      )}
      <Menu label="More">
        {(closeMenu) => (
          <div className="menu-list">
            {mayChange ? (
              <>
                <MenuItem label="Rename or share" close={closeMenu} run={() => setOpened("details")} />
                <MenuItem label="Copy" close={closeMenu} run={() => setOpened("copy")} />
              </>
            ) : null}
            <MenuItem label="Export" close={closeMenu} run={exported} />
            {mayChange ? <DeleteButton row={stored} onDone={() => void navigate({ to: "/dashboards" })} /> : null}
          </div>
        )}
      </Menu>
      {opened === "copy" ? (
        <DetailsDialog
          title="Copy a dashboard"
          action="Copy dashboard"
          of={copy}
          onClose={close}
          onSaved={({ id }) => void navigate({ to: "/dashboards/$id", params: { id }, search: { edit: true } })}
        />
      ) : opened === "details" ? (
        <DetailsDialog
          title={`Dashboard “${stored.name}”`}
          action="Save dashboard"
          of={stored}
          id={stored.id}
          onClose={close}
          onSaved={close}
        />
      ) : null}
    </>
  );
}

interface MenuItemProps {
  readonly label: string;
  readonly close: () => void;
  readonly run: () => void;
}

function MenuItem({ label, close, run }: MenuItemProps) {
  return (
    <button
      type="button"
      className="menu-item"
      onClick={() => {
        close();
        run();
      }}
    >
      {label}
    </button>
  );
}

interface EditActionsProps {
  readonly draft: Dashboard;
  readonly onDraft: (draft: Dashboard | undefined) => void;
}

function EditActions({ draft, onDraft }: EditActionsProps) {
  const [isAdding, setAdding] = useState(false);
  const client = useQueryClient();
  const work = useSave<Dashboard>({
    ...{ method: "PUT", path: `/v1/dashboards/${draft.id}`, list: DASHBOARDS },
    onSaved: (saved) => {
      client.setQueryData([...DASHBOARDS, saved.id], saved);
      onDraft(undefined);
    },
  });
  const { name, description, shared, range, filter, panels } = draft;
  const place = placeBelow(
    panels.map((panel) => panel.place),
    { w: 6, h: 4 },
  );
  return (
    <>
      <button type="button" onClick={() => setAdding(true)}>
        <Icon name="plus" />
        Add panel
      </button>
      <button
        type="button"
        className="primary"
        disabled={work.isPending}
        onClick={() => work.mutate({ name, description, shared, range, filter, panels: inRows(panels) })}
      >
        Save
      </button>
      <button type="button" onClick={() => onDraft(undefined)}>
        Cancel
      </button>
      <Trouble error={work.error} />
      {isAdding ? (
        <PanelEditor
          panel={{ ...NEW_PANEL, place }}
          isNew
          onClose={() => setAdding(false)}
          onSave={(panel) => {
            onDraft({ ...draft, panels: [...panels, panel] });
            setAdding(false);
          }}
        />
      ) : null}
    </>
  );
}

const NEW_PANEL: Omit<Panel, "place"> = {
  ...{ title: "Requests", kind: "bar", metrics: ["requests"], split_by: [], groups: 7 },
  ...{ filter: null, range: null, thresholds: [] },
};

/** As they are read: it is the order of a narrow screen, and of who hears them. */
const inRows = (panels: readonly Panel[]) => panels.toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);

interface PanelsProps {
  readonly shown: Dashboard;
  readonly onDraft: ((draft: Dashboard) => void) | undefined;
  readonly panelProps: Omit<Parameters<typeof BoardPanel>[0], "panel" | "edit">;
}

function Panels({ shown, onDraft, panelProps }: PanelsProps) {
  const [edited, setEdited] = useState<number>();
  const { panels } = shown;
  const places = panels.map(({ place }) => place);
  if (panels.length === 0)
    return (
      <div className="table-room">
        <Empty title="No panels">“Edit”, then “Add panel”, fills this dashboard.</Empty>
      </div>
    );
  const put = (next: readonly Panel[]) => {
    const all = settled(next.map(({ place }) => place));
    onDraft?.({ ...shown, panels: next.map((panel, at) => ({ ...panel, place: all[at]! })) });
  };
  return (
    <>
      <GridRoom
        titles={panels.map(({ title }) => title)}
        places={places}
        onPlaces={onDraft && ((next) => put(panels.map((panel, at) => ({ ...panel, place: next[at]! }))))}
      >
        {(at, handles) => (
          <BoardPanel
            {...panelProps}
            panel={panels[at]!}
            edit={
              onDraft && {
                ...handles,
                onEdit: () => setEdited(at),
                onCopy: () => put([...panels, { ...panels[at]!, place: placeBelow(places, panels[at]!.place) }]),
                onRemove: () => put(panels.toSpliced(at, 1)),
              }
            }
          />
        )}
      </GridRoom>
      {edited === undefined ? null : (
        <PanelEditor
          panel={panels[edited]!}
          isNew={false}
          onClose={() => setEdited(undefined)}
          onSave={(panel) => {
            put(panels.with(edited, panel));
            setEdited(undefined);
          }}
        />
      )}
    </>
  );
}

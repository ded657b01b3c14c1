import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Column } from "../../parts/data-table.tsx";
import { Page } from "../../parts/page.tsx";
import { SettingActions } from "../../parts/setting-actions.tsx";
import { SettingsPage } from "../../parts/settings-page.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Explain } from "./explain.tsx";
import { HealthTable } from "./health-table.tsx";
import { RouteDialog } from "./route-dialog.tsx";
import { ROUTE_TABS, type RoutesSearch } from "./search.ts";
import { ROUTES, type RouteRow, type TargetRow } from "./shapes.ts";

const TITLE = "Routes";
const ABOUT = "Names of your own for models, with fallbacks: clients of the unified address write them as the model.";

export function RoutesPage() {
  const { tab = "routes", model } = useSearch({ from: "/routes" });
  const navigate = useNavigate({ from: "/routes" });
  const change = (search: RoutesSearch, replace = false) => void navigate({ search, replace });
  const tabs = (
    <Tabs
      label="Routes and how they work"
      tabs={ROUTE_TABS}
      value={tab}
      onChange={(next) => change(next === "routes" ? {} : { tab: next })}
    />
  );
  if (tab === "routes") return <RouteList tabs={tabs} />;
  return (
    <Page title={TITLE} about={ABOUT}>
      {tabs}
      {tab === "health" ? (
        <HealthTable />
      ) : (
        <Explain model={model} onModel={(next) => change({ tab: "explain", model: next }, true)} />
      )}
    </Page>
  );
}

function RouteList({ tabs }: { readonly tabs: ReactNode }) {
  return (
    <SettingsPage<RouteRow>
      title={TITLE}
      about={ABOUT}
      head={tabs}
      path="/v1/routes"
      queryKey={ROUTES}
      add="Create route"
      label="Routes"
      columns={columnsOf}
      rowKey={({ source, name }) => `${source} ${name}`}
      dialog={(route, onClose) => <RouteDialog route={route} onClose={onClose} />}
      empty={
        <Empty title="No routes">
          Create one here, write it into the configuration file, or run{" "}
          <code>weir routes set fast --target openai/gpt-5-mini</code>. Clients can also write{" "}
          <code>provider/model</code> without one.
        </Empty>
      }
    />
  );
}

function columnsOf(onEdit: (row: RouteRow) => void): Column<RouteRow>[] {
  return [
    { id: "name", header: "Name", value: (row) => row.name, cell: (row) => <code>{row.name}</code> },
    { id: "targets", header: "Targets", cell: (row) => <Targets row={row} /> },
    { id: "strategy", header: "Strategy", value: (row) => row.strategy, cell: (row) => row.strategy },
    { id: "sticky", header: "Sticky", value: (row) => row.sticky, cell: (row) => row.sticky },
    { id: "description", header: "Description", cell: (row) => row.description ?? "" },
    { id: "actions", header: "Actions", cell: (row) => <Actions row={row} onEdit={() => onEdit(row)} /> },
  ];
}

function Targets({ row }: { readonly row: RouteRow }) {
  const targets = row.targets as readonly TargetRow[];
  return (
    <div className="stacked">
      {targets.map(({ model, weight }, at) => (
        <span key={at}>
          <code>{model}</code>
          {row.strategy === "weighted" ? <span className="muted"> weight {weight}</span> : null}
        </span>
      ))}
    </div>
  );
}

function Actions({ row, onEdit }: { readonly row: RouteRow; readonly onEdit: () => void }) {
  return (
    <SettingActions
      kind="route"
      name={row.name}
      path={`/v1/routes/${encodeURIComponent(row.name)}`}
      isInFile={row.source === "file"}
      onEdit={onEdit}
      more={
        row.name.includes("*") ? null : (
          <Link to="/routes" search={{ tab: "explain", model: row.name }} className="button small">
            Explain<span className="unseen"> {row.name}</span>
          </Link>
        )
      }
    >
      From now on, requests that name it are refused, unless a model has this name.
    </SettingActions>
  );
}

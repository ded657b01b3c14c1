import type { ListedDashboard, ShownDashboard } from "../../../api/dashboards/dashboards.ts";
import type {
  NamedMetric,
  PanelKind,
  PanelMetric,
  PanelRange,
  Place,
  Panel as StoredPanel,
  Threshold,
} from "../../../store/dashboards.ts";
import type { FilterTree } from "../../filter/tree.ts";

export type { ListedDashboard, NamedMetric, PanelKind, PanelMetric, PanelRange, Place, Threshold };

export type Panel = Omit<StoredPanel, "filter"> & { readonly filter: FilterTree | null };

export type Dashboard = Omit<ShownDashboard, "filter" | "panels"> & {
  readonly filter: FilterTree | null;
  readonly panels: readonly Panel[];
};

/** The contents of a file, from which a dashboard is created. */
export type DashboardFile = Pick<Dashboard, "name" | "description" | "range" | "filter" | "panels"> & {
  readonly version?: 1;
  readonly shared?: boolean;
};

export const DASHBOARDS = ["dashboards"] as const;

/** As in the API. */
export const GRID_COLUMNS = 12;

export const KINDS: Readonly<Record<PanelKind, string>> = {
  line: "Line chart",
  bar: "Bar chart",
  number: "Number",
  table: "Table",
  heatmap: "Heat map",
};

import { dashboards } from "../record/tables.ts";
import { ruleTable, type StoredRule } from "./rule-table.ts";

/** Metrics that dashboard panels draw, with their units. `percent`: a fraction from 0 to 1. `rate`: per second. */
export const PANEL_METRICS = {
  requests: "count",
  cost: "dollars",
  prompt_tokens: "count",
  completion_tokens: "count",
  total_tokens: "count",
  errors: "count",
  error_rate: "percent",
  refused: "count",
  refusal_rate: "percent",
  cache_hits: "count",
  cache_hit_rate: "percent",
  latency_avg: "ms",
  latency_p50: "ms",
  latency_p90: "ms",
  latency_p95: "ms",
  latency_p99: "ms",
  time_to_first_token_p50: "ms",
  time_to_first_token_p95: "ms",
  tokens_per_second_p50: "rate",
  tokens_per_second_p95: "rate",
} as const satisfies Readonly<Record<string, "count" | "dollars" | "percent" | "ms" | "rate">>;
export type NamedMetric = keyof typeof PANEL_METRICS;
/** A named metric, or the mean of a score. */
export type PanelMetric = NamedMetric | `score:${string}`;

export const PANEL_KINDS = ["line", "bar", "number", "table", "heatmap"] as const;
export type PanelKind = (typeof PANEL_KINDS)[number];

/** Spans that end now, and calendar periods in the reader's time zone. */
export const PANEL_RANGES = [
  ...(["15m", "1h", "6h", "24h", "7d", "30d", "90d"] as const),
  ...(["today", "yesterday", "this-week", "last-week", "this-month", "last-month", "all"] as const),
] as const;
export type PanelRange = (typeof PANEL_RANGES)[number];

export const THRESHOLD_COLOURS = ["good", "warn", "bad"] as const;

/** Colours values above or below a limit. */
export interface Threshold {
  readonly comparison: "above" | "below";
  readonly value: number;
  readonly colour: (typeof THRESHOLD_COLOURS)[number];
}

/** Columns of the grid that panels are laid out on. */
export const GRID_COLUMNS = 12;

/** In grid columns and rows, from the upper left corner. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Panel {
  readonly title: string;
  readonly kind: PanelKind;
  readonly metrics: readonly PanelMetric[];
  /** Names that metrics are grouped by. */
  readonly split_by: readonly string[];
  /** How many groups are drawn, largest first. */
  readonly groups: number;
  /** Null means only the dashboard's own filter applies. */
  readonly filter: unknown;
  /** Null means the dashboard's range. */
  readonly range: PanelRange | null;
  readonly thresholds: readonly Threshold[];
  readonly place: Place;
}

/** What a dashboard shows. */
export interface DashboardTerms {
  readonly description: string;
  /** The range that is selected when the dashboard opens. */
  readonly range: PanelRange;
  readonly filter: unknown;
  readonly panels: readonly Panel[];
}

export interface StoredDashboard extends StoredRule {
  /** `key:<id>` or `user:<id>`. */
  readonly owner_id: string;
  readonly owner_name: string;
  readonly name: string;
  /** Whether every user of the organization sees it. */
  readonly shared: boolean;
  readonly terms: DashboardTerms;
}

const DASHBOARDS_MAX = 500;

export const {
  list: listDashboards,
  find: findDashboard,
  put: putDashboard,
  remove: removeDashboard,
} = ruleTable<StoredDashboard>(dashboards, {
  max: DASHBOARDS_MAX,
  noted: {
    noun: "dashboard",
    nameOf: ({ name }) => name,
    shown: ({ name, shared, terms }) => ({ name, shared, ...terms }),
  },
});

import type { ReactNode } from "react";
import type { RecordFields } from "../../../record/request-record.ts";
import { formatCount, formatDuration, formatMoney, UNKNOWN } from "../../parts/format.ts";
import { Status, Time } from "../../parts/values.tsx";
import { marked } from "./marks.tsx";

/** A request as lists show it: a record without its bodies. */
export type RequestRow = RecordFields;

/** A column. Cells are text where that is enough: of a row's elements there are as many as there are rows in view. */
export interface RequestColumn {
  readonly id: string;
  readonly header: string;
  /** Pixels. */
  readonly width: number;
  readonly end?: true;
  /** Texts of any length, which end in an ellipsis. */
  readonly cut?: true;
  /** The API's name for ordering by it. */
  readonly sort?: string;
  /** @param marks - what a search marks in texts. */
  readonly cell: (row: RequestRow, marks?: RegExp) => ReactNode;
  /** What shows when one points at the cell. */
  readonly title?: (row: RequestRow) => string | undefined;
}

type NameOf = (row: RequestRow) => string | null | undefined;

/** A column of names that somebody chose. */
const named = (of: NameOf) => ({
  cut: true as const,
  cell: (row: RequestRow) => of(row) || UNKNOWN,
  title: (row: RequestRow) => of(row) || undefined,
});

/** A column of texts, of which a list shows a line. */
const said = (of: (row: RequestRow) => string | null) => ({
  cut: true as const,
  cell: (row: RequestRow, marks?: RegExp) => {
    const line = of(row)?.replace(/\s+/g, " ").trim();
    return line ? marked(line, marks) : UNKNOWN;
  },
  title: (row: RequestRow) => of(row) || undefined,
});

const milliseconds = (of: (row: RequestRow) => number | null) => ({
  end: true as const,
  cell: (row: RequestRow) => formatDuration(of(row)),
  title: (row: RequestRow) => (of(row) === null ? undefined : `${of(row)} ms`),
});

/** Every column that the table can show, in its order. */
export const COLUMNS: readonly RequestColumn[] = [
  {
    id: "time",
    header: "Time",
    width: 134,
    sort: "created_at",
    // The row's link: everything in the row opens it, and it alone is reached by key. Not the router's own, which would
    // have each of some fifty links listen to every change of the address.
    cell: (row) => (
      <a href={`/requests/${row.request_id}`} className="row-link">
        <Time of={row.request_created_at} />
      </a>
    ),
  },
  { id: "status", header: "Status", width: 82, cell: (row) => <Status of={row.response_status} /> },
  { id: "input", header: "Input", width: 300, ...said((row) => row.input) },
  { id: "output", header: "Output", width: 300, ...said((row) => row.output) },
  { id: "model", header: "Model", width: 176, sort: "body_model", ...named((row) => row.model) },
  { id: "provider", header: "Provider", width: 108, ...named((row) => row.provider) },
  { id: "route", header: "Route", width: 120, ...named((row) => row.route) },
  { id: "credential", header: "Credential", width: 120, ...named((row) => row.credential) },
  { id: "latency", header: "Latency", width: 86, sort: "latency", ...milliseconds((row) => row.delay_ms) },
  {
    id: "first_token",
    header: "First token",
    width: 100,
    sort: "time_to_first_token",
    ...milliseconds((row) => row.time_to_first_token),
  },
  {
    id: "tokens",
    header: "Tokens",
    width: 80,
    end: true,
    sort: "total_tokens",
    cell: (row) => `${row.usage_estimated ? "≈ " : ""}${formatCount(row.total_tokens)}`,
    title: (row) => (row.usage_estimated ? "estimated: the provider did not say" : undefined),
  },
  {
    id: "cost",
    header: "Cost",
    width: 116,
    end: true,
    cut: true,
    sort: "cost",
    cell: (row) => formatMoney(row.cost),
    title: (row) => (row.cost === null ? "not known" : `${row.cost} US dollars`),
  },
  { id: "user", header: "User", width: 112, sort: "user_id", ...named((row) => row.request_user_id) },
  {
    id: "properties",
    header: "Properties",
    width: 340,
    cut: true,
    cell: (row) => propertyMarks(row.properties),
    title: (row) => entriesText(row.properties),
  },
  {
    id: "cache",
    header: "Cache",
    width: 70,
    sort: "is_cached",
    cell: (row) =>
      row.cached ? (
        <span className="badge badge-accent">hit</span>
      ) : row.cache_enabled ? (
        <span className="badge">miss</span>
      ) : (
        UNKNOWN
      ),
  },
  { id: "session", header: "Session", width: 130, ...named((row) => row.session_name ?? row.session_id) },
  { id: "path", header: "Path", width: 190, ...named((row) => row.request_path) },
  { id: "key", header: "Key", width: 120, ...named((row) => row.gateway_user) },
  {
    id: "feedback",
    header: "Feedback",
    width: 92,
    cell: (row) => (row.feedback_rating === null ? UNKNOWN : row.feedback_rating ? "positive" : "negative"),
  },
  { id: "id", header: "Id", width: 290, cut: true, cell: (row) => <code>{row.request_id}</code> },
];

/** Shown until somebody chooses others. */
export const DEFAULT_COLUMNS: readonly string[] = [
  "time",
  "status",
  "input",
  "output",
  "model",
  "provider",
  "latency",
  "first_token",
  "tokens",
  "cost",
  "user",
  "properties",
  "cache",
  "session",
  "id",
];

const STORED = "weir.columns";

export function storedColumns(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? "null");
    if (!Array.isArray(stored)) return DEFAULT_COLUMNS;
    const known = COLUMNS.map(({ id }) => id).filter((id) => stored.includes(id));
    return known.length === 0 ? DEFAULT_COLUMNS : known;
  } catch {
    return DEFAULT_COLUMNS; // somebody else wrote there
  }
}

export function storeColumns(ids: readonly string[]): void {
  localStorage.setItem(STORED, JSON.stringify(ids));
}

/** Properties beyond these are seen when one points at the cell. */
const MARKS_MAX = 6;

function propertyMarks(properties: RequestRow["properties"]): ReactNode {
  const entries = Object.entries(properties);
  if (entries.length === 0) return UNKNOWN;
  return entries.slice(0, MARKS_MAX).map(([name, value]) => (
    <span key={name} className="property">
      <span className="property-name">{name}</span> {value}
    </span>
  ));
}

function entriesText(properties: RequestRow["properties"]): string | undefined {
  const lines = Object.entries(properties).map(([name, value]) => `${name}: ${value}`);
  return lines.length === 0 ? undefined : lines.join("\n");
}

import type { ReactNode } from "react";
import type { RecordFields } from "../../../record/request-record.ts";
import { Count, Duration, Money, Status, Time } from "../../parts/values.tsx";

/** A request as lists show it: a record without its bodies. */
export type RequestRow = RecordFields;

export interface RequestColumn {
  readonly id: string;
  readonly header: string;
  /** Pixels. */
  readonly width: number;
  readonly end?: true;
  /** The API's name for ordering by it. */
  readonly sort?: string;
  readonly cell: (row: RequestRow) => ReactNode;
}

const dash = <span className="unknown">–</span>;
const text = (value: string | null | undefined) => (value ? <span title={value}>{value}</span> : dash);

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
  { id: "model", header: "Model", width: 176, sort: "body_model", cell: (row) => text(row.model) },
  { id: "provider", header: "Provider", width: 108, cell: (row) => text(row.provider) },
  {
    id: "latency",
    header: "Latency",
    width: 86,
    end: true,
    sort: "latency",
    cell: (row) => <Duration of={row.delay_ms} />,
  },
  {
    id: "first_token",
    header: "First token",
    width: 100,
    end: true,
    sort: "time_to_first_token",
    cell: (row) => <Duration of={row.time_to_first_token} />,
  },
  {
    id: "tokens",
    header: "Tokens",
    width: 80,
    end: true,
    sort: "total_tokens",
    cell: (row) => (
      <span title={row.usage_estimated ? "estimated: the provider did not say" : undefined}>
        {row.usage_estimated ? "≈ " : ""}
        <Count of={row.total_tokens} />
      </span>
    ),
  },
  { id: "cost", header: "Cost", width: 94, end: true, sort: "cost", cell: (row) => <Money of={row.cost} /> },
  { id: "user", header: "User", width: 112, sort: "user_id", cell: (row) => text(row.request_user_id) },
  { id: "properties", header: "Properties", width: 340, cell: (row) => <Properties of={row.properties} /> },
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
        dash
      ),
  },
  { id: "session", header: "Session", width: 130, cell: (row) => text(row.session_name ?? row.session_id) },
  { id: "path", header: "Path", width: 190, cell: (row) => text(row.request_path) },
  { id: "key", header: "Key", width: 120, cell: (row) => text(row.gateway_user) },
  {
    id: "feedback",
    header: "Feedback",
    width: 92,
    cell: (row) => (row.feedback_rating === null ? dash : row.feedback_rating ? "positive" : "negative"),
  },
  { id: "id", header: "Id", width: 290, cell: (row) => <code>{row.request_id}</code> },
];

/** Shown until somebody chooses others. */
export const DEFAULT_COLUMNS: readonly string[] = [
  "time",
  "status",
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

function Properties({ of }: { readonly of: Readonly<Record<string, string>> }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return dash;
  return (
    <span className="properties" title={entries.map(([name, value]) => `${name}: ${value}`).join("\n")}>
      {entries.slice(0, 6).map(([name, value]) => (
        <span key={name} className="property">
          <span className="property-name">{name}</span> {value}
        </span>
      ))}
    </span>
  );
}

import type { ReactNode } from "react";
import type { RecordFields } from "../../../record/request-record.ts";
import { formatBytes, formatCount, formatDuration, formatMoney, UNKNOWN } from "../../parts/format.ts";
import { withoutMarks } from "../../parts/plain-text.ts";
import { FEEDBACK, scoreName } from "../../parts/score-name.ts";
import { sentBytes } from "../../parts/sent-bytes.ts";
import { Status, Time } from "../../parts/values.tsx";
import { marked } from "./marks.tsx";

/** A request in lists: a record without its bodies. */
export type RequestRow = RecordFields & { readonly stored_bytes?: number | null };

/** A column. Cells are plain text if possible, because each visible row repeats every element. */
export interface RequestColumn {
  readonly id: string;
  readonly header: string;
  /** Pixels. */
  readonly width: number;
  readonly end?: true;
  /** Set for texts of any length, which end in an ellipsis. */
  readonly cut?: true;
  /** The API's name for sorting by it. */
  readonly sort?: string;
  /** @param marks - search words to highlight. */
  readonly cell: (row: RequestRow, marks?: RegExp) => ReactNode;
  /** The cell's tooltip. */
  readonly title?: (row: RequestRow) => string | undefined;
}

type NameOf = (row: RequestRow) => string | null | undefined;

/** A column of user-defined names. */
const named = (of: NameOf) => ({
  cut: true as const,
  cell: (row: RequestRow) => of(row) || UNKNOWN,
  title: (row: RequestRow) => of(row) || undefined,
});

/** No column is wide enough for more of a line; shaping the rest would cost time in each frame of a scroll. */
const LINE_CHARS = 250;

/** A column of texts, of which a list shows one line. */
const said = (of: (row: RequestRow) => string | null) => ({
  cut: true as const,
  cell: (row: RequestRow, marks?: RegExp) => {
    const text = of(row);
    const line = text && withoutMarks(text).replace(/\s+/g, " ").trim();
    if (!line) return UNKNOWN;
    return marks === undefined ? line.slice(0, LINE_CHARS) : marked(line, marks);
  },
  title: (row: RequestRow) => withoutMarks(of(row) ?? "") || undefined,
});

const milliseconds = (of: (row: RequestRow) => number | null) => ({
  end: true as const,
  cell: (row: RequestRow) => formatDuration(of(row)),
  title: (row: RequestRow) => (of(row) === null ? undefined : `${of(row)} ms`),
});

const bytes = (of: (row: RequestRow) => number | null | undefined) => ({
  end: true as const,
  cell: (row: RequestRow) => formatBytes(of(row)),
  title: (row: RequestRow) => (of(row) == null ? undefined : `${formatCount(of(row))} bytes`),
});

/** All columns except those of one property or score, in the order of the menu. */
export const COLUMNS: readonly RequestColumn[] = [
  {
    id: "time",
    header: "Time",
    width: 130,
    sort: "created_at",
    // The row's link: a click anywhere in the row opens it, and only the link is in the Tab order. Not the router's link
    // component, because some fifty of those would each listen to every change of the address.
    cell: (row) => (
      <a href={`/requests/${row.request_id}`} className="row-link">
        <Time of={row.request_created_at} />
      </a>
    ),
  },
  {
    id: "status",
    header: "Status",
    width: 118,
    cell: (row) =>
      row.cached ? (
        <>
          <Status of={row.response_status} /> <span className="badge badge-accent">cached</span>
        </>
      ) : (
        <Status of={row.response_status} />
      ),
  },
  { id: "input", header: "Input", width: 174, ...said((row) => row.input) },
  {
    id: "output",
    header: "Output",
    width: 174,
    ...said((row) => row.output ?? row.error_message),
  },
  { id: "tools", header: "Tools called", width: 140, ...named((row) => toolNames(row.output).join(", ")) },
  { id: "model", header: "Model", width: 142, sort: "body_model", ...named((row) => row.model) },
  { id: "provider", header: "Provider", width: 108, ...named((row) => row.provider) },
  { id: "route", header: "Route", width: 120, ...named((row) => row.route) },
  { id: "credential", header: "Credential", width: 120, ...named((row) => row.credential) },
  { id: "latency", header: "Latency", width: 98, sort: "latency", ...milliseconds((row) => row.delay_ms) },
  {
    id: "first_token",
    header: "First token",
    width: 118,
    sort: "time_to_first_token",
    ...milliseconds((row) => row.time_to_first_token),
  },
  {
    id: "tokens",
    header: "Tokens",
    width: 94,
    end: true,
    sort: "total_tokens",
    cell: (row) => `${row.usage_estimated ? "≈ " : ""}${formatCount(row.total_tokens)}`,
    title: (row) => (row.usage_estimated ? "estimated: the provider did not say" : undefined),
  },
  {
    id: "cost",
    header: "Cost",
    width: 124,
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
    cell: (row) => pairMarks(row.properties),
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
  { id: "session", header: "Session", width: 140, ...named((row) => row.session_name ?? row.session_id) },
  { id: "session_path", header: "Session path", width: 150, ...named((row) => row.session_path) },
  { id: "finish_reason", header: "Finish reason", width: 120, ...named((row) => row.finish_reason) },
  { id: "outcome", header: "Outcome", width: 110, ...named((row) => row.outcome) },
  { id: "target", header: "Target", width: 240, ...named((row) => row.target_url) },
  { id: "path", header: "Path", width: 190, ...named((row) => row.request_path) },
  { id: "key", header: "Key", width: 120, ...named((row) => row.gateway_user) },
  {
    id: "feedback",
    header: "Feedback",
    width: 92,
    cell: (row) => (row.feedback_rating === null ? UNKNOWN : row.feedback_rating ? "positive" : "negative"),
  },
  {
    id: "prompt_tokens",
    header: "Input tokens",
    width: 112,
    end: true,
    cell: (row) => formatCount(row.prompt_tokens),
  },
  {
    id: "completion_tokens",
    header: "Output tokens",
    width: 122,
    end: true,
    cell: (row) => formatCount(row.completion_tokens),
  },
  { id: "prompt_id", header: "Prompt", width: 120, ...named((row) => row.prompt_id) },
  { id: "prompt_version", header: "Prompt version", width: 120, ...named((row) => row.prompt_version) },
  {
    id: "scores",
    header: "Scores",
    width: 180,
    cut: true,
    cell: (row) => pairMarks(shownScores(row), formatScore),
    title: (row) => entriesText(shownScores(row)),
  },
  {
    id: "comments",
    header: "Comments",
    width: 90,
    end: true,
    cell: (row) => (row.comments === 0 ? UNKNOWN : formatCount(row.comments)),
  },
  { id: "sent", header: "Sent", width: 86, ...bytes(sentBytes) },
  { id: "stored", header: "Stored", width: 86, ...bytes((row) => row.stored_bytes) },
  { id: "id", header: "Id", width: 290, cut: true, cell: (row) => <code>{row.request_id}</code> },
];

const COLUMN_BY_ID: ReadonlyMap<string, RequestColumn> = new Map(COLUMNS.map((column) => [column.id, column]));

const PROPERTY = "property:";
const SCORE = "score:";
export const propertyColumn = (name: string): string => PROPERTY + name;
export const scoreColumn = (name: string): string => SCORE + name;

/** The column of an id: one of `COLUMNS`, or of a property or a score, `property:<Name>` and `score:<name>`. */
export function columnOf(id: string): RequestColumn | undefined {
  const known = COLUMN_BY_ID.get(id);
  if (known !== undefined) return known;
  if (id.startsWith(PROPERTY) && id.length > PROPERTY.length) {
    const name = id.slice(PROPERTY.length);
    return { id, header: name, width: 130, ...named(({ properties }) => ownOf(properties, name)) };
  }
  if (!id.startsWith(SCORE) || id.length === SCORE.length) return undefined;
  const name = id.slice(SCORE.length);
  const score = ({ scores }: RequestRow) => ownOf(scores, name);
  return {
    id,
    header: scoreName(name),
    width: 90,
    end: true,
    cut: true,
    cell: (row) => formatScore(score(row)),
    title: (row) => (score(row) === undefined ? undefined : `${scoreName(name)}: ${score(row)}`),
  };
}

const ownOf = <T,>(map: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

const scoreFormat = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
const formatScore = (score: number | undefined): string => (score === undefined ? UNKNOWN : scoreFormat.format(score));

const shownScores = ({ scores }: RequestRow) =>
  FEEDBACK in scores
    ? Object.fromEntries(Object.entries(scores).map(([name, value]) => [scoreName(name), value]))
    : scores;

/** Names of the tools that a response calls; `output` shows calls as `→ name(arguments)` at the start of a line. */
export const toolNames = (output: string | null): readonly string[] =>
  [...(output ?? "").matchAll(/^→ ([^\s(]+)\(/gm)].map(([, name]) => name!);

/** Further properties are in the cell's tooltip. */
const MARKS_MAX = 6;

/** Names with their values, as many as fit on a line. */
function pairMarks<T extends string | number>(
  pairs: Readonly<Record<string, T>>,
  text: (value: T) => string = String,
): ReactNode {
  const entries = Object.entries(pairs);
  if (entries.length === 0) return UNKNOWN;
  return entries.slice(0, MARKS_MAX).map(([name, value]) => (
    <span key={name} className="property">
      <span className="property-name">{name}</span> {text(value)}
    </span>
  ));
}

function entriesText(pairs: Readonly<Record<string, string | number>>): string | undefined {
  const lines = Object.entries(pairs).map(([name, value]) => `${name}: ${value}`);
  return lines.length === 0 ? undefined : lines.join("\n");
}

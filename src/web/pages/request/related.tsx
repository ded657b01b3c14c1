import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { post } from "../../api.ts";
import { ofSession } from "../../filter/tree.ts";
import { formatDuration } from "../../parts/format.ts";
import type { RequestRow } from "../requests/columns.tsx";
import type { RequestRecord } from "./record.ts";

/** Requests shown of a longer session: the first ones. */
const SESSION_ROWS = 100;

/** The requests of the same session over time, including this one. */
export function SessionTimeline({ record }: { readonly record: RequestRecord }) {
  const session = record.session_id;
  const filter = ofSession("session_session_id", { equals: session ?? "" });
  const { data: rows } = useQuery({
    queryKey: ["session-requests", session],
    queryFn: ({ signal }) =>
      post<readonly RequestRow[]>(
        "/v1/request/query",
        { filter, sort: { created_at: "asc" }, limit: SESSION_ROWS, includeBody: false },
        signal,
      ),
    enabled: session !== null,
  });
  if (session === null) return null;
  const starts = (rows ?? []).map((row) => Date.parse(row.request_created_at));
  const ends = (rows ?? []).map((row, at) => starts[at]! + (row.delay_ms ?? 0));
  const [from, to] = [Math.min(...starts), Math.max(...ends)];
  const scale = (time: number) => ((time - from) / Math.max(1, to - from)) * 100;
  return (
    <section className="panel" aria-label="Session">
      <header className="panel-head">
        <h2>Session</h2>
        <Link to="/sessions/$id" params={{ id: session }} title={record.session_name ?? session}>
          {record.session_name ?? session}
        </Link>
      </header>
      <ol className="timeline">
        {(rows ?? []).map((row, at) => (
          <li key={row.request_id}>
            <Link
              to="/requests/$id"
              params={{ id: row.request_id }}
              className="timeline-row"
              aria-current={row.request_id === record.request_id ? "true" : undefined}
              title={`${row.session_path ?? ""} ${row.model ?? ""} ${formatDuration(row.delay_ms)}`}
            >
              <span className="timeline-name">{row.session_path ?? row.model ?? row.request_path}</span>
              <svg className="timeline-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  className={(row.response_status ?? 0) >= 400 ? "bar-bad" : "bar-whole"}
                  x={Math.min(98.5, scale(starts[at]!))}
                  width={Math.max(1.5, scale(ends[at]!) - scale(starts[at]!))}
                  height="8"
                  rx="0.6"
                />
              </svg>
              <span className="number">{formatDuration(row.delay_ms)}</span>
            </Link>
          </li>
        ))}
      </ol>
      {(rows?.length ?? 0) < SESSION_ROWS ? null : <p className="panel-none">The first {SESSION_ROWS} are shown.</p>}
    </section>
  );
}

/** The request whose response came from the cache. */
export function CacheSource({ record }: { readonly record: RequestRecord }) {
  if (record.cache_reference_id === null) return null;
  return (
    <section className="panel" aria-label="Cached response">
      <header className="panel-head">
        <h2>Cached response</h2>
      </header>
      <ul className="related">
        <li>
          <Link to="/requests/$id" params={{ id: record.cache_reference_id }}>
            Original request
          </Link>
        </li>
      </ul>
    </section>
  );
}

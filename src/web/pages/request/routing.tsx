import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { post } from "../../api.ts";
import { and, during, leaf, or } from "../../filter/tree.ts";
import { Money, Status } from "../../parts/values.tsx";
import type { RequestRow } from "../requests/columns.tsx";
import type { RequestRecord } from "./record.ts";

/** The client's API by the name of its translation. */
export const MAPPINGS: Readonly<Record<string, string>> = {
  OPENAI: "OpenAI's chat completions, completions or embeddings",
  RESPONSES: "OpenAI's responses",
  MESSAGES: "Anthropic's messages",
};

/** Attempts follow each other closely: a time window, so that not all records are searched. */
const ATTEMPTS_MS = 3_600_000;
const ATTEMPTS_MAX = 50;

function around({ request_created_at: time, delay_ms: delay }: RequestRecord) {
  const at = Date.parse(time);
  return {
    from: new Date(at - ATTEMPTS_MS).toISOString(),
    to: new Date(at + (delay ?? 0) + ATTEMPTS_MS).toISOString(),
  };
}

/** How a request reached its provider: the route and its reason, what translation lost, and the earlier calls that failed. */
export function Routing({ record }: { readonly record: RequestRecord }) {
  const whole = record.attempt_of ?? record.request_id;
  const { data = [] } = useQuery({
    queryKey: ["attempts", whole],
    queryFn: ({ signal }) =>
      post<readonly RequestRow[]>(
        "/v1/request/query-fast",
        {
          filter: and(
            during(around(record)),
            or(leaf("attempt_of", { equals: whole }), leaf("request_id", { equals: whole })),
          ),
          sort: { created_at: "asc" },
          limit: ATTEMPTS_MAX,
          includeBody: false,
        },
        signal,
      ),
  });
  const facts = factsOf(record);
  const warnings = record.gateway_warnings;
  if (facts.length === 0 && warnings.length === 0 && data.length < 2) return null;
  return (
    <section className="panel" aria-label="Routing">
      <header className="panel-head">
        <h2>Routing</h2>
      </header>
      {facts.length === 0 ? null : (
        <dl className="facts routing-facts">
          {facts.map(([label, value]) => (
            <div key={label} className="fact">
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {warnings.length === 0 ? null : (
        <ul className="routing-warnings" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {data.length < 2 ? null : <Attempts rows={inOrder(data)} shown={record.request_id} />}
    </section>
  );
}

function factsOf(record: RequestRecord): readonly (readonly [string, ReactNode])[] {
  const { route, route_reason: reason, credential, routed_model: routed, request_model: requested } = record;
  const translated = MAPPINGS[record.ai_gateway_body_mapping];
  const isRouted = reason !== null || credential !== null;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Requested", isRouted ? <code key="asked">{requested}</code> : null],
    ["Route", route === null ? null : <RouteLink key="route" name={route} />],
    ["Chosen by", reason],
    ["Sent to", routed === null ? null : <code key="sent">{`${record.provider} ${routed}`}</code>],
    ["Paid by", credential === null ? null : credential === "client" ? "the client's own key" : credential],
    ["Sent as", !isRouted ? null : translated === undefined ? "unchanged" : `translated from ${translated}`],
  ];
  return facts.filter(([, value]) => value !== null && value !== "");
}

function RouteLink({ name }: { readonly name: string }) {
  return (
    <Link to="/routes" search={{ tab: "explain", model: name }} title="Where it would go now">
      {name}
    </Link>
  );
}

/** Failed calls by number, then the request as the client saw it. */
function inOrder(rows: readonly RequestRow[]): readonly RequestRow[] {
  const place = ({ attempt_of, attempt }: RequestRow) => (attempt_of === null ? Infinity : (attempt ?? 0));
  return rows.toSorted((a, b) => place(a) - place(b));
}

function Attempts({ rows, shown }: { readonly rows: readonly RequestRow[]; readonly shown: string }) {
  return (
    <ol className="attempts" aria-label="Attempts">
      {rows.map((row) => (
        <li key={row.request_id}>
          <Link
            to="/requests/$id"
            params={{ id: row.request_id }}
            aria-current={row.request_id === shown ? "true" : undefined}
          >
            {row.attempt_of === null ? "As the client saw it" : `Attempt ${row.attempt ?? ""}`}
          </Link>
          <Status of={row.response_status} />
          {row.cost === null ? null : <Money of={row.cost} />}
          <p className="muted">
            {row.provider} {row.routed_model ?? row.model}
            {row.credential === null ? "" : ` · ${row.credential}`}
            {row.error_message === null ? "" : `: ${row.error_message}`}
          </p>
        </li>
      ))}
    </ol>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { isTyping } from "../../parts/list-search.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { Count, Counted } from "../../parts/values.tsx";
import { AskDialog } from "./ask-dialog.tsx";
import { Decide } from "./decide.tsx";
import { DomainDialog } from "./domain-dialog.tsx";
import { RefusedHosts } from "./refused-hosts.tsx";
import { DOMAIN_STATES, type DomainState, type DomainsSearch } from "./search.ts";
import { DOMAINS, type DomainRow, TONES } from "./shapes.ts";

/** Domains that wait for a decision come first. */
const ORDER: Readonly<Record<DomainState, number>> = { pending: 0, unapproved: 1, denied: 2, revoked: 3, approved: 4 };

export function DomainsPage() {
  const search = useSearch({ from: "/domains" });
  const navigate = useNavigate({ from: "/domains" });
  const change = (next: DomainsSearch) => void navigate({ search: next, replace: isTyping(search, next) });
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: DOMAINS,
    queryFn: ({ signal }) => get<readonly DomainRow[]>("/v1/domains", signal),
    refetchInterval: 5_000,
  });
  const { q, state, domain } = search;
  // Providers' hosts are approved from the start and numerous: only a search shows those without requests.
  const hidesQuiet = q === undefined && state === undefined;
  const quiet = hidesQuiet ? (data?.filter(isQuiet).length ?? 0) : 0;
  const rows = useMemo(
    () =>
      data
        ?.filter((row) => !hidesQuiet || !isQuiet(row))
        .filter((row) => (state === undefined || row.state === state) && row.domain.includes(q?.toLowerCase() ?? ""))
        .toSorted((a, b) => ORDER[a.state] - ORDER[b.state] || b.requests_today - a.requests_today),
    [data, state, q, hidesQuiet],
  );
  const columns = useMemo(
    () => columnsOf((next) => void navigate({ search: (now) => ({ ...now, domain: next }) })),
    [navigate],
  );
  return (
    <Page
      title="Domains"
      about="Where requests may go. Until a domain is approved, it is limited to one request a second and 10,000 a day."
      actions={
        <>
          <SearchBox
            label="Search domains"
            value={q ?? ""}
            onSearch={(text) => change({ ...search, q: text || undefined })}
          />
          <label className="inline-field">
            State
            <select
              value={state ?? ""}
              onChange={(event) =>
                change({ ...search, state: (event.target.value || undefined) as DomainState | undefined })
              }
            >
              <option value="">All</option>
              {DOMAIN_STATES.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </label>
          <GatedButton scope="write" onClick={() => setAsking(true)}>
            <Icon name="plus" />
            Ask for approval
          </GatedButton>
        </>
      }
    >
      <RefusedHosts isPrivateOnly hostsMax={20} />
      <ListStates
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        empty={hidesQuiet ? <Empty title="No domain was used today, and none has a decision" /> : "No domain like this"}
      >
        {(all) => <DataTable label="Domains" rows={all} columns={columns} rowKey={(row) => row.domain} />}
      </ListStates>
      {quiet === 0 ? null : (
        <p className="muted">
          <Counted of={quiet} one="host of a provider is" many="hosts of providers are" /> approved from the start and
          not used today.{" "}
          <button type="button" className="link" onClick={() => change({ ...search, state: "approved" })}>
            Show all that are approved
          </button>
        </p>
      )}
      {isAsking ? (
        <AskDialog
          onClose={() => setAsking(false)}
          onRequested={(requested) => change({ ...search, domain: requested })}
        />
      ) : null}
      {domain === undefined ? null : (
        <DomainDialog domain={domain} onClose={() => change({ ...search, domain: undefined })} />
      )}
    </Page>
  );
}

const isQuiet = (row: DomainRow) => row.source === "provider" && row.requests_today === 0;

const SOURCES: Readonly<Record<string, string>> = {
  decision: "decided here",
  configuration: "the configuration",
  provider: "a provider's host",
};

function columnsOf(onOpen: (domain: string) => void): Column<DomainRow>[] {
  return [
    {
      id: "domain",
      header: "Domain",
      value: (row) => row.domain,
      cell: (row) =>
        row.domain.includes("*") ? (
          <code>{row.domain}</code>
        ) : (
          <button type="button" className="link" onClick={() => onOpen(row.domain)}>
            {row.domain}
          </button>
        ),
    },
    {
      id: "state",
      header: "State",
      value: (row) => ORDER[row.state],
      cell: (row) => (
        <>
          <Badge tone={TONES[row.state]}>{row.state}</Badge> {row.private ? <Badge>private address</Badge> : null}
        </>
      ),
    },
    {
      id: "requests_today",
      header: "Requests today",
      align: "end",
      value: (row) => row.requests_today,
      cell: (row) => <Count of={row.requests_today} />,
    },
    {
      id: "remaining_today",
      header: "Left today",
      align: "end",
      value: (row) => row.remaining_today,
      cell: (row) =>
        row.remaining_today === null ? <span className="muted">no limit</span> : <Count of={row.remaining_today} />,
    },
    {
      id: "source",
      header: "Because of",
      value: (row) => row.source,
      cell: (row) => (row.source === null ? <span className="muted">not decided</span> : SOURCES[row.source]),
    },
    { id: "actions", header: "Actions", cell: (row) => (row.domain.includes("*") ? null : <Decide row={row} />) },
  ];
}

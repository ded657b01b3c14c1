import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ApiFailure } from "../../api.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { useKeys } from "../../parts/keys.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { Count, Duration, Money, Status, Time } from "../../parts/values.tsx";
import { REQUEST_KEYS } from "../requests/key-list.ts";
import { lastSearch } from "../requests/place.ts";
import { Feedback, Properties, Scores } from "./annotations.tsx";
import { BodyView } from "./body-view.tsx";
import { Conversation } from "./conversation.tsx";
import { Cost } from "./cost.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { Details } from "./details.tsx";
import { omissions, outcomeText } from "./outcome.ts";
import { type RequestRecord, recordQuery } from "./record.ts";
import { CacheSource, SessionTimeline } from "./related.tsx";
import { Replay } from "./replay.tsx";
import { Routing } from "./routing.tsx";
import type { RequestTab } from "./search.ts";
import { Timing } from "./timing.tsx";

const route = getRouteApi("/requests/$id");

const TABS: readonly (readonly [RequestTab, string])[] = [
  ["conversation", "Conversation"],
  ["request", "Request"],
  ["response", "Response"],
  ["timing", "Timing"],
  ["cost", "Cost"],
  ["replay", "Replay"],
  ["details", "Details"],
];

/** The first part is what an address without any means. */
const searchOf = (tab: RequestTab) => (tab === "conversation" ? {} : { tab });

export function RequestPage() {
  const { id } = route.useParams();
  const { tab = "conversation" } = route.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(recordQuery(id));
  const back = () => void navigate({ to: "/requests", search: lastSearch() });
  const open = (by: number) => {
    const at = TABS.findIndex(([name]) => name === tab);
    const [next] = TABS[(at + by + TABS.length) % TABS.length]!;
    void navigate({ to: "/requests/$id", params: { id }, search: searchOf(next), replace: true, resetScroll: false });
  };
  const [isHelping, setHelping] = useState(false);
  useKeys({ Escape: back, "[": () => open(-1), "]": () => open(1), "?": () => setHelping(true) });
  const backLink = (
    <Link to="/requests" search={lastSearch()} className="button quiet">
      <Icon name="list" /> All requests
    </Link>
  );
  if (data === undefined) {
    const isGone = error instanceof ApiFailure && error.status === 404;
    return (
      <Page title="Request" actions={backLink}>
        {isGone ? (
          <Empty title="There is no request of this id">It was deleted, or belongs to another organization.</Empty>
        ) : error === null ? (
          <Loading rows={12} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={data.model ?? data.request_path ?? "Request"}
      about={<Subtitle record={data} />}
      actions={
        <>
          {backLink}
          <Link to="/playground" search={{ from: id }} className="button">
            <Icon name="play" /> Try again with…
          </Link>
          <DeleteButton id={id} onDone={back} />
          <button type="button" className="quiet" aria-label="Keys" onClick={() => setHelping(true)}>
            <Icon name="help" />
          </button>
        </>
      }
    >
      <Figures record={data} />
      <Notes record={data} />
      <div className="request-columns">
        <section className="panel request-main" aria-labelledby="exchange">
          <h2 id="exchange" className="unseen">
            Exchange
          </h2>
          <nav className="tabs" aria-label="Parts of the request">
            {TABS.map(([name, label]) => (
              <Link
                key={name}
                to="/requests/$id"
                params={{ id }}
                search={searchOf(name)}
                replace
                resetScroll={false}
                activeOptions={{ exact: true }}
              >
                {label}
              </Link>
            ))}
          </nav>
          <div className="request-part">
            <Tab tab={tab} record={data} />
          </div>
        </section>
        <aside className="request-side" aria-label="About the request">
          <Routing record={data} />
          <Feedback record={data} />
          <Properties record={data} />
          <Scores record={data} />
          <CacheSource record={data} />
          <SessionTimeline record={data} />
        </aside>
      </div>
      {isHelping ? <KeyHelp keys={REQUEST_KEYS} onClose={() => setHelping(false)} /> : null}
    </Page>
  );
}

function Subtitle({ record }: { readonly record: RequestRecord }) {
  return (
    <span className="subtitle">
      {record.provider} · <Time of={record.request_created_at} /> (<Time of={record.request_created_at} relative />) ·{" "}
      <code>{record.request_id}</code>
      <CopyButton text={record.request_id} label="Copy id" />
    </span>
  );
}

function Figures({ record }: { readonly record: RequestRecord }) {
  const figures: readonly (readonly [string, ReactNode])[] = [
    ["Status", <Status key="status" of={record.response_status} />],
    ["Latency", <Duration key="latency" of={record.delay_ms} />],
    ["First token", <Duration key="first" of={record.time_to_first_token} />],
    ["Tokens in", <Count key="prompt" of={record.prompt_tokens} />],
    ["Tokens out", <Count key="completion" of={record.completion_tokens} />],
    ["Cost", <Money key="cost" of={record.cost} />],
    [
      "User",
      record.request_user_id === null ? (
        <span className="unknown">–</span>
      ) : (
        <UserLink key="user" id={record.request_user_id} />
      ),
    ],
    ["Cache", record.cached ? "hit" : record.cache_enabled ? "miss" : <span className="unknown">–</span>],
  ];
  return (
    <dl className="figures">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function UserLink({ id }: { readonly id: string }) {
  return (
    <Link
      to="/requests"
      search={{ filter: { request_response_rmt: { user_id: { equals: id } } } }}
      title={`Requests of ${id}`}
    >
      {id}
    </Link>
  );
}

function Notes({ record }: { readonly record: RequestRecord }) {
  const outcome = outcomeText(record);
  const notes = [...(outcome === undefined ? [] : [outcome]), ...omissions(record)];
  if (notes.length === 0) return null;
  const isBad = (record.response_status ?? 0) >= 400;
  return (
    <ul className={isBad ? "notes notes-bad" : "notes"} role="status">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function Tab({ tab, record }: { readonly tab: RequestTab; readonly record: RequestRecord }) {
  if (tab === "conversation") return <Conversation record={record} />;
  if (tab === "request" || tab === "response") return <BodyView key={tab} record={record} part={tab} />;
  if (tab === "timing") return <Timing record={record} />;
  if (tab === "cost") return <Cost record={record} />;
  if (tab === "replay") return <Replay record={record} />;
  return <Details record={record} />;
}

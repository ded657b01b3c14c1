import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Share } from "../../parts/share.tsx";
import { Loading } from "../../parts/states.tsx";
import { Stats } from "../../parts/stats.tsx";
import { Count, Duration, Money, Status, Time } from "../../parts/values.tsx";
import { ApproveTarget } from "../domains/approve-here.tsx";
import { Feedback, Properties, Scores } from "./annotations.tsx";
import { BodyView } from "./body-view.tsx";
import { Comments } from "./comments.tsx";
import type { Compared } from "./compare.tsx";
import { Conversation } from "./conversation.tsx";
import { Cost } from "./cost.tsx";
import { Details } from "./details.tsx";
import { omissions, outcomeText } from "./outcome.ts";
import { Ratings } from "./ratings.tsx";
import type { RequestRecord } from "./record.ts";
import { CacheSource, SessionTimeline } from "./related.tsx";
import { Replay } from "./replay.tsx";
import { Routing } from "./routing.tsx";
import type { RequestTab } from "./search.ts";
import { Timing } from "./timing.tsx";

const Compare = lazy(() => import("./compare.tsx").then((module) => ({ default: module.Compare })));

const TABS: readonly (readonly [RequestTab, string])[] = [
  ["conversation", "Conversation"],
  ["request", "Request"],
  ["response", "Response"],
  ["timing", "Timing"],
  ["cost", "Cost"],
  ["compare", "Compare"],
  ["replay", "Replay"],
  ["details", "Details"],
];

/** The part `by` steps after another, wrapping around. */
export function tabBeside(tab: RequestTab, by: number): RequestTab {
  const at = TABS.findIndex(([name]) => name === tab);
  return TABS[(at + by + TABS.length) % TABS.length]![0];
}

interface RequestViewProps {
  readonly record: RequestRecord;
  readonly tab: RequestTab;
  /** The control that selects a part: a link if the address holds the choice, else a button. */
  readonly tabControl: (tab: RequestTab, label: string) => ReactNode;
  readonly compared: Compared;
}

/** A request with all its parts, without the page or the panel around it. */
export function RequestView({ record, tab, tabControl, compared }: RequestViewProps) {
  return (
    <>
      <RequestStats record={record} />
      <Notes record={record} />
      <div className="request-columns">
        <section className="panel request-main" aria-labelledby="exchange">
          <h2 id="exchange" className="unseen">
            Exchange
          </h2>
          <nav className="tabs" aria-label="Parts of the request">
            {TABS.map(([name, label]) => tabControl(name, label))}
          </nav>
          <div className="request-part">
            <Tab {...{ tab, record, compared }} />
          </div>
        </section>
        <aside className="request-side" aria-label="About the request">
          <Routing record={record} />
          <Feedback record={record} />
          <Properties record={record} />
          <Scores record={record} />
          <Ratings record={record} />
          <Comments record={record} />
          <Share kind="request" subject={record.request_id} />
          <CacheSource record={record} />
          <SessionTimeline record={record} />
        </aside>
      </div>
    </>
  );
}

export function Subtitle({ record }: { readonly record: RequestRecord }) {
  return (
    <span className="subtitle">
      {record.provider} · <Time of={record.request_created_at} exact /> (
      <Time of={record.request_created_at} relative />) · <code>{record.request_id}</code>
      <CopyButton text={record.request_id} label="Copy id" />
    </span>
  );
}

function RequestStats({ record }: { readonly record: RequestRecord }) {
  const stats: readonly (readonly [string, ReactNode])[] = [
    ["Status", <Status key="status" of={record.response_status} />],
    ["Latency", <Duration key="latency" of={record.delay_ms} />],
    ["First token", <Duration key="first" of={record.time_to_first_token} />],
    ["Input tokens", <Count key="prompt" of={record.prompt_tokens} />],
    ["Output tokens", <Count key="completion" of={record.completion_tokens} />],
    ["Cost", <Money key="cost" of={record.cost} />],
    ["Finish reason", record.finish_reason ?? <span className="unknown">–</span>],
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
  return <Stats className="figures" stats={stats} />;
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
    <div className={isBad ? "notes notes-bad" : "notes"}>
      <div role="status">
        <ul>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </div>
      <ApproveTarget record={record} />
    </div>
  );
}

function Tab({ tab, record, compared }: Pick<RequestViewProps, "tab" | "record" | "compared">) {
  if (tab === "conversation") return <Conversation record={record} />;
  if (tab === "request" || tab === "response") return <BodyView key={tab} record={record} part={tab} />;
  if (tab === "timing") return <Timing record={record} />;
  if (tab === "cost") return <Cost record={record} />;
  if (tab === "compare")
    return (
      <Suspense fallback={<Loading rows={5} />}>
        <Compare record={record} {...compared} />
      </Suspense>
    );
  if (tab === "replay") return <Replay record={record} />;
  return <Details record={record} />;
}

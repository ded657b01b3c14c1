import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment } from "react";
import { and, leaf, ofSession } from "../../filter/tree.ts";
import { ERRORS } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { FEEDBACK, scoreTitle } from "../../parts/score-name.ts";
import { Segments } from "../../parts/segments.tsx";
import { Share } from "../../parts/share.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { Tile } from "../../parts/tile.tsx";
import { Bytes, Count, Duration, Money, Time } from "../../parts/values.tsx";
import { usePageInstead } from "../requests/room-beside.ts";
import { Said } from "./said.tsx";
import { VIEWS } from "./search.ts";
import { inTraces, type SpanPlace } from "./spans.ts";
import { StepPanel } from "./step-panel.tsx";
import { meanScores, type RecordRow, stepOf, usersOf } from "./steps.ts";
import { Timeline } from "./timeline.tsx";
import { inTime, sessionTotals, sessionTree, type Totals, visible } from "./tree.ts";

interface SessionContentProps {
  readonly id: string;
  /** In the order in which they began. */
  readonly rows: readonly RecordRow[];
  readonly places: readonly SpanPlace[];
  /** Whether the session has more requests. */
  readonly isCut: boolean;
}

/** A session's metrics, and its requests in the selected view. */
export function SessionContent({ id, rows, places, isCut }: SessionContentProps) {
  const { view = "tree", open } = useSearch({ from: "/sessions/$id" });
  const navigate = useNavigate({ from: "/sessions/$id" });
  usePageInstead(open);
  // An open request uses these keys itself.
  const focus = (by: number) => (open === undefined ? focusStep(by) : "unused");
  useKeys({ j: () => focus(1), k: () => focus(-1) });
  const traced = inTraces(places);
  const steps = rows.map((row) => stepOf(row, traced.get(row.request_id)));
  const tree = sessionTree(steps);
  const totals = sessionTotals(tree)!;
  const nodes = view === "tree" ? tree : inTime(steps);
  const inOrder = view === "conversation" ? steps : visible(nodes, NONE_CLOSED).flatMap(({ step }) => step ?? []);
  return (
    <>
      <Tiles id={id} rows={rows} totals={totals} />
      <div>
        <Segments
          label="How the session is shown"
          options={VIEWS}
          value={view}
          onChange={(next) =>
            void navigate({
              search: { ...(next === "tree" ? {} : { view: next }), ...(open === undefined ? {} : { open }) },
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      <div className="session-body">
        {view === "conversation" ? <Said steps={steps} /> : <Timeline nodes={nodes} totals={totals} />}
        {open === undefined ? null : <StepPanel id={open} steps={inOrder} />}
      </div>
      <Share kind="session" subject={id} />
      {isCut ? <p className="muted">The first {rows.length} requests are shown.</p> : null}
    </>
  );
}

const NONE_CLOSED: ReadonlySet<string> = new Set();

/** Moves the focus to the next or previous request of the session. */
function focusStep(by: number): void {
  const steps = [...document.querySelectorAll<HTMLElement>("[data-step]")];
  const at = steps.indexOf(document.activeElement as HTMLElement);
  steps[at < 0 ? 0 : Math.min(steps.length - 1, Math.max(0, at + by))]?.focus();
}

/** Users that are named, at most. */
const USERS_MAX = 3;

function Tiles({ id, rows, totals }: { readonly totals: Totals } & Omit<SessionContentProps, "isCut" | "places">) {
  const users = usersOf(rows);
  const ofThis = ofSession("session_session_id", { equals: id });
  const failed = and(ofThis, ERRORS);
  return (
    <dl className="tiles">
      <Tile label="Requests" value={<Count of={totals.requests} />} />
      <Tile label="Cost" value={<Money of={totals.cost} />} />
      <Tile label="Tokens" value={<Count of={totals.tokens} short />} />
      <Tile
        label="Errors"
        value={<Count of={totals.errors} />}
        note={totals.errors === 0 ? null : <RequestsLink filter={failed}>Show them</RequestsLink>}
      />
      {users.length === 0 ? null : (
        <Tile
          label={users.length === 1 ? "User" : "Users"}
          value={<Count of={users.length} />}
          note={users.slice(0, USERS_MAX).map((user, at) => (
            <Fragment key={user}>
              {at === 0 ? null : ", "}
              <Link to="/requests" search={{ filter: leaf("user_id", { equals: user }) }}>
                {user}
              </Link>
            </Fragment>
          ))}
        />
      )}
      {meanScores(rows).map(([name, mean]) => (
        <Tile
          key={name}
          label={scoreTitle(name)}
          value={name === FEEDBACK ? formatPercent(mean) : Number(mean.toPrecision(4))}
          note={name === FEEDBACK ? "positive" : "mean"}
        />
      ))}
      <Tile
        label="Sent"
        value={<Bytes of={rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0)} />}
        note={
          <>
            <Bytes of={rows.reduce((sum, { stored_bytes }) => sum + (stored_bytes ?? 0), 0)} /> stored
          </>
        }
      />
      <Tile
        label="Duration"
        value={<Duration of={totals.to - totals.from} />}
        note={
          <>
            from <Time of={new Date(totals.from).toISOString()} />
          </>
        }
      />
    </dl>
  );
}

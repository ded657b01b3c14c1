import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { formatCount } from "../../parts/format.ts";
import { Segments } from "../../parts/segments.tsx";
import { Share } from "../../parts/share.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { usePageInstead } from "../requests/room-beside.ts";
import { Said } from "./said.tsx";
import { VIEWS } from "./search.ts";
import { inTraces, type SpanPlace } from "./spans.ts";
import { StepPanel } from "./step-panel.tsx";
import { type RecordRow, stepOf } from "./steps.ts";
import { Tiles, type WholeSession } from "./tiles.tsx";
import { Timeline } from "./timeline.tsx";
import { inTime, sessionTotals, sessionTree, visible } from "./tree.ts";

interface SessionContentProps {
  readonly id: string;
  /** In the order in which they began. */
  readonly rows: readonly RecordRow[];
  readonly places: readonly SpanPlace[];
  /** All of the session, if it may have more requests than `rows`. */
  readonly whole: WholeSession | undefined;
}

/** A session's metrics, and its requests in the selected view. */
export function SessionContent({ id, rows, places, whole }: SessionContentProps) {
  const { view = "tree", open, end } = useSearch({ from: "/sessions/$id" });
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
      <Tiles id={id} rows={rows} totals={totals} whole={whole} />
      <div>
        <Segments
          label="How the session is shown"
          options={VIEWS}
          value={view}
          onChange={(next) =>
            void navigate({
              search: ({ view: _view, ...rest }) => (next === "tree" ? rest : { ...rest, view: next }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
      {whole === undefined || whole.requests <= rows.length ? null : (
        <p className="muted">
          The {end ? "last" : "first"} {formatCount(rows.length)} of {formatCount(whole.requests)} requests.{" "}
          <Link
            from="/sessions/$id"
            search={({ end: _end, ...rest }) => (end ? rest : { ...rest, end: true as const })}
            replace
          >
            Show the {end ? "first" : "last"} ones
          </Link>
        </p>
      )}
      <div className="session-body">
        {view === "conversation" ? <Said steps={steps} /> : <Timeline nodes={nodes} totals={totals} />}
        {open === undefined ? null : <StepPanel id={open} steps={inOrder} />}
      </div>
      <Share kind="session" subject={id} />
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

import { Link } from "@tanstack/react-router";
import { type ComponentProps, useId, useState } from "react";
import { and, type FilterTree } from "../../filter/tree.ts";
import { isoSpan, type Span } from "../../metrics/range.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loading } from "../../parts/states.tsx";
import { RANGE_LABELS, type TimeSearch } from "../../parts/time-range.ts";
import { alertOf } from "./alert-draft.ts";
import { PanelContent } from "./panel-content.tsx";
import { heightOf } from "./panel-grid.tsx";
import type { Panel, PanelRange } from "./shapes.ts";

interface BoardPanelProps {
  readonly panel: Panel;
  /** The dashboard's time range. */
  readonly time: TimeSearch;
  readonly range: PanelRange;
  readonly filter: FilterTree;
  readonly onZoom: (span: Span) => void;
  /** Undefined unless panels can be edited. */
  readonly edit: Editing | undefined;
  /** Adds the panel to a dashboard, if it is on none. */
  readonly onAdd?: (panel: Panel) => void;
}

interface Editing {
  readonly move: ComponentProps<"button">;
  readonly size: ComponentProps<"button">;
  readonly onEdit: () => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}

/** Pixels of a panel around its content: its head, and the space below. */
const FRAME_PX = 46;

/** One panel with its title and its actions. */
export function BoardPanel({ panel, time, range, filter: around, onZoom, edit, onAdd }: BoardPanelProps) {
  const id = useId();
  const [isTable, setTable] = useState(false);
  const span = useSpan(panel.range === null ? time : { range: panel.range }, range);
  const filter = and(around, panel.filter ?? undefined);
  const isDrawn = panel.kind === "line" || panel.kind === "bar";
  return (
    <section className="panel board-panel" data-kind={panel.kind} aria-labelledby={id}>
      <header className="panel-head">
        {edit === undefined ? null : (
          <button type="button" className="quiet small board-move" aria-label={`Move ${panel.title}`} {...edit.move}>
            <Icon name="grip" size={14} />
          </button>
        )}
        <h2 id={id} title={panel.title}>
          {panel.title}
        </h2>
        {panel.range === null ? null : <span className="muted">{RANGE_LABELS[panel.range].toLowerCase()}</span>}
        <Menu label={`Actions of ${panel.title}`} icon="more" isSmall>
          {(close) => (
            <div className="menu-list">
              {edit === undefined ? null : <EditItems {...edit} close={close} />}
              {isDrawn ? (
                <button
                  type="button"
                  className="menu-item"
                  onClick={() => {
                    setTable(!isTable);
                    close();
                  }}
                >
                  {isTable ? "Show the chart" : "Show the numbers"}
                </button>
              ) : null}
              {span === undefined ? null : (
                <>
                  <Link
                    to="/requests"
                    search={{ ...isoSpan(span), ...(filter === "all" ? {} : { filter }) }}
                    className="button menu-item"
                  >
                    See requests
                  </Link>
                  <Link to="/alerts" search={{ draft: alertOf(panel, span, filter) }} className="button menu-item">
                    Create alert
                  </Link>
                </>
              )}
              {onAdd === undefined ? null : (
                <GatedButton
                  scope="figures"
                  className="menu-item"
                  onClick={() => {
                    close();
                    onAdd({ ...panel, filter: filter === "all" ? null : filter });
                  }}
                >
                  Add to a dashboard
                </GatedButton>
              )}
            </div>
          )}
        </Menu>
      </header>
      <div className="board-content">
        {span === undefined ? (
          <Loading rows={3} />
        ) : (
          <PanelContent {...{ panel, span, filter, isTable, onZoom }} height={heightOf(panel.place.h) - FRAME_PX} />
        )}
      </div>
      {edit === undefined ? null : (
        <button type="button" className="board-size" aria-label={`Resize ${panel.title}`} {...edit.size} />
      )}
    </section>
  );
}

function EditItems({ onEdit, onCopy, onRemove, close }: Editing & { readonly close: () => void }) {
  const items = { Edit: onEdit, Duplicate: onCopy, Remove: onRemove };
  return Object.entries(items).map(([label, run]) => (
    <button
      key={label}
      type="button"
      className="menu-item"
      onClick={() => {
        close();
        run();
      }}
    >
      {label}
    </button>
  ));
}

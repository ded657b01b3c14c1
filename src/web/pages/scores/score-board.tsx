import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { and, type FilterTree } from "../../filter/tree.ts";
import { scored } from "../../metrics/filter.ts";
import type { Span } from "../../metrics/range.ts";
import { scoreName } from "../../parts/score-name.ts";
import type { TimeSearch } from "../../parts/time-range.ts";
import { BoardPanel } from "../dashboards/board-panel.tsx";
import { PanelGrid } from "../dashboards/panel-grid.tsx";
import type { Panel } from "../dashboards/shapes.ts";
import { AddPanelDialog } from "./add-panel-dialog.tsx";
import { Distribution } from "./distribution.tsx";
import { DISTRIBUTION, panelsOf } from "./panels.ts";

export const FALLBACK = "7d";

interface ScoreBoardProps {
  readonly score: string;
  readonly by: string | undefined;
  readonly filter: FilterTree;
  readonly time: TimeSearch;
  readonly span: Span;
  readonly onZoom: (span: Span) => void;
}

/** One score: over time, its distribution, and by dimension. */
export function ScoreBoard({ score, by, filter, time, span, onZoom }: ScoreBoardProps) {
  const navigate = useNavigate();
  const [added, setAdded] = useState<Panel>();
  const panels = panelsOf(score, by);
  return (
    <>
      <h2>{scoreName(score)}</h2>
      <PanelGrid
        titles={[...panels.map(({ title }) => title), "Distribution"]}
        places={[...panels.map(({ place }) => place), DISTRIBUTION]}
        onPlaces={undefined}
      >
        {(at) =>
          panels[at] === undefined ? (
            <Distribution score={score} span={span} filter={and(filter, scored(score))} />
          ) : (
            <BoardPanel
              {...{ panel: panels[at], time, filter, onZoom }}
              range={FALLBACK}
              edit={undefined}
              onAdd={setAdded}
            />
          )
        }
      </PanelGrid>
      {added === undefined ? null : (
        <AddPanelDialog
          panel={added}
          onClose={() => setAdded(undefined)}
          onSaved={({ id }) => void navigate({ to: "/dashboards/$id", params: { id } })}
        />
      )}
    </>
  );
}

import { useState } from "react";
import { Empty } from "../../parts/states.tsx";
import { BoardPanel } from "./board-panel.tsx";
import { placeBelow, settled } from "./grid.ts";
import { PanelEditor } from "./panel-editor.tsx";
import { PanelGrid } from "./panel-grid.tsx";
import type { Dashboard, Panel } from "./shapes.ts";

interface PanelsProps {
  readonly shown: Dashboard;
  readonly onDraft: ((draft: Dashboard) => void) | undefined;
  readonly panelProps: Omit<Parameters<typeof BoardPanel>[0], "panel" | "edit">;
}

/** The panels of a dashboard at their places; editable if `onDraft` is given. */
export function Panels({ shown, onDraft, panelProps }: PanelsProps) {
  const [edited, setEdited] = useState<number>();
  const { panels } = shown;
  const places = panels.map(({ place }) => place);
  if (panels.length === 0)
    return (
      <div className="table-scroller">
        <Empty title="No panels">“Edit”, then “Add panel”, fills this dashboard.</Empty>
      </div>
    );
  const put = (next: readonly Panel[]) => {
    const all = settled(next.map(({ place }) => place));
    onDraft?.({ ...shown, panels: next.map((panel, at) => ({ ...panel, place: all[at]! })) });
  };
  return (
    <>
      <PanelGrid
        titles={panels.map(({ title }) => title)}
        places={places}
        onPlaces={onDraft && ((next) => put(panels.map((panel, at) => ({ ...panel, place: next[at]! }))))}
      >
        {(at, handles) => (
          <BoardPanel
            {...panelProps}
            panel={panels[at]!}
            edit={
              onDraft && {
                ...handles,
                onEdit: () => setEdited(at),
                onCopy: () => put([...panels, { ...panels[at]!, place: placeBelow(places, panels[at]!.place) }]),
                onRemove: () => put(panels.toSpliced(at, 1)),
              }
            }
          />
        )}
      </PanelGrid>
      {edited === undefined ? null : (
        <PanelEditor
          panel={panels[edited]!}
          isNew={false}
          onClose={() => setEdited(undefined)}
          onSave={(panel) => {
            put(panels.with(edited, panel));
            setEdited(undefined);
          }}
        />
      )}
    </>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Trouble } from "../../parts/confirm-button.tsx";
import { useSave } from "../../parts/dialog-form.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { DetailsDialog } from "./details-dialog.tsx";
import { fileName, fileText } from "./file.ts";
import { placeBelow } from "./grid.ts";
import { copyName, DeleteButton } from "./page.tsx";
import { PanelEditor } from "./panel-editor.tsx";
import { DASHBOARDS, type Dashboard, type Panel } from "./shapes.ts";

interface ViewActionsProps {
  readonly stored: Dashboard;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
}

/** Actions while a dashboard is viewed. */
export function ViewActions({ stored, mayChange, onEdit }: ViewActionsProps) {
  const navigate = useNavigate();
  const [opened, setOpened] = useState<"copy" | "details">();
  const close = () => setOpened(undefined);
  const copy = { ...stored, name: copyName(stored.name), shared: false };
  const exported = () => {
    const address = URL.createObjectURL(new Blob([fileText(stored)], { type: "application/json" }));
    const link = Object.assign(document.createElement("a"), { href: address, download: fileName(stored) });
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <>
      {mayChange ? (
        <button type="button" className="primary" onClick={onEdit}>
          Edit
        </button>
      ) : (
        <GatedButton scope="figures" className="primary" onClick={() => setOpened("copy")}>
          Copy
        </GatedButton>
      )}
      <Menu label="More">
        {(closeMenu) => (
          <div className="menu-list">
            {mayChange ? (
              <>
                <MenuItem label="Rename or share" close={closeMenu} run={() => setOpened("details")} />
                <MenuItem label="Copy" close={closeMenu} run={() => setOpened("copy")} />
              </>
            ) : null}
            <MenuItem label="Export" close={closeMenu} run={exported} />
            {mayChange ? <DeleteButton row={stored} onDone={() => void navigate({ to: "/dashboards" })} /> : null}
          </div>
        )}
      </Menu>
      {opened === "copy" ? (
        <DetailsDialog
          title="Copy a dashboard"
          action="Copy dashboard"
          of={copy}
          onClose={close}
          onSaved={({ id }) => void navigate({ to: "/dashboards/$id", params: { id }, search: { edit: true } })}
        />
      ) : opened === "details" ? (
        <DetailsDialog
          title={`Dashboard “${stored.name}”`}
          action="Save dashboard"
          of={stored}
          id={stored.id}
          onClose={close}
          onSaved={close}
        />
      ) : null}
    </>
  );
}

interface MenuItemProps {
  readonly label: string;
  readonly close: () => void;
  readonly run: () => void;
}

function MenuItem({ label, close, run }: MenuItemProps) {
  return (
    <button
      type="button"
      className="menu-item"
      onClick={() => {
        close();
        run();
      }}
    >
      {label}
    </button>
  );
}

interface EditActionsProps {
  readonly draft: Dashboard;
  readonly onDraft: (draft: Dashboard | undefined) => void;
}

/** Actions while a dashboard is edited. */
export function EditActions({ draft, onDraft }: EditActionsProps) {
  const [isAdding, setAdding] = useState(false);
  const client = useQueryClient();
  const work = useSave<Dashboard>({
    ...{ method: "PUT", path: `/v1/dashboards/${draft.id}`, changes: [DASHBOARDS] },
    onSaved: (saved) => {
      client.setQueryData([...DASHBOARDS, saved.id], saved);
      onDraft(undefined);
    },
  });
  const { name, description, shared, range, filter, panels } = draft;
  const place = placeBelow(
    panels.map((panel) => panel.place),
    { w: 6, h: 4 },
  );
  return (
    <>
      <button type="button" onClick={() => setAdding(true)}>
        <Icon name="plus" />
        Add panel
      </button>
      <button
        type="button"
        className="primary"
        disabled={work.isPending}
        onClick={() => work.mutate({ name, description, shared, range, filter, panels: inRows(panels) })}
      >
        Save
      </button>
      <button type="button" onClick={() => onDraft(undefined)}>
        Cancel
      </button>
      <Trouble error={work.error} />
      {isAdding ? (
        <PanelEditor
          panel={{ ...NEW_PANEL, place }}
          isNew
          onClose={() => setAdding(false)}
          onSave={(panel) => {
            onDraft({ ...draft, panels: [...panels, panel] });
            setAdding(false);
          }}
        />
      ) : null}
    </>
  );
}

const NEW_PANEL: Omit<Panel, "place"> = {
  ...{ title: "Requests", kind: "bar", metrics: ["requests"], split_by: [], groups: 7 },
  ...{ filter: null, range: null, thresholds: [] },
};

/** In reading order, which narrow screens and screen readers use. */
const inRows = (panels: readonly Panel[]) => panels.toSorted((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, get } from "../../api.ts";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { useSession } from "../../session.ts";
import { placeBelow } from "../dashboards/grid.ts";
import {
  DASHBOARDS,
  type Dashboard,
  type DashboardFile,
  type ListedDashboard,
  type Panel,
} from "../dashboards/shapes.ts";

interface AddPanelDialogProps {
  readonly panel: Panel;
  readonly onClose: () => void;
  readonly onSaved: (saved: Dashboard) => void;
}

/** Adds a panel to one of the user's dashboards, or a new one, below the existing panels. */
export function AddPanelDialog({ panel, onClose, onSaved }: AddPanelDialogProps) {
  const { scopes } = useSession();
  const [chosen, setChosen] = useState("");
  const { data } = useQuery({
    queryKey: DASHBOARDS,
    queryFn: ({ signal }) => get<readonly ListedDashboard[]>("/v1/dashboards", signal),
  });
  const mine = (data ?? []).filter(({ own, shipped }) => !shipped && (own || scopes.includes("admin")));
  const work = useMutation({
    mutationFn: async (name: string) => {
      if (chosen === "") return save("POST", "/v1/dashboards", newDashboard(name, panel));
      const path = `/v1/dashboards/${encodeURIComponent(chosen)}`;
      return save("PUT", path, withPanel(await get<Dashboard>(path), panel));
    },
    meta: { changes: [DASHBOARDS] },
    onSuccess: onSaved,
  });
  return (
    <DialogForm
      title={`Add “${panel.title}” to a dashboard`}
      action="Add panel"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => work.mutate(text("name"))}
    >
      {(errorAt) => (
        <>
          <Field label="Dashboard">
            {(ids) => (
              <select {...ids} value={chosen} onChange={({ target }) => setChosen(target.value)}>
                <option value="">A new one</option>
                {mine.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {chosen === "" ? (
            <Field label="Name" error={errorAt("name")}>
              {(ids) => <input {...ids} name="name" required pattern=".*\S.*" maxLength={100} defaultValue="Scores" />}
            </Field>
          ) : null}
        </>
      )}
    </DialogForm>
  );
}

const save = async (method: "POST" | "PUT", path: string, body: DashboardFile) =>
  (await call<Dashboard>(method, path, { body })).data;

const newDashboard = (name: string, panel: Panel): DashboardFile => ({
  ...{ name, description: "", range: "7d", filter: null },
  panels: [{ ...panel, place: { ...panel.place, x: 0, y: 0 } }],
});

function withPanel({ name, description, shared, range, filter, panels }: Dashboard, panel: Panel): DashboardFile {
  const { w, h } = panel.place;
  const place = placeBelow(
    panels.map((each) => each.place),
    { w, h },
  );
  return { name, description, shared, range, filter, panels: [...panels, { ...panel, place }] };
}

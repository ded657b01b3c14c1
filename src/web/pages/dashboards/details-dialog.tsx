import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { useMissing } from "../../session.ts";
import { DASHBOARDS, type Dashboard, type DashboardFile } from "./shapes.ts";

interface DetailsDialogProps {
  readonly title: string;
  /** Label of the button that stores it. */
  readonly action: string;
  /** The contents of the dashboard. */
  readonly of: DashboardFile;
  /** Id of the replaced dashboard; without it a new one is created. */
  readonly id?: string;
  readonly onClose: () => void;
  readonly onSaved: (saved: Dashboard) => void;
}

/** A dashboard's name, description and sharing. */
export function DetailsDialog({ title, action, of, id, onClose, onSaved }: DetailsDialogProps) {
  const { name, description, shared = false, range, filter, panels } = of;
  const cannotShare = useMissing("write");
  const work = useSave<Dashboard>({
    ...(id === undefined
      ? { method: "POST", path: "/v1/dashboards" }
      : { method: "PUT", path: `/v1/dashboards/${id}` }),
    changes: [DASHBOARDS],
    onSaved,
  });
  return (
    <DialogForm
      title={title}
      action={action}
      work={work}
      onClose={onClose}
      onSubmit={({ text, isOn }) =>
        work.mutate({
          ...{ name: text("name"), description: text("description"), shared: isOn("shared") },
          ...{ range, filter, panels },
        })
      }
    >
      {(errorAt) => (
        <>
          <Field label="Name" error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required maxLength={100} defaultValue={name} />}
          </Field>
          <Field label="Description" error={errorAt("description")}>
            {(ids) => <textarea {...ids} name="description" rows={2} maxLength={1_000} defaultValue={description} />}
          </Field>
          <label className="check" title={cannotShare}>
            <input
              type="checkbox"
              name="shared"
              defaultChecked={shared && cannotShare === undefined}
              disabled={cannotShare !== undefined}
            />
            Share with the organization
          </label>
        </>
      )}
    </DialogForm>
  );
}

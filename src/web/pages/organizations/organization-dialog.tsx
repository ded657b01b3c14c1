import type { ShownOrganization } from "../../../store/people/organizations.ts";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";

interface OrganizationDialogProps {
  /** Undefined for a new one. */
  readonly organization?: ShownOrganization;
  readonly onClose: () => void;
}

/** Creates an organization, or changes its name and the maximum lifetime of its new keys. */
export function OrganizationDialog({ organization, onClose }: OrganizationDialogProps) {
  const isNew = organization === undefined;
  const path = isNew ? "/v1/organizations" : `/v1/organizations/${organization.id}`;
  const work = useSave({ method: isNew ? "POST" : "PATCH", path, onSaved: onClose });
  return (
    <DialogForm
      title={isNew ? "Create an organization" : `Change ${organization.name}`}
      action={isNew ? "Create organization" : "Save"}
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => {
        const days = text("max_key_days");
        work.mutate({
          name: text("name"),
          ...(!isNew && { max_key_days: days === "" ? null : Number(days) }),
        });
      }}
    >
      {(errorAt) => (
        <>
          <Field label="Name" error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required maxLength={200} defaultValue={organization?.name ?? ""} />}
          </Field>
          {isNew ? null : (
            <Field
              label="Days that a new key works at most"
              hint="0 for no limit; empty as the configuration says"
              error={errorAt("max_key_days")}
            >
              {(ids) => (
                <input
                  {...ids}
                  name="max_key_days"
                  type="number"
                  min={0}
                  max={36_500}
                  defaultValue={organization.max_key_days ?? ""}
                />
              )}
            </Field>
          )}
        </>
      )}
    </DialogForm>
  );
}

import type { ErrorAt } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";

export const MEMBERS = ["members"] as const;

const ROLES: Readonly<Record<string, string>> = {
  viewer: "sees metrics, and records without their contents",
  analyst: "sees bodies as well, sets properties and scores",
  developer: "also sends requests, and has keys of their own",
  admin: "also deletes, and administers the organization",
};

/** The field `role`, with the permissions of each role. */
export function RoleField({ now, errorAt }: { readonly now: string; readonly errorAt: ErrorAt }) {
  return (
    <Field label="Role" error={errorAt("role")}>
      {(ids) => (
        <select {...ids} name="role" defaultValue={now}>
          {Object.entries(ROLES).map(([name, about]) => (
            <option key={name} value={name}>
              {name}: {about}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

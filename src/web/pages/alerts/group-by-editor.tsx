import { useQuery } from "@tanstack/react-query";
import { propertyKey } from "../../metrics/filter.ts";
import { propertyNamesQuery } from "../../name-queries.ts";
import { Field } from "../../parts/field.tsx";

const GROUPS: Readonly<Record<string, string>> = {
  model: "model",
  provider: "provider",
  user: "user",
  status: "status",
  session: "session",
};

interface GroupByEditorProps {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** The fields that an alert groups by: each value fires separately. */
export function GroupByEditor({ value, onChange }: GroupByEditorProps) {
  const { data: names = [] } = useQuery(propertyNamesQuery);
  const properties = names.map(propertyKey);
  const chosen = value.find((key) => !Object.hasOwn(GROUPS, key)) ?? "";
  const shown = chosen === "" || properties.includes(chosen) ? properties : [...properties, chosen];
  const toggle = (key: string) =>
    onChange(value.includes(key) ? value.filter((each) => each !== key) : [...value, key]);
  return (
    <fieldset className="choices">
      <legend>Group by</legend>
      <div className="form-actions">
        {Object.entries(GROUPS).map(([key, label]) => (
          <label key={key} className="check">
            <input type="checkbox" checked={value.includes(key)} onChange={() => toggle(key)} />
            {label}
          </label>
        ))}
      </div>
      {shown.length === 0 ? null : (
        <Field label="Or value of a property">
          {(ids) => (
            <select
              {...ids}
              value={chosen}
              onChange={(event) => {
                const kept = value.filter((key) => Object.hasOwn(GROUPS, key));
                onChange(event.target.value === "" ? kept : [...kept, event.target.value]);
              }}
            >
              <option value="">none</option>
              {shown.map((key) => (
                <option key={key} value={key}>
                  {key.slice(key.indexOf(":") + 1)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </fieldset>
  );
}

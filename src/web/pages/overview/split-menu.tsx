import { useQuery } from "@tanstack/react-query";
import { propertyKey, propertyOf } from "../../metrics/filter.ts";
import { propertyNamesQuery } from "../../name-queries.ts";
import { SPLITS } from "./search.ts";

/** The dimension by which metrics are split; empty for none. */
export function SplitMenu({
  by,
  onChange,
}: {
  readonly by: string | undefined;
  readonly onChange: (by: string) => void;
}) {
  const { data: known = [] } = useQuery(propertyNamesQuery);
  const chosen = by === undefined ? undefined : propertyOf(by);
  const names = chosen === undefined || known.includes(chosen) ? known : [...known, chosen];
  return (
    <label className="inline-field">
      Split by
      <select value={by ?? ""} onChange={(event) => onChange(event.target.value)}>
        <option value="">Nothing</option>
        {Object.entries(SPLITS).map(([key, label]) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
        {names.length === 0 ? null : (
          <optgroup label="Properties">
            {names.map((name) => (
              <option key={name} value={propertyKey(name)}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

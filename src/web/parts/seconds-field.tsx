import { Field } from "./field.tsx";
import { windowText } from "./format.ts";

interface SecondsFieldProps {
  readonly label: string;
  readonly name: string;
  /** What can be chosen; another one that is in force can stay. */
  readonly all: readonly number[];
  readonly value: number;
  readonly error: string | undefined;
}

/** A choice among lengths of time. */
export function SecondsField({ label, name, all, value, error }: SecondsFieldProps) {
  const options = all.includes(value) ? all : [...all, value];
  return (
    <Field label={label} error={error}>
      {(ids) => (
        <select {...ids} name={name} defaultValue={value}>
          {options.map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds === 0 ? "at once" : windowText(seconds)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

import { Field } from "./field.tsx";
import { windowText } from "./format.ts";

interface SecondsFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  /** The options; a current value that is not among them is kept. */
  readonly all: readonly number[];
  readonly value: number;
  readonly error: string | undefined;
}

/** A choice of durations. */
export function SecondsField({ label, name, all, value, error, ...hint }: SecondsFieldProps) {
  const options = all.includes(value) ? all : [...all, value];
  return (
    <Field label={label} error={error} {...hint}>
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

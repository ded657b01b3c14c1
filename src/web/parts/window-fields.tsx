import { Field } from "./field.tsx";
import { windowText } from "./format.ts";
import { CALENDARS, LOCAL_ZONE, type Window } from "./window.ts";

const ZONES = [...new Set(["UTC", LOCAL_ZONE, ...Intl.supportedValuesOf("timeZone")])];

interface WindowFieldsProps {
  readonly window: Window;
  /** Windows in seconds to choose from; a current value that is not among them is kept. */
  readonly all: readonly number[];
  readonly onChange: (window: Window) => void;
  readonly errorAt: (path: string) => string | undefined;
}

/** A sliding window, or a calendar period with its time zone. */
export function WindowFields({ window, all, onChange, errorAt }: WindowFieldsProps) {
  const { window_seconds, calendar, time_zone } = window;
  const windows = all.includes(window_seconds) ? all : [...all, window_seconds];
  const change = (value: string) => {
    const chosen = CALENDARS.find((name) => name === value);
    if (chosen === undefined) onChange({ window_seconds: Number(value), calendar: null, time_zone: null });
    else onChange({ window_seconds, calendar: chosen, time_zone: time_zone ?? LOCAL_ZONE });
  };
  return (
    <>
      <Field label="Within" error={errorAt("window_seconds") ?? errorAt("calendar")}>
        {(ids) => (
          <select {...ids} value={calendar ?? window_seconds} onChange={(event) => change(event.target.value)}>
            {(calendar === null ? windows : all).map((seconds) => (
              <option key={seconds} value={seconds}>
                {windowText(seconds)}
              </option>
            ))}
            {CALENDARS.map((name) => (
              <option key={name} value={name}>
                calendar {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {calendar === null ? null : (
        <Field label="Time zone" error={errorAt("time_zone")}>
          {(ids) => (
            <select
              {...ids}
              value={time_zone ?? "UTC"}
              onChange={(event) => onChange({ ...window, time_zone: event.target.value })}
            >
              {[...new Set([time_zone ?? "UTC", ...ZONES])].map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
    </>
  );
}

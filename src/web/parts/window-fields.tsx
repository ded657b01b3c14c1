import { Field } from "../../parts/field.tsx";
import { windowText } from "../../parts/format.ts";
import type { AlertBody } from "./shapes.ts";

const WINDOWS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const CALENDARS = ["day", "week", "month"] as const;
/** Of this browser: budgets are mostly meant by the calendar of the person who sets them. */
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES = [...new Set(["UTC", HERE, ...Intl.supportedValuesOf("timeZone")])];

/** What an alert says of time. */
export type Window = Pick<AlertBody, "window_seconds" | "calendar" | "time_zone">;

interface WindowFieldsProps {
  readonly window: Window;
  readonly onChange: (window: Window) => void;
  readonly errorAt: (path: string) => string | undefined;
}

/** A window that slides, or a stretch of the calendar with its time zone. */
export function WindowFields({ window, onChange, errorAt }: WindowFieldsProps) {
  const { window_seconds, calendar, time_zone } = window;
  const windows = WINDOWS.includes(window_seconds) ? WINDOWS : [...WINDOWS, window_seconds];
  const change = (value: string) => {
    const chosen = CALENDARS.find((name) => name === value);
    if (chosen === undefined) onChange({ window_seconds: Number(value), calendar: null, time_zone: null });
    else onChange({ window_seconds, calendar: chosen, time_zone: time_zone ?? HERE });
  };
  return (
    <>
      <Field label="Within" error={errorAt("window_seconds") ?? errorAt("calendar")}>
        {(ids) => (
          <select {...ids} value={calendar ?? window_seconds} onChange={(event) => change(event.target.value)}>
            {(calendar === null ? windows : WINDOWS).map((seconds) => (
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

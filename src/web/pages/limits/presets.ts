import { LOCAL_ZONE } from "../../parts/window.ts";
import type { LimitRow } from "./shapes.ts";

type Preset = Pick<LimitRow, "name" | "quota" | "unit" | "window_seconds" | "calendar" | "time_zone" | "segment">;

/** In the time zone of the person who sets it. */
const inCalendar = (calendar: "day" | "month") => ({ window_seconds: null, calendar, time_zone: LOCAL_ZONE });
const SLIDING = { calendar: null, time_zone: null } as const;

/** Common limits; each member can be changed before it is saved. */
export const PRESETS: readonly Preset[] = [
  { name: "Daily budget per user", quota: 500, unit: "cents", ...inCalendar("day"), segment: "user" },
  { name: "Monthly budget", quota: 10_000, unit: "cents", ...inCalendar("month"), segment: null },
  { name: "Requests a minute per user", quota: 60, unit: "request", window_seconds: 60, ...SLIDING, segment: "user" },
  { name: "Tokens a day per user", quota: 1_000_000, unit: "tokens", ...inCalendar("day"), segment: "user" },
];

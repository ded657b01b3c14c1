import type { LimitRow } from "./shapes.ts";

type Preset = Pick<LimitRow, "name" | "quota" | "unit" | "window_seconds" | "segment">;

/** What most installations limit; each member can be changed before it is saved. */
export const PRESETS: readonly Preset[] = [
  { name: "Daily budget per user", quota: 500, unit: "cents", window_seconds: 86_400, segment: "user" },
  { name: "Budget of 30 days", quota: 10_000, unit: "cents", window_seconds: 2_592_000, segment: null },
  { name: "Requests a minute per user", quota: 60, unit: "request", window_seconds: 60, segment: "user" },
  { name: "Tokens a day per user", quota: 1_000_000, unit: "tokens", window_seconds: 86_400, segment: "user" },
];

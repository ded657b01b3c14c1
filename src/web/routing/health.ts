import { queryOptions } from "@tanstack/react-query";
import { get } from "../api.ts";

/** A credential that failed recently or whose limit is spent, as `GET /v1/route/health` shows it. */
export interface HealthRow {
  readonly provider: string;
  readonly credential: string;
  /** Null if the complete credential rests. */
  readonly model: string | null;
  readonly state: "ready" | "resting" | "trying" | "limit spent";
  readonly until: string | null;
  /** Failures in a row. */
  readonly failures: number;
  readonly last_error: string | null;
}

export const healthQuery = queryOptions({
  queryKey: ["route-health"],
  queryFn: ({ signal }) => get<readonly HealthRow[]>("/v1/route/health", signal),
  refetchInterval: 5_000,
});

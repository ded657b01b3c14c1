import type { TargetEstimate } from "../../../../api/datasets/runs/estimate.ts";
import type { RunWithTotals } from "../../../../api/datasets/runs/results.ts";
import type { ComparedItem, ShownResult, ShownRun } from "../../../../api/datasets/runs/shown.ts";
import type { RunTotals } from "../../../../api/datasets/runs/totals.ts";
import type { Tone } from "../../../parts/badge.tsx";
import { DATASETS } from "../shapes.ts";

export type { ComparedItem, RunTotals, RunWithTotals, ShownResult, ShownRun, TargetEstimate };

export const runsKey = (dataset: string) => [...DATASETS, dataset, "runs"] as const;
export const runsPath = (dataset: string) => `/v1/datasets/${encodeURIComponent(dataset)}/runs`;

/** Polling interval of a running run. */
export const LOOK_MS = 1_500;

export const STATES: Readonly<Record<ShownRun["state"], readonly [Tone, string]>> = {
  running: ["accent", "running"],
  done: ["good", "done"],
  stopped: ["warn", "stopped"],
  cancelled: ["warn", "cancelled"],
};

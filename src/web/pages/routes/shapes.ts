import type { RouteBody } from "../../../routing/route-schema.ts";

export interface RouteRow extends RouteBody {
  readonly name: string;
  readonly source: "stored" | "file";
  readonly organization: string | null;
}

export interface TargetRow {
  readonly model: string;
  readonly weight: number;
}

export const ROUTES = ["routes"] as const;
export const STRATEGIES = ["order", "weighted", "cheapest", "fastest"] as const;

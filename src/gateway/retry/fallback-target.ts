import type { Route } from "../target.ts";
import type { Fallback } from "./plan.ts";

/** A fallback that can be called. */
export interface FallbackTarget {
  readonly fallback: Fallback;
  readonly route: Route;
  readonly path: string;
}

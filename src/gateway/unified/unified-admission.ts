import type { Endpoint } from "../../unified/endpoints.ts";
import type { UnifiedFallback } from "./fallbacks.ts";
import type { OwnKeys } from "./own-keys.ts";

/** What the head of a unified request tells beside what every request's head does. */
export interface UnifiedAdmission {
  readonly endpoint: Endpoint;
  readonly own: OwnKeys;
  /** A model string in place of the body's. */
  readonly model: string | undefined;
  /** The provider of bare models. */
  readonly provider: string | undefined;
  /** The client's own shape or nothing. */
  readonly sameOnly: boolean;
  readonly refuseLosses: boolean;
  readonly fallbacks: readonly UnifiedFallback[];
}

/** A request of the unified address. */
export interface UnifiedArrival {
  /** The first key that stands where SDKs put theirs. */
  readonly sdkKey: string | undefined;
}

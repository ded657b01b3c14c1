import type { Endpoint } from "../../../unified/endpoints.ts";
import type { UnifiedFallback } from "./fallbacks.ts";
import type { OwnKeys } from "./own-keys.ts";

/** Settings in the head of a unified request, in addition to those of every request. */
export interface UnifiedAdmission {
  readonly endpoint: Endpoint;
  readonly own: OwnKeys;
  /** A model string that replaces the body's. */
  readonly model: string | undefined;
  /** The provider of bare models. */
  readonly provider: string | undefined;
  /** Only targets that speak the client's own shape. */
  readonly sameOnly: boolean;
  readonly refuseLosses: boolean;
  readonly fallbacks: readonly UnifiedFallback[];
}

/** A request of the unified address. */
export interface UnifiedArrival {
  /** The first key in the places where SDKs put theirs. */
  readonly sdkKey: string | undefined;
}

import type { KeySnapshot } from "../../../keys.ts";
import type { CallMemories } from "../../../mapping/translate/call-memory.ts";
import type { Demand } from "../../../routing/demand.ts";
import type { KeptChoices } from "../../../routing/order.ts";
import type { Scope } from "../../../routing/scope.ts";
import type { Description } from "../../../unified/describe.ts";
import type { EarlierResponse } from "../../../unified/earlier-response.ts";
import type { RetryPlan } from "../../retry/plan.ts";
import type { UnifiedAdmission } from "../admission/unified-admission.ts";

/** The inputs that determine a request's targets. */
export interface TargetsWanted {
  readonly scope: () => Scope;
  /** The key whose choices are cached; undefined for none. */
  readonly key?: KeySnapshot;
  readonly admission: Pick<UnifiedAdmission, "own" | "provider" | "fallbacks" | "endpoint" | "refuseLosses">;
  /** A model string. */
  readonly model: string;
  readonly description: Description;
  /** Who made the response that the request continues from. */
  readonly earlier?: EarlierResponse | undefined;
  /** State of calls in its body that the client dropped, by call id. */
  readonly states?: CallMemories;
  readonly demand: Demand;
  readonly organizationId: string;
  /** Retries of one candidate after a failure; undefined for the route's. */
  readonly retry: RetryPlan | undefined;
  /** Stores the choices of sessions. */
  readonly kept: Pick<KeptChoices, "get" | "set">;
  readonly random: () => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

import type { BodyNeed, LimitUse, PayingCredential, RequestEnd, RequestKind } from "../plugin-host/contract.ts";
import type { Verdict } from "../plugin-host/hooks/verdict.ts";
import type { RequestFacts, SeenRequest } from "./seen-request.ts";

/** The hooks of the loaded plugins, in this thread or called in another one; `plugin-host/hooks/hooks.ts` implements it. */
export interface RequestHooks {
  has(name: "onRequest" | "onForward" | "onEnd"): boolean;
  /** What the plugins need from this request's body. Never throws. */
  needs?(request: SeenRequest, facts: RequestFacts): readonly BodyNeed[] | Promise<readonly BodyNeed[]>;
  /** @throws GatewayError `plugin_failed`. */
  onRequest(request: SeenRequest, facts: RequestFacts): Verdict | Promise<Verdict>;
  /** @throws GatewayError `plugin_failed`. */
  onForward(request: SeenRequest, facts: RequestFacts): Verdict | Promise<Verdict>;
  onEnd(end: RequestEnd): void;
  /** Which requests need no call; `plugin-host/hooks/admissions.ts` implements it. Only in the first thread. */
  readonly admissions?: {
    readonly changes: Int32Array;
    admits(kind: RequestKind): boolean;
    onAdmitted(kind: RequestKind, requests: number): void;
  };
  /** Current use of a credential's limits. Only in the first thread. */
  limitsOf?(credential: PayingCredential): readonly LimitUse[];
}

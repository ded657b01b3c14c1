import type { KeySnapshot } from "../keys.ts";
import type { RoutingTables } from "../routing/tables.ts";
import type { Distribution } from "../runtime/metric-text.ts";
import type { SpoolShare } from "../spool/writer.ts";
import type { GatewayStatus } from "./gateway.ts";
import type { ThreadOptions } from "./options.ts";

/** Gateway thread beside the main one; it is started with the ports `first`, `hooks` and `requests`. */
export type FurtherGatewayFunctions = {
  /** Resolves once it listens. The first call. */
  listen(terms: GatewayTerms): Promise<void>;
  /** Some of the terms have changed. */
  tell(change: Partial<GatewayTerms>): void;
  status(): GatewayStatus;
  counts(): GatewayCounts;
  /** Lets what is in flight end for so many seconds, and closes. */
  stop(drainSeconds: number): Promise<void>;
};

/** Main thread, as the other gateway threads see it. */
export type FirstGatewayFunctions = {
  /** Takes an id that a client chose. @returns false where a request has it, in whichever thread. */
  claimId(id: string): Promise<boolean>;
};

/** What the gateway's threads go by that may change while they run. */
export interface GatewayTerms {
  readonly keys: readonly KeySnapshot[];
  /** Ports of this program's listeners: never a target. Further ones are added to those that are known. */
  readonly ownPorts: readonly number[];
  /** What plugins open beside `allow_private_targets`. */
  readonly privateTargets: readonly string[];
  /** What requests of the unified address are routed by, secrets in the clear. */
  readonly tables: RoutingTables;
}

/** What one gateway thread has counted since its start, and what it does now. It is added up across threads. */
export interface GatewayCounts {
  /** `<provider> <status class>` to the number of requests. */
  readonly requests: ReadonlyMap<string, number>;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly inFlight: number;
  /** Request bodies that are held whole. */
  readonly wholeBodies: { readonly bytes: number; readonly waiting: number; readonly refused: number };
  readonly exchangesDropped: number;
  readonly spoolBytes: number;
  readonly spoolHealthy: boolean;
  readonly overhead: Distribution;
  readonly firstByte: Distribution;
}

export interface FurtherGatewayOptions extends ThreadOptions {
  readonly share: SpoolShare;
}

import type { KeySnapshot } from "../keys.ts";
import type { RoutingTables } from "../routing/tables.ts";
import type { Distribution } from "../runtime/metric-text.ts";
import type { SpoolShare } from "../spool/writer.ts";
import type { GatewayStatus } from "./gateway.ts";
import type { ThreadOptions } from "./options.ts";

/** Gateway thread besides the main one; it is started with the ports `first`, `hooks` and `requests`. */
export type FurtherGatewayFunctions = {
  /** Resolves once it listens. Must be called first. */
  listen(terms: GatewayTerms): Promise<void>;
  /** Some of the terms have changed. */
  tell(change: Partial<GatewayTerms>): void;
  status(): GatewayStatus;
  counts(): GatewayCounts;
  /** Waits `drainSeconds` for requests in flight, then closes. */
  stop(drainSeconds: number): Promise<void>;
};

/** Main thread, as the other gateway threads see it. */
export type FirstGatewayFunctions = {
  /** Claims an id that a client chose. @returns false if a request in any thread already has it. */
  claimId(id: string): Promise<boolean>;
};

/** State of the gateway's threads that may change while they run. */
export interface GatewayTerms {
  readonly keys: readonly KeySnapshot[];
  /** Ports of this program's listeners: never a target. New ones are added to the known ones. */
  readonly ownPorts: readonly number[];
  /** Targets that plugins allow in addition to `allow_private_targets`. */
  readonly privateTargets: readonly string[];
  /** How requests to the unified address are routed, secrets in the clear. */
  readonly tables: RoutingTables;
}

/** Counts of one gateway thread since its start, and its current state. They are summed across threads. */
export interface GatewayCounts {
  /** Number of requests by `<provider> <status class>`. */
  readonly requests: ReadonlyMap<string, number>;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly inFlight: number;
  /** Request bodies held in memory completely. */
  readonly wholeBodies: { readonly bytes: number; readonly waiting: number; readonly refused: number };
  readonly exchangesDropped: number;
  readonly spoolBytes: number;
  readonly spoolHealthy: boolean;
  readonly overhead: Distribution;
  readonly firstByte: Distribution;
}

export interface FurtherGatewayOptions extends ThreadOptions {
  readonly share: SpoolShare;
  /** Of `plugin-host/hooks/admissions.ts`. */
  readonly changes: Int32Array;
}

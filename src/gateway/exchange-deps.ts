import type { Log } from "../log.ts";
import type { Upstream } from "../runtime/http/upstream.ts";
import type { SpoolWriter } from "../spool/frame.ts";
import type { Departures } from "./departures.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { Slots, Slotted } from "./slots.ts";

/** An exchange in flight, as the gateway sees it. */
export interface InFlight extends Slotted {
  readonly id: string;
  /**
   * Ends a wait that takes too long. Called several times a second: a wait begins with the first call that sees it, so that
   * short ones never read the clock.
   *
   * @param nowMs - `performance.now()`.
   */
  checkProgress(nowMs: number): void;
  /** Ends what is still open when the gateway stops. */
  cutOff(): void;
}

/** The parts of the gateway that an exchange uses. */
export interface ExchangeDeps {
  readonly log: Log;
  readonly spool: SpoolWriter;
  readonly upstream: Upstream;
  readonly metrics: GatewayMetrics;
  readonly inFlight: Slots<InFlight>;
  readonly departures: Departures;
  /** `gateway-id` and its aliases. */
  readonly idHeaders: readonly string[];
  readonly recordedBytesMax: number;
  readonly upstreamTimeoutMs: number;
  readonly syncAlways: boolean;
}

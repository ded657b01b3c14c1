import type { TargetGuard } from "../net/target-guard.ts";
import type { Log } from "../observe.ts";
import type { RoutingTables } from "../routing/tables.ts";
import type { Upstream } from "../runtime/http/upstream.ts";
import type { SpoolWriter } from "../spool/frame.ts";
import type { KeyRing } from "./authenticate.ts";
import type { ContentReader } from "./body/content-reader.ts";
import type { ResponseCache } from "./cache/response-cache.ts";
import type { Departures } from "./departures.ts";
import type { Exchange } from "./exchange.ts";
import type { HeaderReader } from "./headers/headers.ts";
import type { RequestHooks } from "./hooks.ts";
import type { InFlight } from "./in-flight.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { RequestIds } from "./request-ids.ts";
import type { ProviderIndex } from "./target.ts";
import type { PassedOn } from "./thread/pass-on.ts";

/** What every exchange of one gateway shares; worked out at the start, not per request. */
export interface GatewayParts {
  readonly log: Log;
  readonly spool: SpoolWriter;
  readonly upstream: Upstream;
  readonly guard: TargetGuard;
  readonly keys: KeyRing;
  readonly ids: RequestIds;
  readonly headers: HeaderReader;
  readonly metrics: GatewayMetrics;
  readonly providers: () => ProviderIndex;
  /** Credentials and routes, asked at every request of the unified address. */
  readonly tables: () => RoutingTables;
  readonly hooks: RequestHooks | undefined;
  readonly content: ContentReader;
  readonly cache: ResponseCache;
  /** In a further gateway thread: the way to the first one, which has the cache. */
  readonly passedOn: PassedOn | undefined;
  readonly inFlight: InFlight<Exchange>;
  readonly departures: Departures;
  readonly domain: string;
  /** `gateway-id` and its aliases. */
  readonly idHeaders: readonly string[];
  readonly bodyBytesMax: number;
  readonly recordedBytesMax: number;
  readonly upstreamTimeoutMs: number;
  /** How long a client may send nothing of a body that it has begun. */
  readonly uploadStallMs: number;
  readonly syncAlways: boolean;
  readonly refuseWhenFull: boolean;
}

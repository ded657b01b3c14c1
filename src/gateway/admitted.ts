import type { KeySnapshot } from "../keys.ts";
import type { BodyNeed } from "../plugin-host/contract.ts";
import type { IncomingRequest } from "../runtime/http/server.ts";
import type { ByteSocket } from "../runtime/http/sockets.ts";
import type { BeginMeta } from "../spool/frame.ts";
import type { SentFor } from "../unified/through-gateway.ts";
import type { CacheSettings } from "./cache/settings.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestHeaders } from "./headers/headers.ts";
import type { FallbackTarget } from "./retry/fallback-target.ts";
import type { RetryPlan } from "./retry/plan.ts";
import type { RequestFacts, SeenRequest } from "./seen-request.ts";
import type { Route } from "./target.ts";
import type { UnifiedAdmission, UnifiedArrival } from "./unified/unified-admission.ts";

/** A request as the HTTP parser hands it over. */
export interface ClientRequest {
  readonly incoming: IncomingRequest;
  /** The socket and what came behind the head, where the client wants to speak another protocol. */
  readonly client?: { readonly socket: ByteSocket; readonly early: Uint8Array };
  /** Whether it came to the port of the unified address. */
  readonly unified?: true;
  /** For whom this program sends it itself: then it brings no key. */
  readonly sentFor?: SentFor;
}

/** A request as far as it is understood: a refusal is recorded with what there is. */
export interface Arrival {
  readonly exchange: Exchange;
  readonly request: ClientRequest;
  readonly headers: RequestHeaders;
  /** Undefined in pass-through. */
  unified?: UnifiedArrival | undefined;
  key?: KeySnapshot;
  route?: Route;
}

/** A request that may be passed on, as far as its head tells: who sent it is known, and where it goes. */
export interface Admitted {
  readonly exchange: Exchange;
  readonly request: ClientRequest;
  /** As the client sent them, with what plugins have changed. */
  readonly headers: RequestHeaders;
  readonly route: Route;
  readonly facts: RequestFacts;
  /** What plugins see of the facts. */
  readonly seen: SeenRequest;
  readonly key: KeySnapshot;
  /** What it asks of the unified address; undefined in pass-through. */
  readonly unified: UnifiedAdmission | undefined;
  /** How its record begins. */
  readonly meta: BeginMeta;
  /** What plugins need of its body. */
  readonly needs: readonly BodyNeed[];
  /** Where plugins have changed what is sent: the body as the client sent it, if it is in memory. */
  readonly client: { readonly body: Uint8Array | undefined } | undefined;
  /** What it asks of the cache, where that can answer it. */
  readonly caching: CacheSettings | undefined;
  /** What to do when the provider fails, where the client said so. */
  readonly retry: { readonly plan: RetryPlan; readonly targets: readonly FallbackTarget[] } | undefined;
}

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
import type { UnifiedAdmission, UnifiedArrival } from "./unified/admission/unified-admission.ts";

/** A request as the HTTP parser delivers it. */
export interface ClientRequest {
  readonly incoming: IncomingRequest;
  /** The socket and the bytes after the head, if the client asks for another protocol. */
  readonly client?: { readonly socket: ByteSocket; readonly early: Uint8Array };
  /** Set if it arrived at the port of the unified address. */
  readonly unified?: true | undefined;
  /** Set for a request that this program sends for a user or key; it brings no key of its own. */
  readonly sentFor?: SentFor;
}

/** A request as far as it has been read; a refusal is recorded with what is present. */
export interface Arrival {
  readonly exchange: Exchange;
  readonly request: ClientRequest;
  readonly headers: RequestHeaders;
  /** Undefined in pass-through. */
  unified?: UnifiedArrival | undefined;
  key?: KeySnapshot;
  route?: Route;
}

/** A request whose head permits passing it on: caller and target are known. */
export interface Admitted {
  readonly exchange: Exchange;
  readonly request: ClientRequest;
  /** As the client sent them, with plugins' changes. */
  readonly headers: RequestHeaders;
  readonly route: Route;
  readonly facts: RequestFacts;
  /** The view of the facts that plugins get. */
  readonly seen: SeenRequest;
  readonly key: KeySnapshot;
  /** Settings for the unified address; undefined in pass-through. */
  readonly unified: UnifiedAdmission | undefined;
  /** The initial metadata of its record. */
  readonly meta: BeginMeta;
  /** What plugins need from its body. */
  readonly needs: readonly BodyNeed[];
  /** Set if plugins changed the request: the body as the client sent it, if it is in memory. */
  readonly client: { readonly body: Uint8Array | undefined } | undefined;
  /** Cache settings, if the cache can serve this request. */
  readonly caching: CacheSettings | undefined;
  /** What to do when the provider fails, if the client set it. */
  readonly retry: { readonly plan: RetryPlan; readonly targets: readonly FallbackTarget[] } | undefined;
}

import type { TargetGuard } from "../egress/target-guard.ts";
import type { KeyRing } from "../keys.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import type { BodyBudget } from "./body/budget.ts";
import type { ContentReader } from "./body/content-reader.ts";
import type { ResponseCache } from "./cache/response-cache.ts";
import type { ExchangeDeps } from "./exchange-deps.ts";
import type { HeaderReader } from "./headers/headers.ts";
import type { RequestHooks } from "./request-hooks.ts";
import type { RequestIds } from "./request-ids.ts";
import type { ProviderIndex } from "./target.ts";
import type { UnifiedParts } from "./unified/unified-parts.ts";

/** State that all requests of one gateway share; computed at the start, not per request. */
export interface GatewayParts extends ExchangeDeps {
  readonly guard: TargetGuard;
  readonly keys: KeyRing;
  readonly ids: RequestIds;
  readonly headers: HeaderReader;
  readonly providers: () => ProviderIndex;
  readonly unified: UnifiedParts;
  readonly hooks: RequestHooks | undefined;
  readonly content: ContentReader;
  readonly bodies: BodyBudget;
  readonly cache: ResponseCache;
  /** In a further gateway thread: the connection to the first one, which has the cache. */
  readonly passedOn: PassedOn | undefined;
  readonly domain: string;
  readonly bodyBytesMax: number;
  /** How long a client may pause in the middle of a body. */
  readonly uploadStallMs: number;
  readonly refuseWhenFull: boolean;
}

/** The parts that routing at the unified address uses. */
export type RoutingParts = Pick<GatewayParts, "unified" | "providers" | "headers" | "hooks">;

import type { TargetGuard } from "../egress/target-guard.ts";
import type { KeyRing } from "../keys.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import type { BodyBudget } from "./body/budget.ts";
import type { ContentReader } from "./body/content-reader.ts";
import type { ResponseCache } from "./cache/response-cache.ts";
import type { ExchangeDeps } from "./exchange.ts";
import type { HeaderReader } from "./headers/headers.ts";
import type { RequestHooks } from "./request-hooks.ts";
import type { RequestIds } from "./request-ids.ts";
import type { ProviderIndex } from "./target.ts";
import type { UnifiedParts } from "./unified/unified-parts.ts";

/** What every request of one gateway shares; worked out at the start, not per request. */
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
  /** In a further gateway thread: the way to the first one, which has the cache. */
  readonly passedOn: PassedOn | undefined;
  readonly domain: string;
  readonly bodyBytesMax: number;
  /** How long a client may send nothing of a body that it has begun. */
  readonly uploadStallMs: number;
  readonly refuseWhenFull: boolean;
}

/** What decides where a request of the unified address goes. */
export type RoutingParts = Pick<GatewayParts, "unified" | "providers" | "headers" | "hooks">;

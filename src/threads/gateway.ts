import type { StoredCredential } from "../credentials/stored.ts";
import type { KeySnapshot } from "../keys.ts";
import type { Mapping } from "../mapping/mapping.ts";
import type { Acting } from "../people/actor.ts";
import type { Json, RouteAnswer, RouteCall } from "../plugin-host/contract.ts";
import type { Note } from "../plugin-host/hooks/note.ts";
import type { ResponseFacts } from "../plugin-host/hooks/response-facts.ts";
import type { RouteView } from "../plugin-host/routes.ts";
import type { HookHealth, PluginView, ProviderView } from "../plugin-host/view.ts";
import type { Health } from "../routing/rests.ts";
import type { StoredRouting } from "../routing/tables.ts";
import type { WholeExchange } from "../spool/reported-exchange.ts";
import type { ListedModel } from "../unified/listed-models.ts";
import type { CredentialTest } from "../unified/test-credential.ts";

/** Main thread: the gateway and the spool's writer. */
export type GatewayFunctions = {
  metrics(): string | Promise<string>;
  status(): GatewayStatus | Promise<GatewayStatus>;
  /** Replaces the keys that the gateway accepts. */
  setKeys(keys: readonly KeySnapshot[]): void | Promise<void>;
  /** Replaces the stored credentials, which the main thread decrypts; `setRouting` replaces routes and prices. */
  setCredentials(credentials: readonly StoredCredential[]): void | Promise<void>;
  setRouting(stored: StoredRouting): void | Promise<void>;
  /** Ids of stored credentials that no key of this node decrypts. */
  lockedCredentials(): readonly string[] | Promise<readonly string[]>;
  /** Calls a credential's provider to test it. */
  testCredential(wanted: CredentialOfOrganization): Promise<CredentialTest>;
  /** The state of the credentials that an organization may use, from recent failures. */
  routeHealth(organizationId: string): readonly Health[] | Promise<readonly Health[]>;
  /** The targets that a request would be sent to. Nothing is called. @throws GatewayError as for that request. */
  explainRoute(question: RouteQuestion): Promise<RouteExplanation>;
  /** Every model name that a key may use. */
  listModels(key: RouteQuestion["key"]): readonly ListedModel[] | Promise<readonly ListedModel[]>;
  /** Writes an exchange that a client reports into the spool. @returns false if nothing can be recorded now. */
  record(exchange: WholeExchange): boolean | Promise<boolean>;
  /** The size of one organization's stored responses, and the limit for all organizations. */
  cacheStatus(organizationId: string): CacheStatus;
  /** One organization's stored responses, most recently used first. */
  cacheEntries(organizationId: string, page: CachePage): Promise<readonly CacheEntryView[]>;
  /** Removes one organization's responses that match all given conditions. @returns how many. */
  purgeCache(organizationId: string, purge: CachePurge): Promise<number>;
  /** Files of providers and plugins, including unused ones. */
  providers(): readonly ProviderView[] | Promise<readonly ProviderView[]>;
  /** The mappings in providers' files, by the provider's name. */
  providerMappings(): Readonly<Record<string, Mapping>> | Promise<Readonly<Record<string, Mapping>>>;
  plugins(): readonly PluginView[] | Promise<readonly PluginView[]>;
  /** The health of this thread's plugins. */
  hookHealth(): HookHealth | Promise<HookHealth>;
  /** API endpoints that plugins serve. */
  routes(): readonly RouteView[] | Promise<readonly RouteView[]>;
  /** Never rejects. */
  callRoute(route: Pick<RouteView, "method" | "path">, call: RouteCall, by: Acting): Promise<RouteAnswer>;
};

/** What a recorded request of the unified address used. */
export interface UsedTokens {
  readonly requestId: string;
  readonly outputTokens: number;
}

/** Main thread, as a recorder sees it. */
export type ResponseFunctions = {
  /** Shows responses to the plugins. @returns their additions to each record, in the same order. */
  onResponses(responses: readonly ResponseFacts[]): Promise<readonly (Note | null)[]>;
  /** Reports what requests of the unified address used. */
  onUsed(used: readonly UsedTokens[]): void | Promise<void>;
};

export interface CredentialOfOrganization {
  readonly organizationId: string;
  readonly name: string;
  /** For providers that list no models. */
  readonly model: string | undefined;
}

/** A request that is explained instead of sent. */
export interface RouteQuestion {
  readonly key: Pick<KeySnapshot, "id" | "name" | "organizationId" | "models" | "credentials">;
  /** A model string. */
  readonly model: string;
  /** The name of the client's shape. */
  readonly shape: string;
  /** JSON of the client's body; undefined for a minimal body of the shape. */
  readonly body: string | undefined;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
}

export interface RouteExplanation {
  /** For people, such as `route fast`. */
  readonly resolved_by: string;
  readonly targets: readonly ExplainedTarget[];
}

/** A call that would be made, in the order of the calls. */
export interface ExplainedTarget {
  readonly provider: string;
  /** Its name at the provider. */
  readonly model: string;
  readonly credential: string;
  /** The provider's; null if the target cannot take the request. */
  readonly shape: string | null;
  readonly same_shape: boolean;
  readonly url: string | null;
  /** US dollars; null if the price is unknown. */
  readonly estimated_cost: number | null;
  /** `ready`, `resting until <time>`, `limit spent` or `locked`. */
  readonly state: string;
  /** Why it is skipped; null if it is called in its turn. */
  readonly skipped: string | null;
  /** Paths of the members of the client's body that this target drops. */
  readonly dropped: readonly string[];
  readonly approximated: readonly string[];
  readonly refused: readonly string[];
  readonly reason: string;
  /** The body sent to the provider, if the client's was given. */
  readonly request: Json | null;
}

export interface CacheStatus {
  readonly entries: number;
  readonly bytes: number;
  readonly bytesMax: number;
}

export interface CachePage {
  readonly limit: number;
  readonly offset: number;
}

export interface CacheEntryView {
  readonly key: string;
  readonly place: number;
  /** The request that the response belongs to. */
  readonly requestId: string;
  readonly model: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly bytes: number;
}

/** Missing conditions match everything. */
export interface CachePurge {
  readonly key?: string;
  readonly model?: string;
  readonly requestId?: string;
  readonly property?: { readonly name: string; readonly value?: string };
}

export interface GatewayStatus {
  /** The listening port. */
  readonly port: number;
  readonly inFlight: number;
  readonly spoolHealthy: boolean;
  readonly spoolError: string | null;
  readonly exchangesDropped: number;
  /** Problems, such as broken drop-ins: the gateway still serves, but someone should check. */
  readonly degraded: readonly string[];
  readonly draining: boolean;
}

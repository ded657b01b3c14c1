import type { StoredCredential } from "../credentials/stored.ts";
import type { KeySnapshot } from "../keys.ts";
import type { Mapping } from "../mapping/mapping.ts";
import type { Acting } from "../people/actor.ts";
import type { Json, RouteAnswer, RouteCall } from "../plugin-host/contract.ts";
import type { AnswerFacts } from "../plugin-host/hooks/answer.ts";
import type { Note } from "../plugin-host/hooks/note.ts";
import type { RouteView } from "../plugin-host/routes.ts";
import type { HookHealth, PluginView, ProviderView } from "../plugin-host/view.ts";
import type { Health } from "../routing/rests.ts";
import type { StoredRouting } from "../routing/tables.ts";
import type { WholeExchange } from "../spool/reported-exchange.ts";
import type { ClientShape } from "../unified/client-shapes.ts";
import type { ListedModel } from "../unified/listed-models.ts";
import type { CredentialTest } from "../unified/test-credential.ts";

/** Main thread: the gateway and the spool's writer. */
export type GatewayFunctions = {
  metrics(): string | Promise<string>;
  status(): GatewayStatus | Promise<GatewayStatus>;
  /** Replaces the keys that the gateway accepts. */
  setKeys(keys: readonly KeySnapshot[]): void | Promise<void>;
  /** Replaces the credentials of the database, whose secrets are opened there; its routes and prices. */
  setCredentials(credentials: readonly StoredCredential[]): void | Promise<void>;
  setRouting(stored: StoredRouting): void | Promise<void>;
  /** Ids of stored credentials that no key of this node opens. */
  lockedCredentials(): readonly string[] | Promise<readonly string[]>;
  /** Asks a credential's provider whether it works. */
  testCredential(wanted: CredentialOfOrganization): Promise<CredentialTest>;
  /** How the credentials are that an organization may use, as far as calls with them failed lately. */
  routeHealth(organizationId: string): readonly Health[] | Promise<readonly Health[]>;
  /** Which targets a request would be sent to. Nothing is called. @throws GatewayError as the request would get. */
  explainRoute(question: RouteQuestion): Promise<RouteExplanation>;
  /** Every name that a key may write as the model. */
  listModels(key: RouteQuestion["key"]): readonly ListedModel[] | Promise<readonly ListedModel[]>;
  /** Puts an exchange into the spool that a client tells of. @returns false where nothing can be recorded now. */
  record(exchange: WholeExchange): boolean | Promise<boolean>;
  /** What is stored of one organization's responses, and how much of all organizations' may be. */
  cacheStatus(organizationId: string): CacheStatus;
  /** One organization's stored responses, the last used first. */
  cacheEntries(organizationId: string, page: CachePage): Promise<readonly CacheEntryView[]>;
  /** Removes one organization's responses that fit all that is said. @returns how many there were. */
  purgeCache(organizationId: string, purge: CachePurge): Promise<number>;
  /** Files of providers and plugins, whether they are in use or not. */
  providers(): readonly ProviderView[] | Promise<readonly ProviderView[]>;
  /** The mappings that providers have in their files, by the provider's name. */
  providerMappings(): Readonly<Record<string, Mapping>> | Promise<Readonly<Record<string, Mapping>>>;
  plugins(): readonly PluginView[] | Promise<readonly PluginView[]>;
  /** How the plugins of this thread are doing. */
  hookHealth(): HookHealth | Promise<HookHealth>;
  /** Endpoints of the API that plugins answer. */
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
export type AnswerFunctions = {
  /** Shows answers to the plugins. @returns what they add to each record, in the same order. */
  onAnswers(answers: readonly AnswerFacts[]): Promise<readonly (Note | null)[]>;
  /** Reports what requests of the unified address used. */
  onUsed(used: readonly UsedTokens[]): void | Promise<void>;
};

export interface CredentialOfOrganization {
  readonly organizationId: string;
  readonly name: string;
  /** For providers that list no models. */
  readonly model: string | undefined;
}

/** A request that is not made. */
export interface RouteQuestion {
  readonly key: Pick<KeySnapshot, "id" | "name" | "organizationId" | "models" | "credentials">;
  /** A model string. */
  readonly model: string;
  readonly shape: ClientShape;
  /** JSON of the client's body; undefined for the least that the shape takes. */
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

/** A call that would be made, in the order in which they are. */
export interface ExplainedTarget {
  readonly provider: string;
  /** Its name at the provider. */
  readonly model: string;
  readonly credential: string;
  /** The provider's; null where the target cannot take the request. */
  readonly shape: string | null;
  readonly same_shape: boolean;
  readonly url: string | null;
  /** US dollars; null where the price is not known. */
  readonly estimated_cost: number | null;
  /** `ready`, `resting until <time>`, `limit spent` or `locked`. */
  readonly state: string;
  /** Why it is not called in its turn; null where it is. */
  readonly skipped: string | null;
  /** Members of the client's body by their paths. */
  readonly dropped: readonly string[];
  readonly approximated: readonly string[];
  readonly refused: readonly string[];
  readonly reason: string;
  /** The provider's body, where one was given. */
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
  /** The request whose answer it is. */
  readonly requestId: string;
  readonly model: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly bytes: number;
}

/** Nothing said means everything. */
export interface CachePurge {
  readonly key?: string;
  readonly model?: string;
  readonly requestId?: string;
  readonly property?: { readonly name: string; readonly value?: string };
}

export interface GatewayStatus {
  /** Where it listens. */
  readonly port: number;
  readonly inFlight: number;
  readonly spoolHealthy: boolean;
  readonly spoolError: string | null;
  readonly exchangesDropped: number;
  /** Broken drop-ins and the like: still serving, but someone should look. */
  readonly degraded: readonly string[];
  readonly draining: boolean;
}

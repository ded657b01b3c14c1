import type { StoredCredential } from "../credentials/stored.ts";
import type { KeySnapshot } from "../keys.ts";
import type { RouteAnswer, RouteCall } from "../plugin/contract.ts";
import type { RouteView } from "../plugin/routes.ts";
import type { HookHealth, PluginView, ProviderView } from "../plugin/view.ts";
import type { Route } from "../routing/route.ts";
import type { WholeExchange } from "../spool/whole.ts";
import type { CredentialTest } from "../unified/test-credential.ts";

/** Main thread: the gateway and the spool's writer. */
export type GatewayFunctions = {
  metrics(): string | Promise<string>;
  status(): GatewayStatus | Promise<GatewayStatus>;
  /** Replaces the keys that the gateway accepts. */
  setKeys(keys: readonly KeySnapshot[]): void | Promise<void>;
  /** Replaces the credentials of the database, whose secrets are opened there, and its routes. */
  setCredentials(credentials: readonly StoredCredential[]): void | Promise<void>;
  setRoutes(routes: readonly Route[]): void | Promise<void>;
  /** Ids of stored credentials that no key of this node opens. */
  lockedCredentials(): readonly string[] | Promise<readonly string[]>;
  /** Asks a credential's provider whether it works. */
  testCredential(wanted: CredentialOfOrganization): Promise<CredentialTest>;
  /** Puts an exchange into the spool that a client tells of. @returns false where nothing can be recorded now. */
  record(exchange: WholeExchange): boolean | Promise<boolean>;
  /** What is stored of one organization's answers, and how much of all organizations' may be. */
  cacheStatus(organizationId: string): CacheStatus;
  /** One organization's stored answers, the last used first. */
  cacheEntries(organizationId: string, page: CachePage): Promise<readonly CacheEntryView[]>;
  /** Removes one organization's answers that fit all that is said. @returns how many there were. */
  purgeCache(organizationId: string, purge: CachePurge): Promise<number>;
  /** Files of providers and plugins, whether they are in use or not. */
  providers(): readonly ProviderView[] | Promise<readonly ProviderView[]>;
  plugins(): readonly PluginView[] | Promise<readonly PluginView[]>;
  /** How the plugins of this thread are doing. */
  hookHealth(): HookHealth | Promise<HookHealth>;
  /** Endpoints of the API that plugins answer. */
  routes(): readonly RouteView[] | Promise<readonly RouteView[]>;
  /** Never rejects. */
  callRoute(route: Pick<RouteView, "method" | "path">, call: RouteCall): Promise<RouteAnswer>;
};

export interface CredentialOfOrganization {
  readonly organizationId: string;
  readonly name: string;
  /** For providers that list no models. */
  readonly model: string | undefined;
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

import type { Config } from "../config.ts";
import type { KeySnapshot } from "../keys.ts";
import type { Log } from "../log.ts";
import type { Credential } from "../routing/credential.ts";
import type { Health } from "../routing/rests.ts";
import type { RoutingTables } from "../routing/tables.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import type { IncomingRequest, ServerResponse } from "../runtime/http/server.ts";
import type { SpoolWriter } from "../spool/frame.ts";
import type { GatewayCounts, GatewayStatus, RouteExplanation, RouteQuestion, UsedTokens } from "../threads.ts";
import type { ListedModel } from "../unified/listed-models.ts";
import type { BudgetTimes } from "./body/budget.ts";
import type { CacheAdministration } from "./cache/administer.ts";
import type { RequestHooks } from "./request-hooks.ts";
import type { ProviderIndex } from "./target.ts";
import type { Recorded } from "./unified/targets/recorded.ts";

export interface GatewayOptions {
  readonly config: Config;
  readonly log: Log;
  readonly spool: SpoolWriter;
  /** The loaded providers, called for every request, so that a reload takes effect immediately. */
  readonly registry: () => ProviderIndex;
  /** Takes an id that a client chose; false if another request has it. */
  readonly claimId: (id: string) => Promise<boolean>;
  /** Ids that clients chose lately, if several gateways share them. */
  readonly chosenIds?: Set<string>;
  /** Ports of this program's other listeners, where known. */
  readonly otherPorts?: readonly number[];
  /** Keys valid from the first connection; without it there are none until `setKeys`. */
  readonly keys?: readonly KeySnapshot[];
  readonly hooks?: RequestHooks;
  /** Targets that plugins allow in addition to `allow_private_targets`; a new list whenever it changes. */
  readonly privateTargets?: () => readonly string[];
  /** Routing tables of the unified address; a new value whenever they change. */
  readonly tables?: () => RoutingTables;
  /** Reads records for requests of the unified address; without it nothing is recorded. */
  readonly recorded?: Recorded;
  /** Broken drop-ins and similar problems, for `status`. */
  readonly degraded?: () => readonly string[];
  /** The server that divides limits among nodes, if configured. */
  readonly limits?: { readonly degraded: readonly string[] } | undefined;
  /** How long requests wait for memory for their bodies, and for each other. */
  readonly bodyTimes?: Partial<BudgetTimes>;
  /** In a further gateway thread: the connection to the first one. */
  readonly passedOn?: PassedOn;
}

export interface Gateway extends CacheAdministration {
  readonly port: number;
  /** Port of the unified address; undefined if it has no port of its own. */
  readonly unifiedPort: number | undefined;
  setKeys(keys: readonly KeySnapshot[]): void;
  /** Ports of this program's other listeners: never a target, whatever is allowed. */
  setOwnPorts(ports: readonly number[]): void;
  status(): GatewayStatus;
  counts(): GatewayCounts;
  readonly routeHealth: (organizationId: string) => readonly Health[];
  readonly explainRoute: (question: RouteQuestion) => Promise<RouteExplanation>;
  /** Sets the models listed by a credential's provider; undefined if no longer known. */
  setListed(credential: Credential, models: readonly string[] | undefined): void;
  /** Receives tokens used by requests, from their records. */
  noteUsed(used: readonly UsedTokens[]): void;
  /** Every name that a key may use as the model. */
  readonly listModels: (key: RouteQuestion["key"]) => readonly ListedModel[];
  /** Prometheus text. @param others - counts of the other gateway threads. */
  metrics(others?: readonly GatewayCounts[]): string;
  /** Takes an id that a client chose, for a further thread's request. @returns false if another request has it. */
  takeId(id: string): Promise<boolean>;
  /** Serves a request whose connection is in a further thread. */
  serve(incoming: IncomingRequest, response: ServerResponse): void;
  /**
   * Serves a request of this program's own, at the unified address.
   *
   * @param sentFor - a `SentFor`, if it is sent for a user or key.
   */
  serveFor(incoming: IncomingRequest, response: ServerResponse, sentFor?: unknown): void;
  /**
   * Stops accepting, waits up to `seconds` for requests in flight, then cuts them off.
   *
   * @param others - settles when the other gateway threads have ended; until then this one may have to serve requests for
   * them.
   */
  drain(seconds: number, others?: Promise<unknown>): Promise<void>;
  /** Ends everything immediately. */
  close(): Promise<void>;
}

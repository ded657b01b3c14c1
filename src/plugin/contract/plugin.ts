import type {
  Admission,
  AnswerNote,
  BodyNeed,
  GatewayAnswer,
  GatewayRequest,
  PayingCredential,
  RecordDraft,
  Refusal,
  RequestEnd,
} from "./exchange.ts";
import type { GatewayAccess } from "./gateway-access.ts";
import type { Json } from "./json.ts";

export interface PluginLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What is used of one policy of a credential's limit. */
export interface LimitUse {
  readonly unit: "request" | "cents" | "tokens";
  readonly quota: number;
  readonly windowSeconds: number;
  /** In the window that ends now; calls in flight count once they are charged. */
  readonly used: number;
  /** When the policy has room again, in milliseconds since 1970; null where it has room. */
  readonly spentUntil: number | null;
}

type Verdict = Refusal | Admission | undefined | void;

export interface PluginHooks {
  /**
   * What has to be read from a request's body before `onRequest`: a list, or a function of the request where it depends on
   * that (gateway thread; failing counts as nothing). Without a need of any plugin, bodies pass as they come.
   */
  readonly needs?: readonly BodyNeed[] | ((request: GatewayRequest) => readonly BodyNeed[]);
  /**
   * Gateway thread, for every request, before the cache is asked and the target is called: what may be asked at all.
   * Nothing returned means: go on. Throwing or 250 ms: 500 `plugin_failed`.
   */
  onRequest?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, right before the target is called and not for an answer from the cache: what counts requests counts
   * them here. Answers and fails as `onRequest`.
   */
  onForward?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, once for every request that `onForward` was asked about, when its answer is over; also where this
   * plugin or another one refused it. What was counted for a request whose outcome is `refused`, or that was not
   * forwarded, is to be given back here. At the unified address it is called once more for each call, with the call's id
   * and the record that has its usage.
   */
  onEnd?(end: RequestEnd): void;
  /**
   * Gateway thread, once for every record, when the client has its answer and the record is in the database: within a second
   * of the end. It delays nobody and cannot change the answer; what it returns is added to the record. Throwing or 250 ms adds
   * nothing, and is counted.
   */
  onAnswer?(answer: GatewayAnswer): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /** Recorder thread, before the record is stored. `false` drops the record. */
  onRecord?(draft: RecordDraft): false | undefined | void | Promise<false | undefined | void>;
  /**
   * Recorder thread, once for every record, after it is in the database: the place for checks in code. It sees both bodies
   * whole and delays no request; what it returns is added to the record. Throwing or 250 ms adds nothing, and is counted.
   */
  onRecorded?(draft: Readonly<RecordDraft>): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /**
   * Endpoints of the API that this plugin answers, in the gateway's thread. Which there are is asked when the service
   * starts; a plugin that was reloaded answers at once.
   */
  readonly routes?: readonly PluginRoute[];
  /**
   * What this plugin counts, by names such as `spans_dropped`: shown in `/metrics` for the thread that it is asked in. Counts
   * go up only; it is asked whenever somebody reads the metrics.
   */
  counters?(): Readonly<Record<string, number>>;
  /**
   * Gateway thread: what this plugin has counted of a credential's limit. It counts nothing, and is asked when a route is
   * explained or health is shown.
   */
  limitsOf?(credential: PayingCredential): readonly LimitUse[];
  /** Called once when the plugin is unloaded. */
  dispose?(): void | Promise<void>;
}

/** One endpoint of the API, answered in the API's envelope. */
export interface PluginRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/v1/`, with `:name` for a segment that varies, such as `/v1/domains/:domain/verify`. */
  readonly path: string;
  /**
   * What the caller's key needs; `admin` implies the others. `figures` is for what tells nothing of requests' bodies, and
   * `read` implies it.
   */
  readonly scope: "figures" | "read" | "write" | "admin";
  readonly summary: string;
  /** JSON Schema of the body; without it the route takes none. */
  readonly body?: Json;
  /** Throwing answers 500. It has 10 s. */
  handle(call: RouteCall): RouteAnswer | Promise<RouteAnswer>;
}

export interface RouteCall {
  /** The segments that vary, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON that fits the route's schema. */
  readonly body: Json;
  readonly caller: RouteCaller;
}

export interface RouteCaller {
  /** Undefined for the command line on the machine itself. */
  readonly organizationId: string | undefined;
  /** Name of the key, or "command line". */
  readonly name: string;
  readonly admin: boolean;
  /** Whether the caller belongs to the organization that runs the deployment, which was made first. */
  readonly operator: boolean;
}

/** `path` names the member of the body that is wrong. */
export type RouteAnswer =
  | { readonly data: Json }
  | {
      readonly status: number;
      /** What programs look at, such as `not_found`; without one it follows from the status. */
      readonly code?: string;
      readonly message: string;
      readonly path?: string;
    };

/** @typeParam Options - what `optionsSchema` allows. */
export interface PluginContext<Options = Json> {
  /** Its table `[plugins.<name>]`, checked, with the defaults of the schema filled in. */
  readonly options: Options;
  readonly log: PluginLog;
  /** Only where the hooks of the gateway's thread are called; the recorder's thread sets plugins up without it. */
  readonly gateway?: GatewayAccess;
}

/**
 * A plugin: state lives inside `setup` only. Its life:
 *
 * 1. The file is loaded in a thread that is thrown away, within 2 s; then in the gateway's and in the recorder's thread.
 * 2. `setup` runs once in each of the two, with `gateway` in the first one only, within 5 s. A failure at the start stops the
 *    service; later the version before stays.
 * 3. Of each request `needs` is asked, what it names is read, then `onRequest`, then the cache, then `onForward`: in the
 *    gateway's thread, built-in plugins first, then by file name. 250 ms each; a failure refuses the request (500
 *    `plugin_failed`), and the first refusal ends it. The record has begun before.
 * 4. When the answer is over, `onEnd`, in the gateway's thread. A failure is counted.
 * 5. Within a second of the end `onRecord` and, once that is committed, `onRecorded`, in the recorder's thread: both bodies
 *    are whole there, streams folded. 250 ms each; a failure leaves the record as it was before the hook.
 *    What `onRecorded` returns is in the record within another second.
 * 6. Then `onAnswer`, in the gateway's thread, where the state of `onRequest` is: it sees the answer as the record has it. Its
 *    limits and failures are those of `onEnd`; what it returns is in the record within another second.
 * 7. A hook that blocks its thread three times in a row is switched off for a minute; `/readyz` says so.
 * 8. When the file changes, the new version is set up first; then `dispose` of the old one runs, within 5 s. Options are read
 *    at the start of the service only.
 *
 * @typeParam Options - what `optionsSchema` allows, such as `GatewayPlugin<{ models: string[] }>`.
 */
export interface GatewayPlugin<Options = Json> {
  readonly apiVersion: 1;
  readonly name: string;
  /** JSON Schema of its `[plugins.<name>]` table in `weir.toml`. */
  readonly optionsSchema?: Json;
  /** End the hooks with `satisfies PluginHooks`, so that a misspelt one does not compile. */
  setup(context: PluginContext<Options>): PluginHooks | Promise<PluginHooks>;
}

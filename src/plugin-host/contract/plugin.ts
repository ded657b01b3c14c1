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
  RequestKind,
} from "./exchange.ts";
import type { GatewayAccess } from "./gateway-access.ts";
import type { Json } from "./json.ts";

export interface PluginLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Usage under one policy of a credential's limit. */
export interface LimitUse {
  readonly unit: "request" | "cents" | "tokens";
  readonly quota: number;
  readonly windowSeconds: number;
  /** In the current window; calls in flight count once they are charged. */
  readonly used: number;
  /** When the policy will have room again, in milliseconds since 1970; null if it has room now. */
  readonly spentUntil: number | null;
}

type Verdict = Refusal | Admission | undefined | void;

export interface PluginHooks {
  /**
   * The parts of a request's body to read before `onRequest`: a list, or a function of the request if they depend on it
   * (gateway thread; if it fails, nothing is read). If no plugin needs a part, bodies are streamed.
   */
  readonly needs?: readonly BodyNeed[] | ((request: GatewayRequest) => readonly BodyNeed[]);
  /**
   * Gateway thread, for every request, before the cache and the target: decides whether the request is allowed. Returning
   * nothing allows it. If the hook throws or takes over 250 ms, the request fails with 500 `plugin_failed`.
   */
  onRequest?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, right before the target is called, but not for a cached response: count requests here. Returns and fails
   * like `onRequest`.
   */
  onForward?(request: GatewayRequest): Verdict | Promise<Verdict>;
  /**
   * Gateway thread, once for every request for which `onForward` was called, when its response has ended, also if this
   * plugin or another one refused the request. Undo counts here if the `outcome` is `refused` or the request was not
   * forwarded. At the unified address it is also called once per call, with the call's id and the id of the record that
   * holds its usage.
   */
  onEnd?(end: RequestEnd): void;
  /**
   * Gateway thread, once for every record, when the client has its response and the record is in the database: within a
   * second of the end. It cannot delay or change the response; its return value is added to the record. If it throws or
   * takes over 250 ms, nothing is added and the failure is counted.
   */
  onAnswer?(answer: GatewayAnswer): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /** Recorder thread, before the record is stored. `false` drops the record. */
  onRecord?(draft: RecordDraft): false | undefined | void | Promise<false | undefined | void>;
  /**
   * Recorder thread, once for every record, after it is in the database: the place for checks in code. It sees both bodies
   * in full and delays no request; its return value is added to the record. If it throws or takes over 250 ms, nothing is
   * added and the failure is counted.
   */
  onRecorded?(draft: Readonly<RecordDraft>): AnswerNote | undefined | void | Promise<AnswerNote | undefined | void>;
  /**
   * The plugin's API endpoints, in the gateway's thread. The list is read when the service starts; a reloaded plugin serves
   * them immediately.
   */
  readonly routes?: readonly PluginRoute[];
  /**
   * This plugin's counters, by names such as `spans_dropped`; `/metrics` shows them for each thread. Counts only increase;
   * called whenever the metrics are read.
   */
  counters?(): Readonly<Record<string, number>>;
  /**
   * Gateway thread: this plugin's counts of a credential's limit. The call itself counts nothing; it is made when a route is
   * explained or health is shown.
   */
  limitsOf?(credential: PayingCredential): readonly LimitUse[];
  /**
   * Gateway thread: whether the plugin allows every request of a kind as it is, until its `store` changes. If all plugins with a
   * hook for requests do, further gateway threads pass such requests on without a call of `onRequest`, `onForward` and `onEnd`.
   * Without this hook they call the plugin for each request.
   */
  admits?(kind: RequestKind): boolean;
  /** Gateway thread, within milliseconds: so many requests were passed on because of `admits`. */
  onAdmitted?(kind: RequestKind, requests: number): void;
  /** Called once when the plugin is unloaded. */
  dispose?(): void | Promise<void>;
}

/** One API endpoint; its response has the API's envelope. */
export interface PluginRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/v1/`, with `:name` for a variable segment, such as `/v1/domains/:domain/verify`. */
  readonly path: string;
  /**
   * The scope that the caller's key needs; `admin` implies the others. `figures` is for data without request bodies, and
   * `read` implies it.
   */
  readonly scope: "figures" | "read" | "write" | "admin";
  readonly summary: string;
  /** JSON Schema of the body; without it the route accepts none. */
  readonly body?: Json;
  /** Handles one call within 10 s. If it throws, the response is a 500. */
  handle(call: RouteCall): RouteAnswer | Promise<RouteAnswer>;
}

export interface RouteCall {
  /** The variable segments, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON that matches the route's schema. */
  readonly body: Json;
  readonly caller: RouteCaller;
}

export interface RouteCaller {
  /** Undefined for the command line on the same machine. */
  readonly organizationId: string | undefined;
  /** Name of the key, or "command line". */
  readonly name: string;
  readonly admin: boolean;
  /** Whether the caller belongs to the operator's organization, which is the first one. */
  readonly operator: boolean;
}

/** `path` names the wrong member of the body. */
export type RouteAnswer =
  | { readonly data: Json }
  | {
      readonly status: number;
      /** The code for programs, such as `not_found`; the default follows from the status. */
      readonly code?: string;
      readonly message: string;
      readonly path?: string;
    };

/** @typeParam Options - the type that `optionsSchema` describes. */
export interface PluginContext<Options = Json> {
  /** Its table `[plugins.<name>]`, validated, with the schema's defaults filled in. */
  readonly options: Options;
  readonly log: PluginLog;
  /** Only in the gateway's thread; in the recorder's thread it is undefined. */
  readonly gateway?: GatewayAccess;
}

/**
 * A plugin. All state lives inside `setup`. Life cycle:
 *
 * 1. The file is loaded in a throw-away thread, within 2 s; then in the gateway's and in the recorder's thread.
 * 2. `setup` runs once in each of the two, with `gateway` in the first one only, within 5 s. A failure at startup stops the
 *    service; after a reload, the previous version stays.
 * 3. For each request `needs` is evaluated, the body is read as needed, then `onRequest`, then the cache, then `onForward`:
 *    in the gateway's thread, built-in plugins first, then by file name. 250 ms each; a failure refuses the request (500
 *    `plugin_failed`), and the first refusal ends it. Recording has begun by then.
 * 4. When the response has ended, `onEnd` runs in the gateway's thread. A failure is counted.
 * 5. Within a second of the end, `onRecord` and, once that is committed, `onRecorded` run in the recorder's thread: both
 *    bodies are complete there, streams folded. 250 ms each; a failure leaves the record as it was before the hook. The
 *    return value of `onRecorded` is in the record within another second.
 * 6. Then `onAnswer` runs in the gateway's thread, where the state of `onRequest` is: it sees the response as recorded. Its
 *    limits and failures are those of `onEnd`; its return value is in the record within another second.
 * 7. A hook that blocks its thread three times in a row is switched off for a minute; `/readyz` reports it.
 * 8. When the file changes, the new version is set up first; then `dispose` of the old one runs, within 5 s. Options are
 *    read only at the start of the service.
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

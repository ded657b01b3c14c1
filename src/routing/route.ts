/** The owner's own name for one or more targets. */
export interface Route {
  /** 1 to 100 characters without comma, space and leading `!`; one `*` makes it a pattern. */
  readonly name: string;
  /** Undefined for a route of `weir.toml`, which applies to every organization. */
  readonly organizationId: string | undefined;
  readonly source: "file" | "stored";
  /** 1 to 20, in the order in which they were written. */
  readonly targets: readonly RouteTarget[];
  readonly strategy: "order" | "weighted" | "cheapest" | "fastest";
  readonly sticky: "session" | "user" | "none" | `property:${string}`;
  /** Retries of each target unless the request sets them, 0 to 5. */
  readonly retries: number;
  /** Seconds to a target's response headers, and in a stream to its first content; undefined for the gateway's own limit. */
  readonly timeoutSeconds: number | undefined;
  readonly description: string | undefined;
}

export interface RouteTarget {
  /** A model string's name: `provider/model`, a bare model, or another route, with `*` as in the route's name. */
  readonly model: string;
  /** For `weighted`; 0 means fallback only. */
  readonly weight: number;
  /** Members set in the client's body before translation; null removes one. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Failures before this target that lead here; undefined for the default list. */
  readonly on: readonly (number | string)[] | undefined;
  readonly when: RouteCondition | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** The conditions for a target; `*` stands for any text in the patterns. */
export interface RouteCondition {
  /** Id or name of the service key. */
  readonly key?: readonly string[];
  readonly user?: readonly string[];
  /** Patterns by property name. */
  readonly properties?: Readonly<Record<string, readonly string[]>>;
  readonly needs?: readonly Need[];
  /** Estimated tokens of the input. */
  readonly maxInputTokens?: number;
  readonly minInputTokens?: number;
}

/** The features that a request needs from a model. */
export type Need = "tools" | "images" | "files" | "audio" | "json_schema" | "reasoning";

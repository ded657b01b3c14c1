import type { Json } from "./json.ts";
import type { ModelFacts, Shape } from "./shape.ts";

/** Built-in shapes. */
export type ShapeName =
  | "chat-completions"
  | "responses"
  | "messages"
  | "completions"
  | "generate-content"
  | "converse"
  | "cohere-chat"
  | "ollama-chat"
  | "embeddings";

/** How a provider is called with a stored credential at the unified address. */
export interface Endpoints {
  /** Prefix of `/chat/completions` and the like; default `/v1`. A credential's `base_url` with a path replaces it. */
  readonly basePath?: string;
  /** Origin of a call if it depends on the credential, for example on its region; default `target`. */
  readonly origin?: (call: EndpointCall) => string;
  /**
   * Its APIs, in order of preference; never inherited by `extends`. If missing: `chat-completions` and `embeddings` for a
   * provider that extends OPENAI; otherwise none, and the provider is not reachable at the unified address.
   */
  readonly shapes?: readonly (ShapeName | ShapeAt)[];
  /** Headers of every call, in lower case. A client's header of the same name takes precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a call carries the credential; default `bearer`. */
  readonly auth?: Auth;
  /** The members of a credential; default one secret, `api_key`. */
  readonly credential?: CredentialForm;
  /** Facts about its models. Facts of several matching entries are merged; later entries win. */
  readonly models?: readonly (ModelEntry | ModelsOf)[];
  /** Address of its list of models. */
  readonly listModels?: ModelList;
}

/** One shape at a provider-specific path, or only for some of its models. */
export interface ShapeAt {
  readonly shape: ShapeName | Shape;
  /** Path of a call, below the origin; default the base path plus the shape's usual path. */
  readonly path?: (call: EndpointCall) => string;
  /** Whether it applies to this call; default always. */
  readonly serves?: (call: EndpointCall) => boolean;
  /** Path that counts the tokens of a request in this shape. */
  readonly countPath?: (call: EndpointCall) => string;
  /** Additional headers of its calls, in lower case. A client's header of the same name takes precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Messages: whether conversations are stored for `thread`. Elsewhere a request that continues one is a 404. */
  readonly threads?: true;
  /** Messages: the values of `anthropic-beta` that it takes, with its own names; others are left out. Default all. */
  readonly betas?: Readonly<Record<string, string>>;
  readonly place?: Place;
}

/** Differences of a platform that carries another vendor's API. */
export interface Place {
  /** The model is in the path; the body has no `model`. */
  readonly modelInPath?: true;
  /** Value of the body's member `anthropic_version`; the header with that name is not sent. */
  readonly version?: string;
  /** The header `anthropic-beta` becomes the body's member `anthropic_beta`. */
  readonly betasInBody?: true;
  /** Streaming is chosen by the path; the body has no `stream`. */
  readonly streamInPath?: true;
  /** Images and files by address are refused: translated requests carry their bytes. */
  readonly bytesOnly?: true;
  /** Responses are not stored: a request with `previous_response_id` gets the turns before it in full. */
  readonly stateless?: true;
  /** Streams come as AWS event-stream frames with base64 `bytes` around the vendor's own events. */
  readonly frames?: "aws";
}

/** The inputs of a path or an origin. */
export interface EndpointCall {
  /** Name of the model at the provider. */
  readonly model: string;
  readonly stream: boolean;
  /** The credential's settings, defaults filled in. */
  readonly settings: Readonly<Record<string, string>>;
  /** The names of the credential's secret members. */
  readonly secrets: readonly string[];
}

/**
 * `bearer`: `Authorization: Bearer` with the secret `api_key`, if there is one. `x-api-key` or another `header`: the bare
 * key. `sigv4`: an AWS signature, or a bearer token. `google`: `x-goog-api-key`, or a token of the service account. `azure`:
 * `api-key`, or a token of the tenant. A function creates the headers from the secrets; it is synchronous and may take one
 * second.
 */
export type Auth =
  | "bearer"
  | "x-api-key"
  | "sigv4"
  | "google"
  | "azure"
  | "none"
  | { readonly header: string }
  | ((call: EndpointCall, secrets: Readonly<Record<string, string>>) => Readonly<Record<string, string>>);

/** The members of a provider's credential. */
export interface CredentialForm {
  /** Names of its secret members. */
  readonly secret: readonly string[];
  /**
   * Sets of secret members of which one must be complete; default the first secret. An empty set means that no secret is
   * required.
   */
  readonly oneOf?: readonly (readonly string[])[];
  /** Other members, each with the JSON Schema of a string. `default` fills in a missing member. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Required settings. */
  readonly required?: readonly string[];
  /** Whether `base_url` is required, because the provider has no address of its own. */
  readonly baseUrl?: "required";
}

/** Facts about the models whose name matches `match`, in which `*` matches any text. */
export interface ModelEntry extends ModelFacts {
  readonly match: string;
}

/** The entries of another provider, for a platform that carries its models. */
export interface ModelsOf {
  /** Name of the provider. */
  readonly of: string;
  /** The prefix of the models' names at this provider, for example `*anthropic.`. */
  readonly before?: string;
}

export interface ModelList {
  /** Below the origin and the base path; with `fromOrigin`, directly below the origin, or a credential's own path. */
  readonly path: string;
  readonly fromOrigin?: true;
  readonly read: (body: Json) => readonly string[];
}

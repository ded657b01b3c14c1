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
  /** Before `/chat/completions` and the like; default `/v1`. A credential's `base_url` with a path replaces it. */
  readonly basePath?: string;
  /** Origin of a call if it depends on the credential, such as its region; else `target`. */
  readonly origin?: (call: EndpointCall) => string;
  /**
   * Its APIs, in order of preference; never inherited by `extends`. Missing: `chat-completions` and `embeddings` if it
   * extends OPENAI, else none, and then it is not reachable at the unified address.
   */
  readonly shapes?: readonly (ShapeName | ShapeAt)[];
  /** Headers of every call, unless the client sent one with that name. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a call carries the credential; default `bearer`. */
  readonly auth?: Auth;
  /** The form of a credential; default one secret, `api_key`. */
  readonly credential?: CredentialForm;
  /** Facts of its models. Those of several matching entries are merged, later ones first. */
  readonly models?: readonly (ModelEntry | ModelsOf)[];
  /** Where its list of models is. */
  readonly listModels?: ModelList;
}

/** One shape at a provider-specific path, or only for some of its models. */
export interface ShapeAt {
  readonly shape: ShapeName | Shape;
  /** Path of a call, below the origin; default the base path plus the usual path of the shape. */
  readonly path?: (call: EndpointCall) => string;
  /** Whether it applies to this call; default always. */
  readonly serves?: (call: EndpointCall) => boolean;
  /** Path at which it counts the tokens of a request in this shape. */
  readonly countPath?: (call: EndpointCall) => string;
  /** Headers of its calls beside the provider's, unless the client sent one with that name. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly place?: Place;
}

/** Differences of a platform that carries another vendor's API. */
export interface Place {
  /** The body has no `model`: it is in the path. */
  readonly modelInPath?: true;
  /** Value of the body's member `anthropic_version`; the header with that name is not sent. */
  readonly version?: string;
  /** The header `anthropic-beta` becomes the body's member `anthropic_beta`. */
  readonly betasInBody?: true;
  /** The body has no `stream`: it is in the path. */
  readonly streamInPath?: true;
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
 * `bearer`: `Authorization: Bearer` and the secret `api_key`, if there is one. `x-api-key`, or another `header`: the key by
 * itself. `sigv4`: signed for AWS, or the bearer. `google`: `x-goog-api-key`, or a token of the service account. `azure`:
 * `api-key`, or a token of the tenant. A function creates the headers from the secrets; it is synchronous and has a second.
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

/** The form of a provider's credential. */
export interface CredentialForm {
  /** Names of its secret members. */
  readonly secret: readonly string[];
  /** Sets of secret members of which one must be complete; default the first secret. An empty set: none required. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Other members, each with JSON Schema of a text. `default` fills in what is missing. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Required settings. */
  readonly required?: readonly string[];
  /** Whether `base_url` is required, because the provider has no address of its own. */
  readonly baseUrl?: "required";
}

/** Facts about models whose name matches `match`, in which `*` stands for any text. */
export interface ModelEntry extends ModelFacts {
  readonly match: string;
}

/** The entries of another provider, for a platform that carries its models. */
export interface ModelsOf {
  /** Name of the provider. */
  readonly of: string;
  /** The prefix of the models' names here, such as `*anthropic.`. */
  readonly before?: string;
}

export interface ModelList {
  /** Below the origin and the base path; with `origin: true` directly below the origin. */
  readonly path: string;
  readonly fromOrigin?: true;
  readonly read: (body: Json) => readonly string[];
}

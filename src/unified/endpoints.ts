import type { Shape } from "../plugin-host/contract.ts";
import type { ClientApi } from "./client-api.ts";

/** The operation of a request at the unified address. */
export type Endpoint =
  | {
      readonly kind: "generate" | "count" | "embeddings";
      /** The name of the client's shape. */
      readonly shape: string;
      readonly named: NamedInPath;
      /** The shape itself, if a drop-in brings it. */
      readonly own?: Shape;
    }
  | {
      readonly kind: "same";
      /** The path after the provider's base path; if it begins with a colon, it follows the model. */
      readonly path: string;
      readonly named: NamedInPath;
    }
  | {
      readonly kind: "stored";
      /** The provider's id of the response. */
      readonly id: string;
      readonly path: string;
    }
  | { readonly kind: "models" }
  | { readonly kind: "model"; readonly id: string };

/** The API that a client of this endpoint speaks. */
export const apiOf = (endpoint: Extract<Endpoint, { readonly shape: string }>): ClientApi =>
  endpoint.own ?? endpoint.shape;

/** Values from the path. */
interface NamedInPath {
  readonly model?: string;
  /** Counts if the body names no model. */
  readonly deployment?: string;
  readonly stream?: boolean;
}

interface EndpointRule {
  readonly method: RegExp;
  /** Matches the end of the path, without its query; anything before it is ignored. */
  readonly path: RegExp;
  readonly read: (found: RegExpExecArray, path: string) => Endpoint | undefined;
}

const POST = /^POST$/;
const GET = /^(?:GET|HEAD)$/;

const generating = (shape: string) => (found: RegExpExecArray, path: string) =>
  ({ kind: "generate", shape, named: deployment(found, path) }) as const;

const same = (found: RegExpExecArray, path: string): Endpoint => ({
  kind: "same",
  path: found[0],
  named: deployment(found, path),
});

const GOOGLE_METHODS: Readonly<Record<string, Pick<Extract<Endpoint, { shape: string }>, "kind" | "shape">>> = {
  generateContent: { kind: "generate", shape: "generate-content" },
  streamGenerateContent: { kind: "generate", shape: "generate-content" },
  countTokens: { kind: "count", shape: "generate-content" },
};

/** Methods of Google's that no other provider has. */
const GOOGLE_SAME: ReadonlySet<string> = new Set(["embedContent", "batchEmbedContents", "predict"]);

/** The first rule with a matching method and path applies. */
const RULES: readonly EndpointRule[] = [
  { method: POST, path: /\/chat\/completions$/, read: generating("chat-completions") },
  { method: POST, path: /\/messages\/count_tokens$/, read: () => ({ kind: "count", shape: "messages", named: {} }) },
  { method: POST, path: /\/messages$/, read: generating("messages") },
  { method: POST, path: /\/responses\/input_tokens$/, read: () => ({ kind: "count", shape: "responses", named: {} }) },
  { method: POST, path: /\/responses\/compact$/, read: same },
  { method: POST, path: /\/responses$/, read: generating("responses") },
  { method: POST, path: /\/completions$/, read: generating("completions") },
  {
    method: POST,
    path: /\/embeddings$/,
    read: (found, path) => ({ kind: "embeddings", shape: "embeddings", named: deployment(found, path) }),
  },
  // A model's name may have colons of its own.
  { method: POST, path: /\/models\/(.+):([a-zA-Z]+)$/, read: google },
  // The AI SDK and LangChain put no `models/` before a name with a slash.
  { method: POST, path: /\/v1(?:alpha|beta)?\/([^/]+\/.+):([a-zA-Z]+)$/, read: google },
  {
    method: POST,
    path: /\/(?:images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations)|moderations|rerank)$/,
    read: same,
  },
  { method: POST, path: /\/responses\/([^/]+)\/cancel$/, read: stored },
  { method: /^(?:GET|HEAD|DELETE)$/, path: /\/responses\/([^/]+)$/, read: stored },
  { method: GET, path: /\/responses\/([^/]+)\/input_items$/, read: stored },
  { method: GET, path: /\/models$/, read: () => ({ kind: "models" }) },
  { method: GET, path: /\/models\/(.+)$/, read: (found) => ({ kind: "model", id: decoded(found[1]!) }) },
];

function google(found: RegExpExecArray): Endpoint | undefined {
  const model = decoded(found[1]!);
  const method = found[2]!;
  if (Object.hasOwn(GOOGLE_METHODS, method))
    return { ...GOOGLE_METHODS[method]!, named: { model, stream: method === "streamGenerateContent" } };
  return GOOGLE_SAME.has(method) ? { kind: "same", path: `:${method}`, named: { model } } : undefined;
}

function stored(found: RegExpExecArray): Endpoint {
  return { kind: "stored", id: decoded(found[1]!), path: found[0] };
}

/** Paths that clients use repeatedly, without those that have a query, which may hold a key. */
const posted = new Map<string, Endpoint>();
const POSTED_MAX = 1_000;
const PATH_LENGTH_MAX = 200;

/**
 * @param path - with its query.
 * @param shapes - of drop-ins. Built-in endpoints have precedence over theirs.
 * @returns undefined if the unified address has no such endpoint.
 */
export function endpointOf(method: string, path: string, shapes: readonly Shape[] = []): Endpoint | undefined {
  return builtInEndpoint(method, path) ?? (method === "POST" ? endpointOfShape(path, shapes) : undefined);
}

function endpointOfShape(path: string, shapes: readonly Shape[]): Endpoint | undefined {
  const own = shapes.find(({ endpoint }) => endpoint !== undefined && plainPath(path).search(endpoint) >= 0);
  return own && { kind: "generate", shape: own.name, named: {}, own };
}

function builtInEndpoint(method: string, path: string): Endpoint | undefined {
  if (method !== "POST" || path.length > PATH_LENGTH_MAX || path.includes("?")) return findEndpoint(method, path);
  const known = posted.get(path);
  if (known !== undefined) return known;
  const found = findEndpoint(method, path);
  if (found === undefined) return undefined;
  if (posted.size >= POSTED_MAX) posted.clear();
  // A copy, because a substring would keep the entire head in memory.
  posted.set(Buffer.from(path, "latin1").toString("latin1"), found);
  return found;
}

function findEndpoint(method: string, path: string): Endpoint | undefined {
  const plain = plainPath(path);
  for (const rule of RULES) {
    const found = rule.method.test(method) ? rule.path.exec(plain) : null;
    if (found !== null) return rule.read(found, plain);
  }
  return undefined;
}

function plainPath(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

/** Azure's older paths name a deployment; SDKs do not encode the slash in it. */
function deployment(found: RegExpExecArray, path: string): NamedInPath {
  const name = /\/openai\/deployments\/(.+)$/.exec(path.slice(0, found.index))?.[1];
  return name === undefined ? {} : { deployment: decoded(name) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

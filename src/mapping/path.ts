const BEHIND_PATH = /[?#]/;

/** A path without its query string and without a trailing slash, which some clients add and servers ignore. */
export function barePath(path: string): string {
  const end = path.search(BEHIND_PATH);
  const bare = end < 0 ? path : path.slice(0, end);
  return bare.length > 1 && bare.endsWith("/") ? bare.slice(0, -1) : bare;
}

/** Paths that contain the model's name: the first group is the name. */
const MODEL_PLACES: readonly RegExp[] = [
  /\/(?:models|tunedModels)\/([^/]+):[A-Za-z]+$/, // Gemini, Vertex: models/<model>:generateContent
  /\/model\/([^/]+)\/[a-z-]+$/, // Bedrock: model/<model>/converse
  /\/deployments\/([^/]+)\//, // Azure: deployments/<deployment>/chat/completions
  /\/(?:ai\/run|workers-ai)\/(@.+)$/, // Cloudflare: ai/run/@cf/meta/<model>, through its gateway workers-ai/@cf/meta/<model>
  /\/hf-inference\/models\/([^/]+\/[^/:]+)/, // Hugging Face: hf-inference/models/<owner>/<model>
  /^\/models\/([^/:]+(?:\/[^/:]+)?)$/, // Hugging Face's older paths: models/<owner>/<model>
  /\/serving-endpoints\/([^/]+)\/invocations$/, // Databricks: serving-endpoints/<model>/invocations
  /\/v1\/inference\/(.+)$/, // DeepInfra: inference/<owner>/<model>
  /\/v1\/models\/([^/]+\/[^/]+)\/predictions$/, // Replicate: models/<owner>/<model>/predictions
];

/** Longer paths contain no model, and the patterns would check each character many times. */
const PATH_LENGTH_MAX = 8_192;

/** Realtime sessions have no body: OpenAI `?model=`, Azure `?deployment=`. */
const MODEL_IN_QUERY = /\/realtime\?(?:[^#]*&)?(?:model|deployment)=([^&#]+)/;

/**
 * The model in a path, with or without its query string; percent-decoded. Undefined for a GET, which concerns a model but
 * does not use it.
 */
export function modelInPath(method: string, path: string): string | undefined {
  if (path.length > PATH_LENGTH_MAX) return undefined;
  const model = MODEL_IN_QUERY.exec(path)?.[1];
  if (model !== undefined) return decoded(model);
  if (method === "GET") return undefined;
  const bare = barePath(path);
  for (const place of MODEL_PLACES) {
    const found = place.exec(bare)?.[1];
    if (found !== undefined) return decoded(found);
  }
  return undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const BILLED_ELSEWHERE =
  /\/(?:count_tokens|input_tokens|cancel|tokenize|detokenize|estimate-token-count)$|:(?:countTokens|computeTokens)$|\/batches(?:\/|$)|\/chat\/completions\/[^/]+$|\/count-tokens$/;

/**
 * Calls whose responses may contain counts that were billed elsewhere or not at all: reading a stored response, changing its
 * metadata, counting tokens, cancelling, batches.
 */
export function isBilledElsewhere(method: string, path: string): boolean {
  if (method !== "POST" && method !== "PUT" && method !== "PATCH") return true;
  return BILLED_ELSEWHERE.test(path);
}

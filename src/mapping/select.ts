import type { Json, PathSchema, StreamEvent, WireSchemaName } from "../plugin-host/contract.ts";
import { isObject, type JsonObject } from "./json.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";
import type { WireSchema } from "./wire-schema.ts";

interface SelectInput {
  /** Path without its query string. */
  readonly path: string;
  /** The provider's declared schemas, in its order. */
  readonly declared: readonly PathSchema[] | undefined;
  /** Whether the provider has its own mapping for other paths. */
  readonly isMapped: boolean;
  readonly requestBody: Json;
  /** The response, or the content of the first events of a stream. */
  readonly responseBody: Json;
}

/**
 * The wire schema of an exchange: the one that the provider declares for the path; otherwise, unless the provider has a
 * matching mapping, the known one that matches both path and bodies; otherwise none, and the model's mapping is pending.
 */
export function selectSchema({
  path,
  declared,
  isMapped,
  requestBody,
  responseBody,
}: SelectInput): WireSchema | undefined {
  const candidates = declared === undefined ? [] : candidatesAt(path, declared);
  if (candidates.length > 0) {
    for (const schema of candidates) if (schema.fits(requestBody, responseBody)) return schema;
    return candidates.at(-1);
  }
  if (isMapped) return undefined;
  for (const schema of ALL) if (schema.path.test(path) && schema.fits(requestBody, responseBody)) return schema;
  for (const schema of sharedPath(path, requestBody)) if (schema.fits(requestBody, responseBody)) return schema;
  return undefined;
}
const ALL = Object.values(WIRE_SCHEMAS);

const INVOKED = ["converse", "messages", "chat-completions", "text-generation"] as const;
const HOSTED = ["chat-completions", "text-generation"] as const;

/** Paths shared by several formats, for all providers: the bodies decide. */
const SHARED_PATHS: readonly (readonly [
  path: RegExp,
  schemas: readonly WireSchemaName[],
  asks: (body: Json) => boolean,
])[] = [
  // Bedrock behind a custom address: each vendor's own format.
  [/\/model\/[^/]+\/invoke(?:-with-response-stream)?$/, INVOKED, isObject],
  // Replicate's streams and stored predictions; files use the path of streams too.
  [/\/(?:files|streams?|predictions)\/[^/]+$/, ["text-generation"], () => true],
  // SageMaker, and Text Generation Inference at its root.
  [
    /^\/$|\/invocations(?:-response-stream)?$/,
    HOSTED,
    (body) => isPrompt(body?.inputs) || Array.isArray(body?.messages),
  ],
];
const isPrompt = (value: Json) => typeof value === "string" && value !== "";

function sharedPath(path: string, body: Json): readonly WireSchema[] {
  const found = SHARED_PATHS.find(([pattern, , asks]) => pattern.test(path) && asks(body));
  return found?.[1].map((name) => WIRE_SCHEMAS[name]) ?? [];
}

/** Maximum paths with cached candidates, per provider; the oldest one is evicted. */
const PATHS_MAX = 100;
const PATH_LENGTH_MAX = 200;
const known = new WeakMap<readonly PathSchema[], Map<string, readonly WireSchema[]>>();

/** The schemas that a provider declares for a path; cached, because nearly all traffic goes to two or three paths. */
function candidatesAt(path: string, declared: readonly PathSchema[]): readonly WireSchema[] {
  const paths = known.get(declared) ?? new Map<string, readonly WireSchema[]>();
  known.set(declared, paths);
  const remembered = paths.get(path);
  if (remembered !== undefined) return remembered;
  const found = declared
    .filter((entry) => entry.path.test(path) && Object.hasOwn(WIRE_SCHEMAS, entry.schema))
    .map((entry) => WIRE_SCHEMAS[entry.schema]);
  if (path.length > PATH_LENGTH_MAX) return found;
  if (paths.size >= PATHS_MAX) paths.delete(paths.keys().next().value!);
  paths.set(path, found);
  return found;
}

/** Maximum events that are checked to identify a stream. */
const SAMPLE_EVENTS = 3;

/**
 * The first events as one object for comparison. For `type` and the like the first value counts, because it identifies the
 * stream.
 */
export function sampleOf(events: readonly StreamEvent[]): Json {
  const sample: JsonObject = {};
  for (const { name, data } of events.slice(0, SAMPLE_EVENTS).reverse()) {
    if (isObject(data)) Object.assign(sample, filled(data));
    else if (name === "output") sample.output = data;
  }
  return sample;
}

/** Some providers send empty members first. */
const filled = (data: Json) =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== "" && value !== null));

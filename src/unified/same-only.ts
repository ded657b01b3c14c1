import { isObject, listOf, parseJson, utf8Of } from "../mapping/json.ts";
import type { EndpointCall, Json, ProviderPlugin, ShapeAt } from "../plugin-host/contract.ts";
import { CUSTOM } from "../routing/custom.ts";
import { type Description, NOTHING_DESCRIBED } from "./describe.ts";
import { boundaryOf, formFields, withField, withoutField } from "./form.ts";
import type { Outbound } from "./outbound.ts";
import { withMembers } from "./top-level.ts";

/** A request for an endpoint that no other shape has. Plain data: it crosses threads. */
export interface SameOnlyRequest {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** The path after the base path; if it begins with a colon, it follows the model. */
  readonly endpoint: string;
  readonly model: string;
  /** Members that the target sets; null removes one. */
  readonly changes: Readonly<Record<string, Json>>;
  /** Members that only route. */
  readonly routing: readonly string[];
}

/** Whether its body is parsed, which is slow: other bodies only need a byte scan. */
export const isParsed = ({ endpoint }: SameOnlyRequest): boolean => isOfGoogle(endpoint);

const isOfGoogle = (endpoint: string) => endpoint.startsWith(":");

type SameOnlyPlace = Pick<ShapeAt, "headers" | "place"> & { readonly path: (call: EndpointCall) => string };

/** Describes a form, whose fields correspond to the members of a JSON body. @returns undefined if it is not a form. */
export function describeForm(body: Uint8Array, contentType: string): Description | undefined {
  const boundary = boundaryOf(contentType);
  const fields = boundary === undefined ? undefined : formFields(body, boundary);
  if (fields === undefined) return undefined;
  const fieldOf = (name: string) => fields.findLast((field) => field.name === name)?.value.trim() || undefined;
  return {
    ...NOTHING_DESCRIBED,
    model: fieldOf("model"),
    stream: fieldOf("stream") === "true",
    user: fieldOf("user"),
  };
}

type Schemas = NonNullable<ProviderPlugin["wireSchemas"]>;

/** The paths of a provider with a known wire format. A self-hosted server is treated like OpenAI. */
export function pathSchemasOf(provider: ProviderPlugin, named: (name: string) => ProviderPlugin | undefined): Schemas {
  return (provider === CUSTOM ? named("OPENAI") : provider)?.wireSchemas ?? [];
}

/**
 * The path of an untranslated endpoint at a provider: below the base path of its chat completions, or next to Gemini's other
 * methods.
 *
 * @param shapes - the shapes that it speaks in this call.
 * @param schemas - the paths with a known wire format, as in pass-through.
 * @returns undefined if it has none.
 */
export function sameOnlyPlace(
  provider: ProviderPlugin,
  { shapes, schemas, call }: { shapes: readonly ShapeAt[]; schemas: Schemas; call: EndpointCall },
  endpoint: string,
): SameOnlyPlace | undefined {
  const isGoogle = isOfGoogle(endpoint);
  const neighbour = shapes.find(({ shape }) => shape === (isGoogle ? "generate-content" : "chat-completions"));
  if (isGoogle && neighbour?.path === undefined) return undefined;
  const path = (of: EndpointCall): string => {
    const theirs = neighbour?.path?.(isGoogle ? { ...of, stream: false } : of);
    if (isGoogle) return theirs!.replace(/:generateContent$/, endpoint);
    if (theirs === undefined) return (provider.basePath ?? "/v1") + endpoint;
    return theirs.replace("/chat/completions", endpoint);
  };
  const found = path(call).split("?")[0]!;
  if (!schemas.some((schema) => schema.path.test(found))) return undefined;
  return { path, ...(neighbour?.headers !== undefined && { headers: neighbour.headers }) };
}

/** The client's own bytes with the target's model. @returns undefined if they are neither a JSON object nor a form. */
export function sameOnlyBody(request: SameOnlyRequest): Uint8Array | undefined {
  const { body, contentType, model, changes } = request;
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return writeJson(request);
  return Object.entries(changes).reduce<Uint8Array | undefined>(
    (form, [name, value]) => {
      if (form === undefined) return undefined;
      if (value === null) return withoutField(form, boundary, name);
      return withField(form, boundary, name, typeof value === "string" ? value : JSON.stringify(value));
    },
    withField(body, boundary, "model", model),
  );
}

/** The result. @param written - see `sameOnlyBody`. */
export const asSameOnly = (at: SameOnlyPlace, written: Uint8Array | undefined): Outbound =>
  written === undefined
    ? { kind: "invalid", loss: { kind: "invalid", path: "", why: "the body must be a JSON object or a form" } }
    : { kind: "same", at, body: written, addsUsage: false };

function writeJson({ body, endpoint, model, changes, routing }: SameOnlyRequest) {
  const removed = new Set(routing);
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) removed.add(name);
    else set[name] = JSON.stringify(value);
  }
  if (!isOfGoogle(endpoint)) set["model"] = JSON.stringify(model);
  else Object.assign(set, googleModels(body, model));
  return withMembers(body, set, removed);
}

/** Google's bodies repeat the model of the path, and must match it. */
function googleModels(body: Uint8Array, model: string): Record<string, string> {
  const parsed = parseJson(utf8Of(body));
  if (!isObject(parsed)) return {};
  const name = `models/${model}`;
  const requests = listOf(parsed["requests"]);
  return {
    ...(parsed["model"] !== undefined && parsed["model"] !== name && { model: JSON.stringify(name) }),
    ...(requests.some((each) => each?.model !== undefined && each.model !== name) && {
      requests: JSON.stringify(
        requests.map((each) => (isObject(each) && each["model"] !== undefined ? { ...each, model: name } : each)),
      ),
    }),
  };
}

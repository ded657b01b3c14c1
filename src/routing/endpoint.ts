import type {
  EndpointCall,
  ModelEntry,
  ModelFacts,
  ProviderPlugin,
  ShapeAt,
  ShapeName,
} from "../plugin-host/contract.ts";
import type { Credential } from "./credential.ts";
import { fits } from "./pattern.ts";

/** Paths below the base path, for providers without their own paths. */
const USUAL_PATHS: Readonly<Partial<Record<ShapeName, string>>> = {
  "chat-completions": "/chat/completions",
  responses: "/responses",
  messages: "/messages",
  completions: "/completions",
  embeddings: "/embeddings",
};

/** The destination of a call. */
interface Endpoint {
  /** Without a path. */
  readonly origin: string;
  /** With the query, if there is one. */
  readonly path: string;
}

/** The shapes of a provider, in its order; empty if it is not reachable with stored credentials. */
export function shapesOf(provider: ProviderPlugin): readonly ShapeAt[] {
  let spoken = shapes.get(provider);
  if (spoken === undefined) {
    const { name, extends: parent } = provider;
    const usual: readonly ShapeName[] =
      name === "OPENAI" || parent === "OPENAI" ? ["chat-completions", "embeddings"] : [];
    spoken = (provider.shapes ?? usual).map((each) => (typeof each === "string" ? { shape: each } : each));
    shapes.set(provider, spoken);
  }
  return spoken;
}

/** By provider; a reloaded one is a new object. */
const shapes = new WeakMap<ProviderPlugin, readonly ShapeAt[]>();

/** The shapes that it speaks in this call. */
export function shapesFor(provider: ProviderPlugin, call: EndpointCall): readonly ShapeAt[] {
  return shapesOf(provider).filter(({ serves }) => serves === undefined || serves(call));
}

/** The call that paths and origins may depend on. @param credential - undefined for the client's own key. */
export function callOf(
  provider: ProviderPlugin,
  credential: Credential | undefined,
  { model, stream }: { readonly model: string; readonly stream: boolean },
): EndpointCall {
  const { settings, secrets } = payingSide(provider, credential);
  return { model, stream, settings: { ...settings }, secrets: [...secrets] };
}

/** The parts of a call that come from its credential. */
type PayingSide = Pick<EndpointCall, "settings" | "secrets">;

/** By provider and credential; a reloaded or changed one is a new object. */
const payingSides = new WeakMap<ProviderPlugin, WeakMap<object, PayingSide>>();
const NO_CREDENTIAL = {};

function payingSide(provider: ProviderPlugin, credential: Credential | undefined): PayingSide {
  let ofProvider = payingSides.get(provider);
  if (ofProvider === undefined) {
    ofProvider = new WeakMap();
    payingSides.set(provider, ofProvider);
  }
  let side = ofProvider.get(credential ?? NO_CREDENTIAL);
  if (side === undefined) {
    side = readPayingSide(provider, credential);
    ofProvider.set(credential ?? NO_CREDENTIAL, side);
  }
  return side;
}

function readPayingSide({ credential: form }: ProviderPlugin, credential: Credential | undefined): PayingSide {
  const settings: Record<string, string> = {};
  for (const [name, schema] of Object.entries(form?.settings ?? {})) {
    if (typeof schema?.default === "string") settings[name] = schema.default;
  }
  const project = projectOf(credential);
  if (project !== undefined) settings["project"] = project;
  return { settings: { ...settings, ...credential?.settings }, secrets: Object.keys(credential?.secrets ?? {}) };
}

/** The project that a service account belongs to. */
function projectOf(credential: Credential | undefined): string | undefined {
  const text = credential?.secrets?.["service_account"];
  if (text === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(text)?.project_id;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined; // the call will report that the account cannot be read
  }
}

/** @returns undefined if the provider has no address for this call: its credential must name one. */
export function originOf(provider: ProviderPlugin, credential: Credential | undefined, call: EndpointCall) {
  const own = credential && ownAddress(credential);
  if (own !== undefined) return own.origin;
  return provider.origin?.(call) ?? provider.target;
}

/** The destination of a call in this shape; undefined as for `originOf`, or if the shape has no usual path. */
export function endpointOf(
  provider: ProviderPlugin,
  { shape, path }: Partial<Pick<ShapeAt, "shape" | "path">>,
  credential: Credential | undefined,
  call: EndpointCall,
): Endpoint | undefined {
  const origin = originOf(provider, credential, call);
  if (origin === undefined) return undefined;
  const own = ownBasePath(credential);
  const usual = typeof shape === "string" ? USUAL_PATHS[shape] : undefined;
  if (path !== undefined) return { origin, path: own === undefined ? path(call) : rebased(path(call), provider, own) };
  return usual === undefined ? undefined : { origin, path: (own ?? provider.basePath ?? "/v1") + usual };
}

/** The address of a provider's list of models; undefined if there is none. */
export function modelListOf(provider: ProviderPlugin, credential: Credential | undefined): Endpoint | undefined {
  const { listModels } = provider;
  const origin = originOf(provider, credential, callOf(provider, credential, { model: "", stream: false }));
  if (listModels === undefined || origin === undefined) return undefined;
  const own = ownBasePath(credential);
  if (listModels.fromOrigin)
    return { origin, path: own === undefined ? listModels.path : rebased(listModels.path, provider, own) };
  return { origin, path: (own ?? provider.basePath ?? "/v1") + listModels.path };
}

/** The path of a credential's own address, without a slash at its end; undefined if it is only an origin. */
function ownBasePath(credential: Credential | undefined): string | undefined {
  const path = credential && ownAddress(credential)?.path;
  return path === "" ? undefined : path;
}

/** Addresses of credentials; a changed one is a new object. */
const addresses = new WeakMap<Credential, Endpoint>();

function ownAddress(credential: Credential): Endpoint | undefined {
  if (credential.baseUrl === undefined) return undefined;
  let address = addresses.get(credential);
  if (address === undefined) {
    const { origin, pathname } = new URL(credential.baseUrl);
    address = { origin, path: pathname.replace(/\/+$/, "") };
    addresses.set(credential, address);
  }
  return address;
}

/**
 * A provider's path, below a credential's base path instead of the provider's. A version at its end, such as `/v1beta` of
 * Google, is not repeated.
 */
function rebased(path: string, { basePath = "/v1" }: ProviderPlugin, own: string): string {
  const version = /^\/v\d[^/]*/.exec(path)?.[0];
  if (version !== undefined && own.endsWith(version)) return own + path.slice(version.length);
  return basePath !== "" && path.startsWith(`${basePath}/`) ? own + path.slice(basePath.length) : own + path;
}

/** Facts by provider and model; a reloaded provider is a new object. */
const remembered = new WeakMap<ProviderPlugin, Map<string, ModelFacts>>();
const REMEMBERED_MAX = 1_000;

/** The known facts about a model at a provider: all matching entries, later ones first. Repeated calls return the same object. */
export function factsOf(
  provider: ProviderPlugin,
  model: string,
  providerByName: (name: string) => ProviderPlugin | undefined,
): ModelFacts {
  const known = remembered.get(provider) ?? new Map<string, ModelFacts>();
  let facts = known.get(model);
  if (facts === undefined) {
    facts = mergedFacts(provider, model, providerByName);
    if (known.size >= REMEMBERED_MAX) known.clear();
    remembered.set(provider, known.set(model, facts));
  }
  return facts;
}

function mergedFacts(
  provider: ProviderPlugin,
  model: string,
  providerByName: (name: string) => ProviderPlugin | undefined,
): ModelFacts {
  const facts: Record<string, unknown> = {};
  for (const { match, ...entry } of entriesOf(provider, providerByName)) {
    if (fits(match, model)) Object.assign(facts, entry);
  }
  return facts;
}

/** A provider's own entries and those that it inherits, one level deep. */
export function entriesOf(
  { models = [] }: ProviderPlugin,
  providerByName: (name: string) => ProviderPlugin | undefined,
): readonly ModelEntry[] {
  return models.flatMap((each): readonly ModelEntry[] => {
    if (!("of" in each)) return [each];
    const others = providerByName(each.of)?.models ?? [];
    return others.flatMap((other) => ("of" in other ? [] : [{ ...other, match: (each.before ?? "") + other.match }]));
  });
}

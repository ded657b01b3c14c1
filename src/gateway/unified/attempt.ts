import type { FetchedFiles } from "../../mapping/translate/addresses.ts";
import type { CallMemories } from "../../mapping/translate/call-memory.ts";
import type { EndpointCall, Json, RequestChange, ShapeAt } from "../../plugin-host/contract.ts";
import { factsOf } from "../../routing/endpoint.ts";
import type { Candidate } from "../../routing/walk.ts";
import type { UpstreamRequest } from "../../runtime/http/upstream.ts";
import { after, type Soon } from "../../runtime/pending.ts";
import { authorize } from "../../unified/auth/authorize.ts";
import { asCount, type Converted, countPlaceOf, errorShapeOf, isOpenAiForm } from "../../unified/converted.ts";
import { apiOf } from "../../unified/endpoints.ts";
import { type Outbound, type Spoken, shapeNameOf } from "../../unified/outbound.ts";
import { asSameOnly, pathSchemasOf, sameOnlyPlace } from "../../unified/same-only.ts";
import type { Admitted } from "../admitted.ts";
import type { GatewayParts, RoutingParts } from "../gateway-parts.ts";
import { type RequestHeaders, replaceHeaders, valuesOf } from "../headers/headers.ts";
import { parseTarget } from "../target.ts";
import { queryWithoutKey } from "./address.ts";
import { type CallPlan, endpointCall, pairsOf, planOf, type Way, wayOf } from "./call-plan.ts";
import type { CountedCall } from "./counted-call.ts";
import { providerNamed } from "./provider-named.ts";
import type { UnifiedWork } from "./unified-work.ts";

/** A request that can be sent. */
export type Sendable = Extract<Outbound, { readonly kind: "same" | "translated" }> | Converted;

/** The result of writing a request for a candidate. */
export type Written =
  | Outbound
  | Converted
  /** Weir's own count, for a provider without one. */
  | { readonly kind: "estimate"; readonly tokens: number };

/** Whether the events of a stream are read here, rather than passed on as they are. */
export const readsStream = (sent: Sendable): boolean =>
  sent.kind === "translated" || (sent.kind === "same" && (sent.addsUsage || sent.at.place?.frames !== undefined));

/** A call that is ready to be made. */
export interface Attempt {
  readonly counted: CountedCall;
  /** Milliseconds spent translating the request. */
  readonly writtenMs: number;
  readonly candidate: Candidate;
  readonly issuer: string;
  /** The secrets in the request: a provider's error may repeat them. */
  readonly secrets: readonly string[];
  readonly outbound: Sendable;
  readonly request: UpstreamRequest;
  /** Further requests of a call that needs several. */
  readonly further: readonly UpstreamRequest[];
  readonly way: Way;
  /** For the record: path and query, without credentials. */
  readonly path: string;
}

/** The inputs for a candidate's body. */
export interface WriteParts {
  readonly parts: RoutingParts;
  readonly admitted: Pick<Admitted, "headers">;
  readonly work: UnifiedWork;
  readonly states: CallMemories;
  /** The turns before the body's own input, if the candidate cannot look them up. */
  readonly turns?: string | undefined;
  /** Files fetched so far; undefined if file fetching is off. */
  readonly files?: FetchedFiles | undefined;
  /** Members that the provider has reported as unsupported. */
  readonly without: readonly string[];
  /** The issuer whose state may be sent, if not the candidate's own. */
  readonly issuer: string | undefined;
  /** Plugins' changes to it. */
  readonly change: RequestChange | undefined;
}

export interface AttemptParts extends WriteParts {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  /** The client's own key, if it serves this candidate. */
  readonly ownKey: string | undefined;
}

/** The parts of an attempt that are known before it is addressed. */
type Begun = Pick<Attempt, "counted" | "writtenMs">;

/** Members set in the client's body: by the routes, overridden by plugins. */
function changesOf({ changes }: CallPlan, change: RequestChange | undefined): Readonly<Record<string, Json>> {
  return change?.body === undefined ? changes : { ...changes, ...change.body };
}

/** Writes the request for a candidate. Never throws for anything that a client sent. */
export function writeFor(candidate: Candidate, given: WriteParts): Soon<Written> {
  const { parts, work, states, without } = given;
  const { admission, body, description } = work;
  const { provider } = candidate.target;
  const { endpoint } = admission;
  if (endpoint.kind === "same") return writeSame(candidate, given, endpoint.path);
  const plan = planOf(candidate, description.stream);
  const { call, shapes: spoken } = plan;
  if (endpoint.kind === "stored") {
    const at = spoken.find((each) => shapeNameOf(each) === "responses")!;
    return { kind: "same", at, body, addsUsage: false };
  }
  const shape = "shape" in endpoint ? endpoint.shape : "";
  const isCount = endpoint.kind === "count";
  if (endpoint.kind === "embeddings") {
    const own = embeddingsFor(candidate, given, spoken);
    if (own !== undefined) return own;
  }
  const writing = parts.unified.translator.outbound({
    body,
    from: "shape" in endpoint ? apiOf(endpoint) : "",
    changes: changesOf(plan, given.change),
    routing: description.routing,
    stream: description.stream,
    call: {
      model: candidate.model,
      facts: factsOf(provider, candidate.model, (name) => providerNamed(parts.providers(), name)),
      issuer: given.issuer ?? plan.issuer,
    },
    shapes: isCount ? spoken.filter(({ countPath }) => countPath !== undefined) : spoken,
    sameOnly: admission.sameOnly,
    refuseLosses: admission.refuseLosses,
    hasState: description.hasState,
    hasInput: description.hasInput,
    askUsage: !description.wantsUsage && plan.wantsUsage,
    states,
    turns: given.turns,
    files: given.files,
    betas: betasOf(given.admitted.headers),
    without,
  });
  if (!isCount) return writing;
  return after(writing, (written): Soon<Written> => {
    const isFinal = written.kind === "invalid" || written.kind === "fetch";
    if (isFinal || (written.kind === "refused" && admission.sameOnly)) return written;
    return after(written.kind === "refused" ? undefined : countFor(given, written, { shape, call }), (counted) =>
      counted === undefined
        ? estimateFor(parts, work, given.turns).then((tokens) => ({ kind: "estimate", tokens }))
        : counted,
    );
  });
}

/** Turns a request for a response into one for its token count. @param asked - the client's shape, and the call. */
function countFor(
  { parts }: WriteParts,
  written: Extract<Outbound, { readonly kind: "same" | "translated" }>,
  { shape, call }: { readonly shape: string; readonly call: EndpointCall },
): Soon<Sendable | undefined> {
  // A platform's additions to a body do not belong in a count.
  if (written.kind === "same" && written.at.place === undefined) return written;
  const place = countPlaceOf(written.at as ShapeAt, call);
  if (place === undefined) return undefined;
  return after(parts.unified.translator.counted(written.body, place), (bytes) => asCount(written, shape, bytes));
}

/** Estimates the input tokens of a request for a provider without counting. @param turns - the turns before it. */
export async function estimateFor(
  { unified: { translator } }: RoutingParts,
  { body }: UnifiedWork,
  turns: string | undefined,
): Promise<number> {
  const earlier = turns === undefined ? 0 : await translator.count(Buffer.from(turns));
  return earlier + (await translator.count(body));
}

/** Embeddings in the provider's own form; undefined if it speaks OpenAI's. */
function embeddingsFor(
  candidate: Candidate,
  { parts, work, change }: WriteParts,
  spoken: readonly ShapeAt[],
): Soon<Written> | undefined {
  const at = spoken.find(({ shape }) => shape === "embeddings");
  const { admission, body } = work;
  if (at === undefined || admission.sameOnly) return undefined;
  const plan = planOf(candidate, false);
  const { call } = plan;
  const path = at.path?.(call) ?? "";
  if (isOpenAiForm(path)) return undefined;
  const writing = parts.unified.translator.embeddings({
    body,
    changes: changesOf(plan, change),
    path,
    model: call.model,
    refuseLosses: admission.refuseLosses,
  });
  return after(
    writing,
    (written): Written => (written.kind === "converted" ? { ...written, at, shape: errorShapeOf(spoken) } : written),
  );
}

/** An endpoint that is never translated: a target either has it or not. */
function writeSame(
  candidate: Candidate,
  { parts, admitted, work, change }: WriteParts,
  endpoint: string,
): Soon<Outbound> {
  const { provider } = candidate.target;
  const plan = planOf(candidate, false);
  const { call, shapes } = plan;
  const named = (name: string) => providerNamed(parts.providers(), name);
  const at = sameOnlyPlace(provider, { shapes, schemas: pathSchemasOf(provider, named), call }, endpoint);
  if (at === undefined)
    return {
      kind: "refused",
      loss: { kind: "refused", path: "", why: `the provider does not have ${endpoint}, which is not translated` },
    };
  const contentType = valuesOf(admitted.headers, "content-type")[0] ?? "";
  const changes = changesOf(plan, change);
  const { routing } = work.description;
  const request = { body: work.body, contentType, endpoint, model: candidate.model, changes, routing };
  return after(parts.unified.translator.sameOnly(request), (written) => asSameOnly(at, written));
}

function betasOf(headers: RequestHeaders): readonly string[] {
  const values = valuesOf(headers, "anthropic-beta");
  return values.length === 0 ? values : values.flatMap((value) => value.split(",").map((each) => each.trim()));
}

/** Addresses and signs a written request. @throws GatewayError `credential_rejected`. */
export function prepare(
  candidate: Candidate,
  outbound: Sendable,
  given: AttemptParts,
  { counted, writtenMs }: Begun,
): Soon<Attempt | undefined> {
  const { admitted, work, ownKey } = given;
  const credential = candidate.credential === "client" ? undefined : candidate.credential;
  const way = wayFor(candidate, outbound.at, work);
  if (way === undefined) return undefined;
  const path = outbound.kind === "same" ? joined(way.path, queryWithoutKey(admitted.request.incoming.url)) : way.path;
  const { endpoint } = work.admission;
  const method = endpoint.kind === "stored" ? admitted.request.incoming.method : "POST";
  const hasBody = method === "POST" || outbound.body.byteLength > 0;
  const secrets = credential?.secrets ?? (ownKey === undefined ? {} : { api_key: ownKey });
  const place: Place = { way, path, method, hasBody, secrets };
  const attemptWith = (request: UpstreamRequest, further: readonly UpstreamRequest[]): Attempt => ({
    counted,
    writtenMs,
    candidate,
    issuer: planOf(candidate, work.description.stream).issuer,
    outbound,
    request,
    further,
    way,
    path,
    secrets: secretsIn(request, place, given.change),
  });
  if (outbound.kind !== "converted" || outbound.bodies.length === 1)
    return after(requestFor(candidate, outbound, given, place), (request) => attemptWith(request, NONE));
  const requests = outbound.bodies.map((body) => requestFor(candidate, { ...outbound, body }, given, place));
  return Promise.all(requests).then(([first, ...further]) => attemptWith(first!, further));
}

/** Where a request goes, and which credential pays. */
interface Place {
  readonly way: Way;
  readonly path: string;
  readonly method: string;
  readonly hasBody: boolean;
  readonly secrets: Readonly<Record<string, string>>;
}

function requestFor(
  candidate: Candidate,
  outbound: Sendable,
  given: AttemptParts,
  { way, path, method, hasBody, secrets }: Place,
): Soon<UpstreamRequest> {
  const { body } = outbound;
  const target = parseTarget(way.origin);
  const requestWith = (auth: readonly string[]): UpstreamRequest => {
    const headers = headersFor(candidate, outbound, given, { way, authority: target.authority });
    for (const text of auth) headers.push(text);
    if (hasBody) headers.push("Content-Length", String(body.byteLength));
    const sent = given.change?.headers === undefined ? headers : replaceHeaders(headers, given.change.headers);
    const origin = target.upstream;
    if (hasBody) return { origin, method, path, headers: sent, framing: "length", body };
    return { origin, method, path, headers: sent, framing: "none" };
  };
  if (way.auth !== undefined) return requestWith(way.auth);
  const auth = authorize(given.parts.unified.tokens, {
    provider: candidate.target.provider,
    call: endpointCall(candidate, given.work.description.stream),
    secrets,
    shape: shapeNameOf(outbound.at),
    method,
    url: target.origin + path,
    contentType: "application/json",
    body,
  });
  return after(auth, (named) => requestWith(pairsOf(Object.entries(named))));
}

/** The keys as sent, and the tokens that a secret was exchanged for. */
function secretsIn({ headers }: UpstreamRequest, { way, secrets }: Place, change: RequestChange | undefined): string[] {
  const known = Object.values(secrets).filter((secret) => typeof secret === "string");
  if (way.auth !== undefined && change?.headers === undefined) return known;
  for (const value of headers) if (value.startsWith(BEARER)) known.push(value.slice(BEARER.length));
  return known;
}

const BEARER = "Bearer ";
const NONE: readonly UpstreamRequest[] = [];

/**
 * A provider's path with the client's query parameters. The provider's own come first, except `alt`: the client decides
 * whether Gemini streams events or a JSON list.
 */
function joined(path: string, query: string): string {
  const at = path.indexOf("?");
  if (at < 0) return path + query;
  const isOwn = (parameter: string) => parameter !== "" && decodedName(parameter) !== "alt";
  const own = path
    .slice(at + 1)
    .split("&")
    .filter(isOwn);
  const names = new Set(own.map(decodedName));
  const further = query.slice(1).split("&");
  const all = [...own, ...further.filter((each) => each !== "" && !names.has(decodedName(each)))];
  return all.length === 0 ? path.slice(0, at) : `${path.slice(0, at)}?${all.join("&")}`;
}

const decodedName = (parameter: string) => [...new URLSearchParams(parameter).keys()][0] ?? "";

/** Where a candidate's call goes; undefined if the provider lacks this endpoint. */
export function wayFor(candidate: Candidate, at: Spoken, { admission, description }: UnifiedWork): Way | undefined {
  const { endpoint } = admission;
  const plan = planOf(candidate, description.stream);
  const way = wayOf(candidate, plan, at, endpoint.kind === "count" ? "count" : "call");
  if (endpoint.kind !== "stored" || way === undefined) return way;
  // The path after `/responses` names the response; it goes before the provider's own query.
  const [before = "", ...query] = way.path.split("?");
  return {
    ...way,
    path: [before + endpoint.path.slice("/responses".length), ...query].join("?"),
    responders: new Map(),
  };
}

/** Client headers never sent to a provider, even in the same shape. */
const WITHHELD: ReadonlySet<string> = new Set([
  "authorization",
  "proxy-authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "cookie",
  "openai-organization",
  "openai-project",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "expect",
]);

const isPassed = (lower: string) => !WITHHELD.has(lower);
/** The client headers kept on a translated request. */
const isKeptTranslated = (lower: string) => lower === "host" || lower === "user-agent";

function headersFor(
  candidate: Candidate,
  outbound: Sendable,
  { parts, admitted }: Pick<AttemptParts, "parts" | "admitted">,
  { way, authority }: { readonly way: Way; readonly authority: string },
): string[] {
  const { defaults, inBody, added } = way;
  const isSame = outbound.kind === "same";
  const isWanted = isSame ? isPassed : isKeptTranslated;
  const kept = parts.headers.shared(admitted.headers, {
    authority,
    provider: candidate.target.provider,
    isWanted: inBody === undefined ? isWanted : (lower) => isWanted(lower) && !inBody.has(lower),
  });
  if (!isSame) kept.push("Content-Type", "application/json", "Accept", "*/*", "Accept-Encoding", "identity");
  const sent = kept.length;
  for (const { name, lower, value } of defaults) if (!isThere(kept, sent, lower)) kept.push(name, value);
  for (const text of added) kept.push(text);
  return kept;
}

function isThere(pairs: readonly string[], end: number, lower: string): boolean {
  for (let at = 0; at < end; at += 2) {
    const name = pairs[at]!;
    if (name.length === lower.length && name.toLowerCase() === lower) return true;
  }
  return false;
}

import type { FetchedFiles } from "../../mapping/translate/addresses.ts";
import type { CallMemories } from "../../mapping/translate/call-memory.ts";
import type { EndpointCall, RequestChange, ShapeAt } from "../../plugin/contract.ts";
import { callOf, type Endpoint as EndpointAddress, endpointOf, factsOf, shapesFor } from "../../routing/endpoint.ts";
import type { Candidate } from "../../routing/walk.ts";
import type { UpstreamRequest } from "../../runtime/http/upstream.ts";
import { after, type Soon } from "../../runtime/pending.ts";
import { authorize } from "../../unified/auth/authorize.ts";
import { asCount, type Converted, countPlaceOf, errorShapeOf, isOpenAiForm } from "../../unified/converted.ts";
import { issuerOf } from "../../unified/issuer.ts";
import { type Outbound, type Spoken, shapeNameOf } from "../../unified/outbound.ts";
import { pathSchemasOf, sameOnlyPlace, writeSameOnly } from "../../unified/same-only.ts";
import type { Admitted } from "../admit.ts";
import type { GatewayParts, RoutingParts } from "../gateway-parts.ts";
import { pairsWhere, replaceHeaders, toWire, valuesOf } from "../headers/headers.ts";
import { parseTarget } from "../target.ts";
import { queryWithoutKey } from "./address.ts";
import type { UnifiedWork } from "./answer-unified.ts";
import type { CountedCall } from "./counted-call.ts";
import { providerNamed } from "./scope.ts";

/** What can be sent. */
export type Sendable = Extract<Outbound, { readonly kind: "same" | "translated" }> | Converted;

/** What becomes of a request for a candidate. */
export type Written =
  | Outbound
  | Converted
  /** A count that the provider does not make. */
  | { readonly kind: "estimate"; readonly tokens: number };

/** A call that is ready to be made. */
export interface Attempt {
  readonly counted: CountedCall;
  /** Milliseconds that were spent on writing it, where it is translated. */
  readonly writtenMs: number;
  readonly candidate: Candidate;
  readonly issuer: string;
  /** The secrets that it was made with: a provider's error may repeat them. */
  readonly secrets: readonly string[];
  readonly outbound: Sendable;
  readonly request: UpstreamRequest;
  /** Requests that belong to it, where it takes several. */
  readonly further: readonly UpstreamRequest[];
  /** For the record: where it goes, without credentials. */
  readonly origin: string;
  readonly path: string;
}

/** What a candidate's body is written from. */
export interface WriteParts {
  readonly parts: RoutingParts;
  readonly admitted: Pick<Admitted, "headers">;
  readonly work: UnifiedWork;
  readonly states: CallMemories;
  /** The turns before the body's own input, where the candidate cannot look them up. */
  readonly turns?: string | undefined;
  /** Files that were fetched so far; undefined where none are. */
  readonly files?: FetchedFiles | undefined;
  /** Members that the provider has named as unsupported. */
  readonly without: readonly string[];
  /** Whose state may be sent, where that is not the candidate's own. */
  readonly issuer: string | undefined;
  /** What plugins change of it. */
  readonly change: RequestChange | undefined;
}

export interface AttemptParts extends WriteParts {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  /** The client's own key, where it serves this candidate. */
  readonly ownKey: string | undefined;
}

interface PrepareParts extends AttemptParts {
  readonly counted: CountedCall;
  readonly writtenMs: number;
}

/** Settings of the targets that led to a candidate, in one. Inner ones go before outer ones. */
function changesOf({ target }: Candidate, change: RequestChange | undefined): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...target.path.map(({ body }) => body ?? {}), change?.body);
}

function endpointCall({ target, credential, model }: Candidate, stream: boolean): EndpointCall {
  return callOf(target.provider, credential === "client" ? undefined : credential, { model, stream });
}

/** Writes the request for a candidate. Never throws for what a client sent. */
export function writeFor(candidate: Candidate, given: WriteParts): Soon<Written> {
  const { parts, work, states, without } = given;
  const { admission, body, description } = work;
  const { provider } = candidate.target;
  const { endpoint } = admission;
  const call = endpointCall(candidate, description.stream);
  const credential = candidate.credential;
  if (endpoint.kind === "same") return writeSame(candidate, given, endpoint.path);
  const spoken = shapesFor(provider, call);
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
    from: shape,
    changes: changesOf(candidate, given.change),
    stream: description.stream,
    call: {
      model: candidate.model,
      facts: factsOf(provider, candidate.model, (name) => providerNamed(parts.providers(), name)),
      issuer: given.issuer ?? issuerOf({ provider, model: candidate.model }, credential),
    },
    shapes: isCount ? spoken.filter(({ countPath }) => countPath !== undefined) : spoken,
    sameOnly: admission.sameOnly,
    refuseLosses: admission.refuseLosses,
    hasState: description.hasState,
    askUsage: !description.wantsUsage && asksUsage(credential),
    states,
    turns: given.turns,
    files: given.files,
    betas: valuesOf(given.admitted.headers, "anthropic-beta").flatMap((value) =>
      value.split(",").map((each) => each.trim()),
    ),
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

/** A request for an answer, as one for its count. @param asked - the client's shape, and what is called. */
function countFor(
  { parts }: WriteParts,
  written: Extract<Outbound, { readonly kind: "same" | "translated" }>,
  { shape, call }: { readonly shape: string; readonly call: EndpointCall },
): Soon<Sendable | undefined> {
  // What a platform asks for in a body is none of a count's.
  if (written.kind === "same" && written.at.place === undefined) return written;
  const place = countPlaceOf(written.at as ShapeAt, call);
  if (place === undefined) return undefined;
  return after(parts.unified.translator.counted(written.body, place), (bytes) => asCount(written, shape, bytes));
}

/** Input tokens of a request that its provider does not count. @param turns - what is before it. */
export async function estimateFor(
  { unified: { translator } }: RoutingParts,
  { body }: UnifiedWork,
  turns: string | undefined,
): Promise<number> {
  const earlier = turns === undefined ? 0 : await translator.count(Buffer.from(turns));
  return earlier + (await translator.count(body));
}

/** Embeddings in the provider's own form; undefined where it speaks OpenAI's. */
function embeddingsFor(
  candidate: Candidate,
  { parts, work, change }: WriteParts,
  spoken: readonly ShapeAt[],
): Soon<Written> | undefined {
  const at = spoken.find(({ shape }) => shape === "embeddings");
  const { admission, body, description } = work;
  if (at === undefined || admission.sameOnly) return undefined;
  const call = endpointCall(candidate, false);
  const path = at.path?.(call) ?? "";
  if (isOpenAiForm(path)) return undefined;
  const writing = parts.unified.translator.embeddings({
    body,
    changes: changesOf(candidate, change),
    path,
    model: call.model,
    refuseLosses: admission.refuseLosses,
    inputTokens: description.inputTokens,
  });
  return after(
    writing,
    (written): Written => (written.kind === "converted" ? { ...written, at, shape: errorShapeOf(spoken) } : written),
  );
}

/** An endpoint that is not translated: a target has it or not. */
function writeSame(candidate: Candidate, { parts, admitted, work, change }: WriteParts, endpoint: string): Outbound {
  const { provider } = candidate.target;
  const call = endpointCall(candidate, false);
  const named = (name: string) => providerNamed(parts.providers(), name);
  const at = sameOnlyPlace(
    provider,
    { shapes: shapesFor(provider, call), schemas: pathSchemasOf(provider, named), call },
    endpoint,
  );
  if (at === undefined)
    return {
      kind: "refused",
      loss: { kind: "refused", path: "", why: `the provider does not have ${endpoint}, which is not translated` },
    };
  const contentType = valuesOf(admitted.headers, "content-type")[0] ?? "";
  return writeSameOnly({
    body: work.body,
    contentType,
    endpoint,
    model: candidate.model,
    changes: changesOf(candidate, change),
    at,
  });
}

/** Usage is asked for where a limit counts it. */
function asksUsage(credential: Candidate["credential"]): boolean {
  if (credential === "client") return false;
  return credential.askUsage ?? /u=(?:cents|tokens)/.test(credential.limit ?? "");
}

/** Addresses and signs what was written. @throws GatewayError `credential_rejected`. */
export function prepare(candidate: Candidate, outbound: Sendable, given: PrepareParts): Soon<Attempt | undefined> {
  const { parts, admitted, work, ownKey, counted, writtenMs } = given;
  const { provider } = candidate.target;
  const credential = candidate.credential === "client" ? undefined : candidate.credential;
  const call = endpointCall(candidate, work.description.stream);
  const found = addressOf(candidate, outbound.at, work);
  if (found === undefined) return undefined;
  const query = outbound.kind === "same" ? queryWithoutKey(admitted.request.incoming.url) : "";
  const path = joined(found.path, query);
  const { endpoint } = work.admission;
  const method = endpoint.kind === "stored" ? admitted.request.incoming.method : "POST";
  const hasBody = method === "POST" || outbound.body.byteLength > 0;
  const target = parseTarget(found.origin);
  const secrets = credential?.secrets ?? (ownKey === undefined ? {} : { api_key: ownKey });
  const shape = shapeNameOf(outbound.at);
  const authFor = (body: Uint8Array) =>
    authorize(parts.unified.tokens, {
      provider,
      call,
      secrets,
      shape,
      method,
      url: target.origin + path,
      contentType: "application/json",
      body,
    });
  const requestWith = (body: Uint8Array, auth: Readonly<Record<string, string>>): UpstreamRequest => {
    const headers = headersFor(candidate, outbound, { parts, admitted }, target.authority);
    for (const [name, value] of Object.entries(auth)) headers.push(name, toWire(value));
    if (hasBody) headers.push("Content-Length", String(body.byteLength));
    const sent = given.change?.headers === undefined ? headers : replaceHeaders(headers, given.change.headers);
    const head = { origin: target.upstream, method, path, headers: sent };
    return hasBody ? { ...head, framing: "length", body } : { ...head, framing: "none" };
  };
  const bodies = outbound.kind === "converted" ? outbound.bodies : [outbound.body];
  const attemptWith = (request: UpstreamRequest, further: readonly UpstreamRequest[]): Attempt => ({
    counted,
    writtenMs,
    candidate,
    issuer: issuerOf({ provider, model: candidate.model }, candidate.credential),
    outbound,
    request,
    further,
    origin: found.origin,
    path,
    secrets: [...Object.values(secrets), ...tokensIn(request)].filter((secret) => typeof secret === "string"),
  });
  if (bodies.length === 1)
    return after(authFor(bodies[0]!), (auth) => attemptWith(requestWith(bodies[0]!, auth), NONE));
  return Promise.all(bodies.map(async (body) => requestWith(body, await authFor(body)))).then(([first, ...further]) =>
    attemptWith(first!, further),
  );
}

const NONE: readonly UpstreamRequest[] = [];

/** Keys as they are sent, and tokens that a secret was exchanged for. */
const tokensIn = ({ headers }: UpstreamRequest) =>
  headers.filter((value) => value.startsWith("Bearer ")).map((value) => value.slice("Bearer ".length));

/** A provider's path with the parameters that the client sent; the provider's own go before them. */
function joined(path: string, query: string): string {
  const at = path.indexOf("?");
  if (at < 0 || query === "") return path + query;
  const own = new URLSearchParams(path.slice(at + 1));
  const further = query
    .slice(1)
    .split("&")
    .filter((each) => !own.has(decodedName(each)));
  return [path, ...further].join("&");
}

const decodedName = (parameter: string) => [...new URLSearchParams(parameter).keys()][0] ?? "";

/** Where a candidate's call goes; undefined where it does not have this endpoint. */
export function addressOf(
  candidate: Candidate,
  at: Spoken,
  { admission, description }: UnifiedWork,
): EndpointAddress | undefined {
  const call = endpointCall(candidate, description.stream);
  const { provider } = candidate.target;
  const credential = candidate.credential === "client" ? undefined : candidate.credential;
  const { endpoint } = admission;
  const path = endpoint.kind === "count" ? at.countPath : at.path;
  if (endpoint.kind === "count" && path === undefined) return undefined;
  const found = endpointOf(
    provider,
    { ...(at.shape !== undefined && { shape: at.shape }), ...(path && { path }) },
    credential,
    call,
  );
  if (endpoint.kind !== "stored" || found === undefined) return found;
  // What follows `/responses` names the response, before the provider's own query.
  const [before = "", ...query] = found.path.split("?");
  return { ...found, path: [before + endpoint.path.slice("/responses".length), ...query].join("?") };
}

/** Never towards a provider, on the same shape. */
const WITHHELD =
  /^(?:authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key|cookie|openai-organization|openai-project|content-length|content-encoding|transfer-encoding|expect)$/i;

/** What a translated request keeps of the client's headers. */
const KEPT_TRANSLATED = /^(?:host|user-agent)$/i;

function headersFor(
  candidate: Candidate,
  outbound: Sendable,
  { parts, admitted }: { readonly parts: GatewayParts; readonly admitted: Admitted },
  authority: string,
): string[] {
  const { provider } = candidate.target;
  const forwarded = parts.headers.forward(admitted.headers, authority, false);
  const isSame = outbound.kind === "same";
  const wanted = pairsWhere(forwarded, (name) => (isSame ? !WITHHELD.test(name) : KEPT_TRANSLATED.test(name)));
  const kept = parts.headers.withoutCredentials(wanted, provider);
  if (!isSame) kept.push("Content-Type", "application/json", "Accept", "*/*", "Accept-Encoding", "identity");
  const credentialHeaders = candidate.credential === "client" ? {} : candidate.credential.headers;
  const added = { ...provider.headers, ...outbound.at.headers };
  const isThere = (wanted: string) => kept.some((name, at) => at % 2 === 0 && name.toLowerCase() === wanted);
  for (const [name, value] of Object.entries(added)) if (!isThere(name)) kept.push(name, value);
  for (const [name, value] of Object.entries(credentialHeaders)) kept.push(name, toWire(value));
  const { version, betasInBody } = outbound.at.place ?? {};
  if (version === undefined && !betasInBody) return kept;
  const inBody = [...(version === undefined ? [] : ["anthropic-version"]), ...(betasInBody ? ["anthropic-beta"] : [])];
  return pairsWhere(kept, (name) => !inBody.includes(name.toLowerCase()));
}

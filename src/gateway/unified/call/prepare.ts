import type { RequestChange } from "../../../plugin-host/contract.ts";
import type { Candidate } from "../../../routing/walk.ts";
import type { UpstreamRequest } from "../../../runtime/http/upstream.ts";
import { after, type Soon } from "../../../runtime/pending.ts";
import { authorize } from "../../../unified/auth/authorize.ts";
import { BETA_HEADER, betasAt } from "../../../unified/betas.ts";
import { type Spoken, shapeNameOf } from "../../../unified/outbound.ts";
import { replaceHeaders } from "../../headers/headers.ts";
import { parseTarget } from "../../target.ts";
import { queryWithoutKey } from "../admission/address.ts";
import type { UnifiedWork } from "../unified-work.ts";
import type { Attempt, AttemptParts, Sendable } from "./attempt.ts";
import { betasIn } from "./betas-in.ts";
import { endpointCall, pairsOf, planOf, type Way, wayOf } from "./call-plan.ts";

/** The parts of an attempt that are known before it is addressed. */
export type Begun = Pick<Attempt, "counted" | "writtenMs">;

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
  { parts, admitted, work }: Pick<AttemptParts, "parts" | "admitted" | "work">,
  { way, authority }: { readonly way: Way; readonly authority: string },
): string[] {
  const { defaults, inBody, added } = way;
  const isSame = outbound.kind === "same";
  const betas = betasFor(outbound, { admitted, work });
  const isWanted = isSame ? isPassed : isKeptTranslated;
  const kept = parts.headers.shared(admitted.headers, {
    authority,
    provider: candidate.target.provider,
    isWanted:
      inBody === undefined && betas === undefined
        ? isWanted
        : (lower) => isWanted(lower) && !inBody?.has(lower) && (betas === undefined || lower !== BETA_HEADER),
  });
  if (betas !== undefined && betas.length > 0) kept.push(BETA_HEADER, betas.join(","));
  if (!isSame) kept.push("Content-Type", "application/json", "Accept", "*/*", "Accept-Encoding", "identity");
  const sent = kept.length;
  for (const { name, lower, value } of defaults) if (!isThere(kept, sent, lower)) kept.push(name, value);
  for (const text of added) kept.push(text);
  return kept;
}

/** The line `anthropic-beta` where it is not passed as it is: for a platform with its own betas, and in a rewritten body. */
function betasFor(
  { kind, at }: Sendable,
  { admitted, work: { admission } }: Pick<AttemptParts, "admitted" | "work">,
): readonly string[] | undefined {
  if (at.place?.betasInBody === true || (kind === "same" && at.betas === undefined)) return undefined;
  const { endpoint } = admission;
  if (!("shape" in endpoint) || endpoint.shape !== "messages" || shapeNameOf(at) !== "messages") return undefined;
  return betasAt(betasIn(admitted.headers), at);
}

function isThere(pairs: readonly string[], end: number, lower: string): boolean {
  for (let at = 0; at < end; at += 2) {
    const name = pairs[at]!;
    if (name.length === lower.length && name.toLowerCase() === lower) return true;
  }
  return false;
}

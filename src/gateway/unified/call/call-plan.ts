import type { EndpointCall, Json, ShapeAt } from "../../../plugin-host/contract.ts";
import { callOf, endpointOf, originOf, shapesFor } from "../../../routing/endpoint.ts";
import type { Candidate } from "../../../routing/walk.ts";
import { steadyHeaders } from "../../../unified/auth/authorize.ts";
import { BETA_HEADER } from "../../../unified/betas.ts";
import { issuerOf } from "../../../unified/issuer.ts";
import { type Spoken, shapeNameOf } from "../../../unified/outbound.ts";
import { toWire } from "../../headers/headers.ts";
import type { RequestFacts } from "../../seen-request.ts";
import { parseTarget } from "../../target.ts";
import type { Responder } from "./responder.ts";

/**
 * The part of a candidate's calls that does not depend on the request: computed once for streams and once for other calls.
 * Requests share candidates until credentials, routes, providers or known models change.
 */
export interface CallPlan {
  readonly call: EndpointCall;
  /** The shapes that the provider speaks in this call. */
  readonly shapes: readonly ShapeAt[];
  readonly issuer: string;
  /** Members that the routes' targets set in the client's body. Inner targets override outer ones. */
  readonly changes: Readonly<Record<string, Json>>;
  /** Whether a chat stream requests its usage, because a limit counts it. */
  readonly wantsUsage: boolean;
  /** The view for plugins; created for the first plugin. */
  facts: TargetFacts | undefined;
  /** By shape; for calls, and for token counts. */
  readonly ways: WeakMap<Spoken, { call?: Way | undefined; count?: Way | undefined }>;
}

/** What a candidate adds to the plugins' view of a request. */
type TargetFacts = Pick<RequestFacts, "provider" | "target" | "model" | "route" | "credential">;

/** Where a plan's calls go, and the part of their heads that is the same for all of them. */
export interface Way {
  /** Without a path. */
  readonly origin: string;
  readonly path: string;
  /** Headers that the provider needs if the client sent none with that name. */
  readonly defaults: readonly { readonly name: string; readonly lower: string; readonly value: string }[];
  /** Lower-case names of headers that are sent in the body instead; undefined if there are none. */
  readonly inBody: ReadonlySet<string> | undefined;
  /** The credential's own headers, raw pairs. */
  readonly added: readonly string[];
  /** Raw pairs that carry the credential; undefined if they differ per request. */
  readonly auth: readonly string[] | undefined;
  /** The answerer by the shape of the client's endpoint, for calls that lose nothing and add nothing to the path. */
  readonly responders: Map<string, Responder>;
}

const plans = new WeakMap<Candidate, { streamed?: CallPlan; whole?: CallPlan }>();

export function planOf(candidate: Candidate, stream: boolean): CallPlan {
  let known = plans.get(candidate);
  if (known === undefined) {
    known = {};
    plans.set(candidate, known);
  }
  if (stream) {
    known.streamed ??= makePlan(candidate, stream);
    return known.streamed;
  }
  known.whole ??= makePlan(candidate, stream);
  return known.whole;
}

function makePlan(candidate: Candidate, stream: boolean): CallPlan {
  const { target, model, credential } = candidate;
  const call = endpointCall(candidate, stream);
  return {
    call,
    shapes: shapesFor(target.provider, call),
    issuer: issuerOf({ provider: target.provider, model }, credential),
    changes: Object.assign({}, ...target.path.map(({ body }) => body ?? {})),
    wantsUsage: credential !== "client" && (credential.askUsage ?? /u=(?:cents|tokens)/.test(credential.limit ?? "")),
    facts: undefined,
    ways: new WeakMap(),
  };
}

/** @throws GatewayError `invalid_target`. */
export function factsOf({ target, credential, model }: Candidate, plan: CallPlan): TargetFacts {
  if (plan.facts !== undefined) return plan.facts;
  const { provider, route } = target;
  const stored = credential === "client" ? undefined : credential;
  const origin = originOf(provider, stored, plan.call);
  const host = origin === undefined ? "" : parseTarget(origin).host;
  // Frozen, because all requests share them.
  plan.facts = {
    provider: provider.name,
    target: Object.freeze({ origin: origin ?? "", host, owner: provider.name }),
    model,
    route: route ?? undefined,
    credential:
      stored && Object.freeze({ name: stored.name, organizationId: stored.organizationId, limit: stored.limit }),
  };
  return plan.facts;
}

/** A new value each time. */
export function endpointCall({ target, credential, model }: Candidate, stream: boolean): EndpointCall {
  return callOf(target.provider, credential === "client" ? undefined : credential, { model, stream });
}

/** Where a plan's calls go; undefined if the candidate lacks this endpoint. */
export function wayOf(candidate: Candidate, plan: CallPlan, at: Spoken, kind: "call" | "count"): Way | undefined {
  let known = plan.ways.get(at);
  if (known === undefined) {
    known = {};
    plan.ways.set(at, known);
  }
  if (!Object.hasOwn(known, kind)) known[kind] = findWay(candidate, plan, at, kind);
  return known[kind];
}

function findWay(candidate: Candidate, { call }: CallPlan, at: Spoken, kind: "call" | "count"): Way | undefined {
  const { provider } = candidate.target;
  const credential = candidate.credential === "client" ? undefined : candidate.credential;
  const path = kind === "count" ? at.countPath : at.path;
  if (kind === "count" && path === undefined) return undefined;
  const place = { ...(at.shape !== undefined && { shape: at.shape }), ...(path && { path }) };
  const found = endpointOf(provider, place, credential, call);
  if (found === undefined) return undefined;
  const { version, betasInBody } = at.place ?? {};
  const inBody = [...(version === undefined ? [] : ["anthropic-version"]), ...(betasInBody ? [BETA_HEADER] : [])];
  const isOutside = ([name]: readonly [string, string]) => !inBody.includes(name.toLowerCase());
  const secrets = credential?.secrets;
  const auth = secrets && steadyHeaders(provider, secrets, shapeNameOf(at));
  return {
    ...found,
    defaults: Object.entries({ ...provider.headers, ...at.headers })
      .filter(isOutside)
      .map(([name, value]) => ({ name, lower: name.toLowerCase(), value })),
    inBody: inBody.length === 0 ? undefined : new Set(inBody),
    added: pairsOf(Object.entries(credential?.headers ?? {}).filter(isOutside)),
    auth: auth && pairsOf(Object.entries(auth)),
    responders: new Map(),
  };
}

/** As raw pairs. */
export const pairsOf = (entries: readonly (readonly [string, string])[]): string[] =>
  entries.flatMap(([name, value]) => [name, toWire(value)]);

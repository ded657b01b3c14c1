import { GatewayError } from "../../errors.ts";
import type { Loss } from "../../plugin-host/contract.ts";
import { isoTime } from "../../record/iso-time.ts";
import { type Ordered, speedKey } from "../../routing/order.ts";
import { type Candidate, candidatesOf, modelAt, restSubjectOf } from "../../routing/walk.ts";
import type { ExplainedTarget, RouteExplanation, RouteQuestion } from "../../threads.ts";
import { clientShapesOf } from "../../unified/client-api.ts";
import { CLIENT_SHAPES } from "../../unified/client-shapes.ts";
import { describe } from "../../unified/describe.ts";
import { describeOwn } from "../../unified/describe-own.ts";
import { apiOf, type Endpoint } from "../../unified/endpoints.ts";
import { leastBody } from "../../unified/least-body.ts";
import { shapeNameOf } from "../../unified/outbound.ts";
import { jsonOf } from "../../unified/response-failure.ts";
import type { RoutingParts } from "../gateway-parts.ts";
import { NO_OWN_KEYS } from "./admission/own-keys.ts";
import type { UnifiedAdmission } from "./admission/unified-admission.ts";
import type { WriteParts, Written } from "./call/attempt.ts";
import { wayFor } from "./call/prepare.ts";
import { writeFor } from "./call/write-for.ts";
import { limitSpentUntil } from "./targets/credential-limit.ts";
import { statesInMemory } from "./targets/forgotten-states.ts";
import { demandOf, type PlannedTargets, planTargets } from "./targets/plan-targets.ts";
import { previousOf } from "./targets/previous-response.ts";
import { withReferences } from "./targets/referenced-items.ts";
import { scopeOf } from "./targets/scope.ts";
import { turnsFor } from "./targets/turns-for.ts";
import type { UnifiedWork } from "./unified-work.ts";

/**
 * Explains to which targets a request would be sent, in which order, and with which body. It calls nothing and changes no
 * routing state. Random choices show the most likely result.
 *
 * @throws GatewayError `invalid_body`, `model_not_found`, `no_credential`, `model_forbidden`, as for the request itself.
 */
export async function explainRoute(parts: RoutingParts, question: RouteQuestion): Promise<RouteExplanation> {
  const { key, model, session, user, properties } = question;
  const now = Date.now();
  const endpoint = endpointNamed(parts, question.shape);
  const admission = admissionFor(endpoint);
  const requestBody = Buffer.from(question.body ?? JSON.stringify(leastBody(apiOf(endpoint), model)));
  const { own } = endpoint;
  const text = requestBody.toString("utf8");
  const described = own === undefined ? describe(text) : describeOwn(text, own);
  if (described === undefined) throw new GatewayError("invalid_body", "body: give a JSON object", { path: "body" });
  const given = { body: requestBody, description: { ...described, model } };
  const { body, description } =
    described.references.length === 0 ? given : await withReferences(parts, key.organizationId, given);
  const states = statesInMemory(parts, key.organizationId, body);
  const previous = await previousOf(parts, key.organizationId, admission, description);
  const planned = planTargets(parts, {
    earlier: previous?.response,
    scope: () => scopeOf(parts, key, admission),
    admission,
    model,
    description,
    demand: demandOf({ key, user, session, properties }, description),
    states,
    organizationId: key.organizationId,
    retry: undefined,
    kept: parts.unified.kept.unused,
    random: () => 0.5,
    now,
  });
  const work: UnifiedWork = { admission, body, description, states, previous };
  const places = placesOf(planned);
  const explained = await Promise.all(
    places.map((place) => explainPlace(parts, { question, planned, work, now }, place)),
  );
  return {
    resolved_by: [...new Set(planned.targets.map(({ resolvedBy }) => resolvedBy))].join(", "),
    targets: withoutRested(explained),
  };
}

/** @throws GatewayError `invalid_body` if clients do not speak this shape. */
function endpointNamed({ providers }: RoutingParts, shape: string): Extract<Endpoint, { readonly shape: string }> {
  if (CLIENT_SHAPES.some((each) => each === shape))
    return { kind: shape === "embeddings" ? "embeddings" : "generate", shape, named: {} };
  const shapes = clientShapesOf(providers().providers);
  const own = shapes.find(({ name }) => name === shape);
  if (own !== undefined) return { kind: "generate", shape, named: {}, own };
  const names = [...CLIENT_SHAPES, ...shapes.map(({ name }) => name)].join(", ");
  throw new GatewayError("invalid_body", `shape: give one of ${names}`, { path: "shape" });
}

function admissionFor(endpoint: Endpoint): UnifiedAdmission {
  return {
    endpoint,
    own: NO_OWN_KEYS,
    model: undefined,
    provider: undefined,
    sameOnly: false,
    refuseLosses: false,
    fallbacks: [],
  };
}

/** A candidate, or a target that would have one. */
interface Place {
  readonly candidate: Candidate;
  /** Why the walk leaves it out. */
  readonly skipped: string | undefined;
  readonly isLocked: boolean;
}

function placesOf({ targets, walk, walkParts }: PlannedTargets): readonly Place[] {
  return targets.flatMap((target: Ordered): Place[] => {
    const skipped = target.skipped === undefined ? undefined : `when: ${target.skipped}`;
    const candidates =
      skipped === undefined
        ? walk.candidates.filter((candidate) => candidate.target === target)
        : candidatesOf(target, walkParts);
    const locked = target.credentials.filter(({ secrets }) => secrets === undefined);
    return [
      ...candidates.map((candidate) => ({ candidate, skipped, isLocked: false })),
      ...locked.map((credential) => ({
        candidate: { target, credential, model: modelAt(credential, target.model) },
        skipped: skipped ?? "its secrets are locked",
        isLocked: true,
      })),
    ];
  });
}

interface Explaining {
  readonly question: RouteQuestion;
  readonly planned: PlannedTargets;
  readonly work: UnifiedWork;
  readonly now: number;
}

type Explained = ExplainedTarget & { readonly restsUntil: number };

async function explainPlace(
  parts: RoutingParts,
  { question, planned, work, now }: Explaining,
  { candidate, skipped, isLocked }: Place,
): Promise<Explained> {
  const { target, credential, model } = candidate;
  const given: WriteParts = {
    parts,
    admitted: { headers: parts.headers.read([]) },
    work,
    states: work.states,
    files: parts.unified.files === undefined ? undefined : {},
    without: parts.unified.rejected.of(speedKey({ ...target, model })),
    issuer: undefined,
    change: undefined,
  };
  const outbound = await writtenFor(candidate, given);
  if (outbound.kind === "invalid") throw invalid(outbound.loss);
  const isSpent = credential !== "client" && !isLocked && limitSpentUntil(parts, credential) !== null;
  const restSubject = restSubjectOf(candidate);
  const restsUntil = restSubject === undefined ? 0 : parts.unified.rests.until(restSubject, now);
  const written = writtenOf(candidate, outbound, work);
  const hasBody = question.body !== undefined;
  return {
    provider: target.provider.name,
    model,
    credential: credential === "client" ? "client" : credential.name,
    ...written.where,
    estimated_cost: planned.costOf(target) ?? null,
    state: stateOf({ isLocked, isSpent, restsUntil }),
    skipped: skipped ?? written.skipped ?? (isSpent ? "its limit is spent" : null),
    // The minimal body is ours: losses of its members do not concern the client.
    dropped: hasBody ? written.pathsOf("dropped") : [],
    approximated: hasBody ? written.pathsOf("approximated") : [],
    refused: written.pathsOf("refused"),
    reason: target.reason,
    request: hasBody && written.body !== undefined ? jsonOf(written.body) : null,
    restsUntil: isLocked ? 0 : restsUntil,
  };
}

/** Writes the request for a candidate, with the previous turns if it needs them. */
async function writtenFor(candidate: Candidate, given: WriteParts): Promise<Written> {
  try {
    return await writeFor(candidate, { ...given, turns: await turnsFor(candidate, given.work) });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { kind: "refused", loss: { kind: "refused", path: error.path ?? "", why: error.message } };
  }
}

interface Standing {
  readonly isLocked: boolean;
  readonly isSpent: boolean;
  /** Milliseconds since 1970; 0 if it does not rest. */
  readonly restsUntil: number;
}

function stateOf({ isLocked, isSpent, restsUntil }: Standing): string {
  if (isLocked) return "locked";
  if (isSpent) return "limit spent";
  return restsUntil > 0 ? `resting until ${isoTime(restsUntil)}` : "ready";
}

/** The result of writing the request for a candidate. */
function writtenOf(candidate: Candidate, outbound: Written, work: UnifiedWork) {
  const losses: readonly Loss[] = "losses" in outbound ? outbound.losses : "loss" in outbound ? [outbound.loss] : [];
  const pathsOf = (kind: Loss["kind"]) =>
    losses.filter((loss) => loss.kind === kind && loss.path !== "").map(({ path }) => path);
  const nowhere = { shape: null, same_shape: false, url: null };
  if (outbound.kind === "refused" || outbound.kind === "invalid") {
    const { path, why = "the target cannot take it" } = outbound.loss;
    return { where: nowhere, skipped: path === "" ? why : `${path}: ${why}`, pathsOf, body: undefined };
  }
  // No provider is called: the response is Weir's own estimate.
  if (outbound.kind === "estimate") return { where: nowhere, skipped: null, pathsOf, body: undefined };
  const way = wayFor(candidate, outbound.at, work);
  const shape = shapeNameOf(outbound.at);
  if (way === undefined)
    return { where: { ...nowhere, shape }, skipped: "it does not have this endpoint", pathsOf, body: undefined };
  const where = { shape, same_shape: outbound.kind === "same", url: way.origin + way.path };
  // Its body contains files that are fetched only when it is sent.
  return { where, skipped: null, pathsOf, body: outbound.kind === "fetch" ? undefined : outbound.body };
}

/** Skips resting candidates, unless all usable ones rest: then the one whose rest ends first is called. */
function withoutRested(explained: readonly Explained[]): readonly ExplainedTarget[] {
  const open = explained.filter(({ skipped }) => skipped === null);
  const soonest = open.toSorted((a, b) => a.restsUntil - b.restsUntil)[0];
  return explained.map((each) => {
    const { restsUntil, ...target } = each;
    const isPassed = target.skipped === null && restsUntil > 0 && each !== soonest;
    return isPassed ? { ...target, skipped: "it rests" } : target;
  });
}

function invalid({ path, why = "cannot be read" }: Loss): GatewayError {
  return new GatewayError("invalid_body", path === "" ? `body: ${why}` : `body.${path}: ${why}`, {
    path: path === "" ? "body" : `body.${path}`,
  });
}

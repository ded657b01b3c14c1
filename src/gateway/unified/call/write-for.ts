import type { EndpointCall, Json, RequestChange, ShapeAt } from "../../../plugin-host/contract.ts";
import { factsOf } from "../../../routing/endpoint.ts";
import type { Candidate } from "../../../routing/walk.ts";
import { after, type Soon } from "../../../runtime/pending.ts";
import { betasAt } from "../../../unified/betas.ts";
import { asCount, countPlaceOf, errorShapeOf, isOpenAiForm } from "../../../unified/converted.ts";
import { apiOf } from "../../../unified/endpoints.ts";
import { type Outbound, shapeNameOf } from "../../../unified/outbound.ts";
import { asSameOnly, pathSchemasOf, sameOnlyPlace } from "../../../unified/same-only.ts";
import type { RoutingParts } from "../../gateway-parts.ts";
import { valuesOf } from "../../headers/headers.ts";
import { providerNamed } from "../admission/provider-named.ts";
import { threadChanges } from "../targets/threads.ts";
import type { UnifiedWork } from "../unified-work.ts";
import type { Sendable, WriteParts, Written } from "./attempt.ts";
import { betasIn } from "./betas-in.ts";
import { type CallPlan, planOf } from "./call-plan.ts";

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
    changes: { ...changesOf(plan, given.change), ...threadChanges(candidate, work) },
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
    betas: betasAt(betasIn(given.admitted.headers), spoken.find((each) => each.betas !== undefined) ?? {}),
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

/** Turns a request for a response into one for its token count. `shape` is the client's. */
function countFor(
  { parts }: WriteParts,
  written: Extract<Outbound, { readonly kind: "same" | "translated" }>,
  { shape, call }: { readonly shape: string; readonly call: EndpointCall },
): Soon<Sendable | undefined> {
  // A platform's additions to a body do not belong in a count.
  if (written.kind === "same" && written.at.place === undefined) return written;
  const place = countPlaceOf(written.at, call);
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

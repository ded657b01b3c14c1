import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../log.ts";
import type { CallMemories } from "../../mapping/translate/call-memory.ts";
import type { Loss, ProviderPlugin } from "../../plugin-host/contract.ts";
import { factsOf } from "../../routing/endpoint.ts";
import type { Failure } from "../../routing/failure.ts";
import { speedKey } from "../../routing/order.ts";
import { type Candidate, restSubjectOf, type Walk } from "../../routing/walk.ts";
import { type UpstreamCall, UpstreamError, type UpstreamEvents } from "../../runtime/http/upstream.ts";
import { isPending, type Soon } from "../../runtime/pending.ts";
import { namesState, rejectedMembers } from "../../unified/rejected-member.ts";
import type { Admitted } from "../admitted.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { OwnFailure } from "../own-failure.ts";
import { fromRefusal, Refused, toOwnResponse } from "../refusal.ts";
import { providerNamed } from "./admission/provider-named.ts";
import { askForTarget, type Consent } from "./call/ask-for-target.ts";
import type { Attempt, AttemptParts } from "./call/attempt.ts";
import { invalid, labelOf, nothingLeft, untranslatable } from "./call/call-errors.ts";
import type { CountedCall } from "./call/counted-call.ts";
import type { FailedOutcome, ResponseOptions } from "./call/outcome.ts";
import { type Begun, prepare } from "./call/prepare.ts";
import { RequestWriter } from "./call/request-writer.ts";
import { type PassedOver, retryWaitMs, type Step, type WrittenWhole } from "./call/step.ts";
import { estimateFor } from "./call/write-for.ts";
import { AttemptResponse } from "./response/attempt-response.ts";
import { respondWithEstimate } from "./response/converted-response.ts";
import { recordFailedAttempt } from "./response/failed-attempt.ts";
import { needsStates, statesOf } from "./targets/forgotten-states.ts";
import { betterReason } from "./targets/passed-over.ts";
import { turnsFor } from "./targets/turns-for.ts";
import type { UnifiedWork } from "./unified-work.ts";

export interface UnifiedCallOptions {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  readonly work: UnifiedWork;
  readonly walk: Walk;
  /** The provider of the first target. */
  readonly first: ProviderPlugin | undefined;
  /** Events for the client, and for every request that shares the call. */
  readonly events: UpstreamEvents;
  /** The plugins' result from before the cache look-up. */
  readonly consent?: Consent | undefined;
  readonly onResponse?: ResponseOptions["onResponse"];
}

const NO_ENDPOINT: Loss = { kind: "refused", path: "", why: "the provider does not have this endpoint" };

/** An issuer without state: a request written for it contains none. */
const NO_ISSUER = "-";
const NONE: readonly string[] = [];

/**
 * The provider side of a unified request: it calls one candidate after the other, until a response goes to the client or
 * none is left. Every failed call is a separate record.
 */
export class UnifiedCall implements UpstreamCall {
  readonly #options: UnifiedCallOptions;
  readonly #writer: RequestWriter;
  #response: AttemptResponse | undefined;
  #attempts = 0;
  #paused = false;
  #aborted = false;
  #failures: string[] = [];
  /** The last failure: sent to the client unless another call is made. Its label goes into the reason of that one. */
  #failed: { readonly outcome: FailedOutcome; readonly label: string | undefined } | undefined;
  #isCalled = false;
  /** Retries of the current candidate so far. */
  #retries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The most useful error of the candidates skipped so far. */
  #refusal: unknown;

  constructor(options: UnifiedCallOptions) {
    this.#options = options;
    const { parts, admitted } = options;
    this.#writer = new RequestWriter(parts.unified.files, () => {
      const share = parts.bodies.ask(0, () => {}); // each file has a time limit of its own
      admitted.exchange.reportEnd(() => share.release());
      return share.isHeld ? share : undefined;
    });
    queueMicrotask(() => void this.#go(() => this.#first())); // the caller must have this object before any event
  }

  /** The body is sent with every call. */
  write(): boolean {
    return true;
  }

  end(): void {}

  pause(): void {
    this.#paused = true;
    this.#response?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#response?.resume();
  }

  abort(): void {
    this.#aborted = true;
    clearTimeout(this.#timer);
    this.#writer.abort();
    this.#response?.abort();
  }

  /** Tries one candidate after the other until one is called, whose response decides what follows, or none is left. */
  async #go(begin: () => Step | undefined): Promise<void> {
    try {
      let step = begin();
      while (step !== undefined && !this.#aborted) {
        if (step.waitMs > 0) await this.#wait(step.waitMs);
        const passed = await this.#attempt(step);
        if (passed === undefined) return;
        step = passed.sameAs === undefined ? this.#afterPassing(passed.error) : this.#afterFailure(passed.sameAs);
      }
      if (!this.#aborted) this.#failed?.outcome.deliver();
    } catch (error) {
      if (!this.#aborted) this.#refuse(error);
    }
  }

  #first(): Step {
    const { walk } = this.#options;
    const next = walk.first(Date.now());
    if (next === undefined) throw nothingLeft(walk);
    return this.#stepTo(next);
  }

  /** @param error - why a candidate was not called. */
  #afterPassing(error: unknown): Step | undefined {
    this.#refusal = betterReason(this.#refusal, error);
    const next = this.#options.walk.afterPassing(Date.now());
    if (next === undefined && this.#failed === undefined) throw this.#refusal;
    return next && this.#stepTo(next);
  }

  #stepTo(candidate: Candidate): Step {
    return { candidate, without: this.#knownRejected(candidate), issuer: undefined, waitMs: 0 };
  }

  #refuse(error: unknown): void {
    const { parts, events } = this.#options;
    if (!(error instanceof GatewayError || error instanceof Refused))
      parts.log.error("a request failed in the gateway", { error: messageOf(error) });
    const isRefusal = error instanceof Refused;
    const own = isRefusal ? fromRefusal(error.refusal, parts.idHeaders) : toOwnResponse(error);
    events.onError(new OwnFailure(own, isRefusal || own.status < 500 ? "refused" : "failed"));
  }

  #onFailed(outcome: FailedOutcome, isRepeat: boolean): void {
    if (this.#aborted) return;
    const isCount = this.#options.work.admission.endpoint.kind === "count";
    if (!isRepeat && isCount && countsNot(outcome)) void this.#estimate(outcome);
    else void this.#go(() => (isRepeat ? undefined : this.#repeat(outcome)) ?? this.#afterFailure(outcome));
  }

  /** Decides what follows a failure: the next candidate, or the failure as the client's response. */
  #afterFailure(outcome: FailedOutcome): Step | undefined {
    const { walk, parts, admitted } = this.#options;
    const { failure, attempt } = outcome;
    const { candidate } = attempt;
    this.#failed = { outcome, label: `${labelOf(candidate)}: ${failure.reason}` };
    const subject = restSubjectOf(candidate);
    if (subject !== undefined) parts.unified.rests.fail(subject, failure, Date.now());
    const next = walk.afterFailure(candidate, failure, Date.now());
    this.#retries = next === candidate ? this.#retries + 1 : 0;
    return next && { ...this.#stepTo(next), waitMs: retryWaitMs(admitted.retry?.plan, this.#retries, failure) };
  }

  #wait(ms: number): Promise<void> {
    const { admitted, parts } = this.#options;
    admitted.exchange.awaitProgress(parts.upstreamTimeoutMs + ms);
    return new Promise((resolve) => {
      this.#timer = setTimeout(resolve, ms);
    });
  }

  /** Another call follows: the previous one becomes a separate record. */
  #recordFailed(): void {
    const failed = this.#failed;
    if (failed === undefined) return;
    this.#failed = undefined;
    if (failed.label !== undefined) this.#failures.push(failed.label);
    recordFailedAttempt(this.#options, failed.outcome, this.#attempts);
  }

  /** The same candidate again, without the member or the state that it rejected. */
  #repeat(outcome: FailedOutcome): Step | undefined {
    const { status } = outcome.failure;
    if (status !== 400 && status !== 422) return undefined;
    const { attempt, body } = outcome;
    const { candidate } = attempt;
    const members = attempt.outbound.kind === "translated" ? rejectedMembers(body, attempt.outbound.body) : NONE;
    const dropsState = namesState(body);
    if (members.length === 0 && !dropsState) return undefined;
    this.#failed = { outcome, label: undefined };
    for (const member of members)
      this.#options.parts.unified.rejected.note(speedKey({ ...candidate.target, model: candidate.model }), member);
    const issuer = dropsState ? NO_ISSUER : undefined;
    return { candidate, without: this.#knownRejected(candidate), issuer, waitMs: 0, repeats: outcome };
  }

  /** The provider counts tokens, but not for this model: responds with the estimate. */
  async #estimate(outcome: FailedOutcome): Promise<void> {
    const { parts, work } = this.#options;
    const { candidate } = outcome.attempt;
    this.#failed = { outcome, label: undefined };
    this.#recordFailed();
    try {
      const tokens = await estimateFor(parts, work, await turnsFor(candidate, work));
      if (!this.#aborted) respondWithEstimate(this.#options, candidate, { tokens, calls: this.#attempts });
    } catch (error) {
      if (!this.#aborted) this.#refuse(error);
    }
  }

  #knownRejected({ target, model }: Candidate): readonly string[] {
    const { rejected } = this.#options.parts.unified;
    return rejected.isEmpty ? NONE : rejected.of(speedKey({ ...target, model }));
  }

  /** Calls a candidate. @returns why it was not called; undefined if it was. */
  async #attempt(step: Step): Promise<PassedOver | undefined> {
    const { candidate } = step;
    const given = await this.#inputsFor(step);
    if ("error" in given) return given;
    const startedMs = performance.now();
    const writing = this.#writer.written(candidate, given);
    const outbound = isPending(writing) ? await writing : writing;
    const writtenMs = performance.now() - startedMs;
    if (outbound.kind === "invalid") throw invalid(outbound.loss);
    if (outbound.kind === "refused") {
      this.#options.walk.passOver(candidate.target);
      return { error: untranslatable(outbound.loss, candidate) };
    }
    let counted: CountedCall;
    try {
      const asking = this.#askPlugins(candidate, outbound.kind === "converted" ? outbound.bodies.length : 1);
      counted = isPending(asking) ? await asking : asking;
    } catch (error) {
      if (error instanceof Refused || error instanceof GatewayError) return { error };
      throw error;
    }
    return await this.#callAdmitted(step, given, outbound, { counted, writtenMs });
  }

  /** What the body for a candidate is written from. */
  async #inputsFor({ candidate, without, issuer }: Step): Promise<AttemptParts | PassedOver> {
    const { parts, admitted, work, first } = this.#options;
    let turns: string | undefined;
    try {
      const finding = turnsFor(candidate, work);
      turns = isPending(finding) ? await finding : finding;
    } catch (error) {
      if (error instanceof GatewayError) return { error };
      throw error;
    }
    const remembering = issuer === undefined ? this.#statesFor(candidate, turns) : {};
    return {
      parts,
      admitted,
      work: issuer === undefined ? work : { ...work, description: { ...work.description, hasState: true } },
      ownKey: work.admission.own.keyOf(candidate.target.provider, first),
      states: isPending(remembering) ? await remembering : remembering,
      turns,
      without,
      issuer,
      files: this.#writer.files,
      change: undefined,
    };
  }

  /** Calls a candidate that plugins have admitted, with their changes. @returns why it was not called; undefined if it was. */
  async #callAdmitted(
    { candidate, repeats }: Step,
    given: AttemptParts,
    unchanged: Exclude<WrittenWhole, { readonly kind: "invalid" | "refused" }>,
    begun: Begun,
  ): Promise<PassedOver | undefined> {
    const { counted } = begun;
    const { change } = counted;
    const changed = change === undefined ? given : { ...given, change };
    const startedMs = performance.now();
    const isRewritten = change?.body !== undefined;
    const sent = isRewritten ? await this.#writer.written(candidate, changed) : unchanged;
    const writtenMs = begun.writtenMs + (isRewritten ? performance.now() - startedMs : 0);
    if (sent.kind === "estimate") {
      respondWithEstimate(this.#options, candidate, { tokens: sent.tokens, calls: this.#attempts });
      return undefined;
    }
    const isWritten = sent.kind !== "invalid" && sent.kind !== "refused";
    if (isWritten && repeats !== undefined && Buffer.compare(sent.body, repeats.attempt.outbound.body) === 0) {
      counted.giveBack();
      return { error: undefined, sameAs: repeats };
    }
    let attempt: Attempt | undefined;
    try {
      const preparing = isWritten ? prepare(candidate, sent, changed, { counted, writtenMs }) : undefined;
      attempt = isPending(preparing) ? await preparing : preparing;
    } catch (error) {
      counted.giveBack();
      return this.#unpaid(candidate, error);
    }
    if (attempt !== undefined) {
      if (!this.#aborted) this.#send(attempt, repeats !== undefined);
      return undefined;
    }
    counted.giveBack();
    const loss: Loss = isWritten ? NO_ENDPOINT : sent.loss;
    return { error: untranslatable(loss, candidate) };
  }

  /**
   * No access token for its credential. If the token server refused, it rests like a refused key; if unreachable, like a
   * provider.
   */
  #unpaid(candidate: Candidate, error: unknown): PassedOver {
    const isOutOfReach = error instanceof UpstreamError;
    if (!isOutOfReach && !(error instanceof GatewayError)) throw error;
    const subject = restSubjectOf(candidate);
    const failure: Failure = { status: 0, kind: isOutOfReach ? "network" : "auth", reason: "no access token" };
    if (subject !== undefined) this.#options.parts.unified.rests.fail(subject, failure, Date.now());
    return {
      error: isOutOfReach ? new GatewayError("upstream_unreachable", error.message) : error,
    };
  }

  #askPlugins(candidate: Candidate, calls: number): Soon<CountedCall> {
    const { parts, admitted, consent } = this.#options;
    const { hooks } = parts;
    if (hooks !== undefined && !this.#isCalled) admitted.exchange.reportEnd((end) => hooks.onEnd(end));
    this.#isCalled = true;
    return askForTarget(this.#options, candidate, { isFirst: this.#attempts === 0, consent, calls });
  }

  /** State of calls that the client dropped. */
  #statesFor({ target, model }: Candidate, turns: string | undefined): Soon<CallMemories> {
    const { parts, admitted, work } = this.#options;
    const facts = factsOf(target.provider, model, (name) => providerNamed(parts.providers(), name));
    if (!needsStates(facts, work) && turns === undefined) return work.states;
    return statesOf(parts, admitted.meta.organization, { body: work.body, turns });
  }

  #send(attempt: Attempt, isRepeat: boolean): void {
    const { parts, admitted, work, walk, events, onResponse } = this.#options;
    this.#recordFailed();
    this.#attempts++;
    attempt.counted.sent();
    const subject = restSubjectOf(attempt.candidate);
    if (subject !== undefined) parts.unified.rests.begin(subject, Date.now());
    const response = new AttemptResponse({
      parts,
      admitted,
      work,
      walk,
      events,
      onResponse,
      attempt,
      number: this.#attempts,
      failures: this.#failures,
      isPaused: () => this.#paused,
      onFailed: (outcome) => this.#onFailed(outcome, isRepeat),
    });
    this.#response = response;
    response.open();
  }
}

/** Errors of Bedrock for some models, and of servers for endpoints that they lack. */
function countsNot({ failure: { status }, body }: FailedOutcome): boolean {
  if (status === 404) return !/model/i.test(body);
  return status === 405 || status === 501 || (status === 400 && /support (?:token )?count/i.test(body));
}

import { GatewayError } from "../../errors.ts";
import { messageOf } from "../../observe.ts";
import type { Loss, ProviderPlugin, RequestChange } from "../../plugin/contract.ts";
import { speedKey } from "../../routing/order.ts";
import { askedOf, type Candidate, type Next, type Walk } from "../../routing/walk.ts";
import type { UpstreamCall, UpstreamEvents } from "../../runtime/http/upstream.ts";
import { namesState, rejectedMember } from "../../unified/rejected-member.ts";
import type { Admitted } from "../admit.ts";
import type { GatewayParts } from "../gateway-parts.ts";
import { fromRefusal, Refused, toOwnAnswer } from "../refusal.ts";
import { answerEstimate } from "./answer-converted.ts";
import type { UnifiedWork } from "./answer-unified.ts";
import { askForTarget } from "./ask-for-target.ts";
import { type Attempt, type AttemptParts, prepare, writeFor } from "./attempt.ts";
import { AttemptResponse } from "./attempt-response.ts";
import { recordFailedAttempt } from "./failed-attempt.ts";
import type { Outcome } from "./outcome.ts";

interface UnifiedCallOptions {
  readonly parts: GatewayParts;
  readonly admitted: Admitted;
  readonly work: UnifiedWork;
  readonly walk: Walk;
  /** The provider of the first target. */
  readonly first: ProviderPlugin | undefined;
  /** The client's side. */
  readonly events: UpstreamEvents;
}

/** State that nobody issues: a request written with it holds none. */
const NO_ISSUER = "-";

/**
 * The provider's side of a unified request: it calls one candidate after the other, until a response is the client's or
 * nothing is left. Every call that fails is a record of its own.
 */
export class UnifiedCall implements UpstreamCall {
  readonly #options: UnifiedCallOptions;
  #response: AttemptResponse | undefined;
  #attempts = 0;
  #paused = false;
  #aborted = false;
  #failures: string[] = [];

  constructor(options: UnifiedCallOptions) {
    this.#options = options;
    void this.#run();
  }

  /** The body goes out with every call. */
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
    this.#response?.abort();
  }

  async #run(): Promise<void> {
    const { walk } = this.#options;
    try {
      let next = walk.first(Date.now());
      if (next === undefined) throw nothingLeft(walk);
      let refusal: unknown;
      while (next !== undefined && !this.#aborted) {
        const outcome = await this.#ask(next);
        if (this.#aborted || outcome.kind === "answered") return;
        if (outcome.kind === "passed over") {
          refusal ??= outcome.error;
          next = walk.afterPassing(Date.now());
          if (next === undefined) throw refusal;
        } else next = this.#afterFailure(next.candidate, outcome);
      }
    } catch (error) {
      if (!this.#aborted) this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    const { parts, admitted } = this.#options;
    if (!(error instanceof GatewayError || error instanceof Refused))
      parts.log.error("a request failed in the gateway", { error: messageOf(error) });
    const own = error instanceof Refused ? fromRefusal(error.refusal, parts.idHeaders) : toOwnAnswer(error);
    admitted.exchange.answerOwn(own);
  }

  /** Decides what follows a failure: the next candidate, or the failure as the client's response. */
  #afterFailure(candidate: Candidate, outcome: Extract<Outcome, { readonly kind: "failed" }>): Next | undefined {
    const { walk, parts } = this.#options;
    const { failure } = outcome;
    this.#failures.push(`${labelOf(candidate)}: ${failure.reason}`);
    const asked = askedOf(candidate);
    if (asked !== undefined) parts.unified.rests.fail(asked, failure, Date.now());
    const next = walk.afterFailure(candidate, failure, Date.now());
    if (next === undefined) outcome.deliver();
    else recordFailedAttempt(this.#options, outcome.attempt, this.#attempts, outcome);
    return next;
  }

  /** Asks a candidate, and once more where it names a member that it does not take. */
  async #ask({ candidate }: Next): Promise<Outcome> {
    const first = await this.#attempt(candidate, { without: this.#knownRejected(candidate), issuer: undefined });
    if (first.kind !== "failed" || first.failure.status !== 400 || this.#aborted) return first;
    const { parts } = this.#options;
    const { attempt, body } = first;
    const member = attempt.outbound.kind === "translated" ? rejectedMember(body, attempt.outbound.body) : undefined;
    const dropsState = namesState(body);
    if (member === undefined && !dropsState) return first;
    recordFailedAttempt(this.#options, attempt, this.#attempts, first);
    if (member !== undefined)
      parts.unified.rejected.note(speedKey({ ...candidate.target, model: candidate.model }), member);
    return this.#attempt(candidate, {
      without: this.#knownRejected(candidate),
      issuer: dropsState ? NO_ISSUER : undefined,
    });
  }

  #knownRejected({ target, model }: Candidate): readonly string[] {
    return this.#options.parts.unified.rejected.of(speedKey({ ...target, model }));
  }

  async #attempt(
    candidate: Candidate,
    { without, issuer }: { readonly without: readonly string[]; readonly issuer: string | undefined },
  ): Promise<Outcome> {
    const { parts, admitted, work, first } = this.#options;
    const { organization } = admitted.meta;
    const given: AttemptParts = {
      parts,
      admitted,
      work: issuer === undefined ? work : { ...work, description: { ...work.description, hasState: true } },
      ownKey: work.admission.own.keyOf(candidate.target.provider, first),
      states: issuer === undefined ? parts.unified.callStates.of(organization, work.body) : {},
      without,
      issuer,
      change: undefined,
    };
    const outbound = await writeFor(candidate, given);
    if (outbound.kind === "invalid") throw invalid(outbound.loss);
    if (outbound.kind === "refused") {
      this.#options.walk.passOver(candidate.target);
      return { kind: "passed over", error: untranslatable(outbound.loss, candidate) };
    }
    let change: RequestChange | undefined;
    try {
      change = await askForTarget(this.#options, candidate, this.#attempts === 0);
    } catch (error) {
      if (error instanceof Refused || error instanceof GatewayError) return { kind: "passed over", error };
      throw error;
    }
    const changed = { ...given, change };
    const sent = change?.body === undefined ? outbound : await writeFor(candidate, changed);
    if (sent.kind === "invalid" || sent.kind === "refused")
      return { kind: "passed over", error: untranslatable(sent.loss, candidate) };
    if (sent.kind === "estimate") {
      answerEstimate(admitted, work, candidate, sent.tokens);
      return { kind: "answered" };
    }
    const attempt = await prepare(candidate, sent, changed);
    if (attempt === undefined)
      return {
        kind: "passed over",
        error: new GatewayError("untranslatable", `${labelOf(candidate)} does not have this endpoint`),
      };
    return this.#aborted ? { kind: "answered" } : this.#send(attempt);
  }

  #send(attempt: Attempt): Promise<Outcome> {
    const { parts } = this.#options;
    this.#attempts++;
    const asked = askedOf(attempt.candidate);
    if (asked !== undefined) parts.unified.rests.begin(asked, Date.now());
    const response = new AttemptResponse({
      ...this.#options,
      attempt,
      number: this.#attempts,
      failures: this.#failures,
      isPaused: () => this.#paused,
    });
    this.#response = response;
    return response.open();
  }
}

export const labelOf = ({ target, model }: Candidate): string => `${target.provider.name.toLowerCase()}/${model}`;

function nothingLeft(walk: Walk): GatewayError {
  return walk.candidates.length === 0
    ? new GatewayError("credential_locked")
    : new GatewayError("no_credential", "no target of this route is open to this request");
}

function invalid({ path, why = "cannot be read" }: Loss): GatewayError {
  return new GatewayError("invalid_body", path === "" ? why : `${path}: ${why}`, { path });
}

function untranslatable({ path, why }: Loss, candidate: Candidate): GatewayError {
  const reason = why ?? "the target cannot take it";
  const message = path === "" ? `${labelOf(candidate)}: ${reason}` : `${path}: ${reason} (${labelOf(candidate)})`;
  return new GatewayError("untranslatable", message, path === "" ? {} : { path });
}

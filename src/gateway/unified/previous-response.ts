import { GatewayError } from "../../errors.ts";
import type { Candidate } from "../../routing/walk.ts";
import type { AnswerName } from "../../threads.ts";
import type { Description } from "../../unified/describe.ts";
import type { EarlierAnswer } from "../../unified/earlier-answer.ts";
import type { RoutingParts } from "../gateway-parts.ts";
import { inTime, type Recorded } from "./recorded.ts";
import type { UnifiedAdmission } from "./unified-admission.ts";

/** The response that a request continues from, by `previous_response_id`. */
export class PreviousResponse {
  readonly #recorded: Recorded;
  readonly #name: AnswerName;
  /** Who made it; undefined if no record shows it. */
  readonly answer: EarlierAnswer | undefined;
  /** Why the records could not be read. */
  readonly #failure: unknown;
  #turns: Promise<string | undefined> | undefined;

  private constructor(recorded: Recorded, name: AnswerName, answer: EarlierAnswer | undefined, failure: unknown) {
    this.#recorded = recorded;
    this.#name = name;
    this.answer = answer;
    this.#failure = failure;
  }

  /** Never rejects: a target that knows the response itself needs no records. */
  static async find(recorded: Recorded, name: AnswerName): Promise<PreviousResponse> {
    try {
      return new PreviousResponse(recorded, name, await inTime(recorded.answerOf(name)), undefined);
    } catch (error) {
      return new PreviousResponse(recorded, name, undefined, error);
    }
  }

  /** Whether a candidate can look the response up itself, as far as known. */
  isKnownTo({ target, credential }: Candidate): boolean {
    const { answer } = this;
    if (answer === undefined) return true;
    const name = credential === "client" ? "client" : credential.name;
    return answer.isProviders && answer.provider === target.provider.name && answer.credential === name;
  }

  /**
   * The turns that led to it, as JSON, for candidates that cannot look it up.
   *
   * @throws GatewayError `previous_response_not_found`, `database_unavailable`.
   */
  async turns(): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#turns ??=
      this.answer === undefined ? Promise.resolve(undefined) : inTime(this.#recorded.turnsBefore(this.#name));
    const turns = await this.#turns;
    if (turns === undefined) throw notFound();
    return turns;
  }
}

const COMPACT = "/responses/compact";

/** The response that a request continues from. Only a Responses request can: no other API has such a member. */
export function previousOf(
  { unified }: RoutingParts,
  organizationId: string,
  { endpoint }: Pick<UnifiedAdmission, "endpoint">,
  { previousResponse }: Description,
): Promise<PreviousResponse> | undefined {
  const isResponses =
    endpoint.kind === "same" ? endpoint.path === COMPACT : "shape" in endpoint && endpoint.shape === "responses";
  if (previousResponse === undefined || !isResponses) return undefined;
  return PreviousResponse.find(unified.recorded, { organizationId, answerId: previousResponse });
}

/** The error if a request cannot continue from a response. */
export const notFound = () =>
  new GatewayError("previous_response_not_found", undefined, { path: "previous_response_id" });

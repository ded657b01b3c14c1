import { GatewayError } from "../../../errors.ts";
import type { Candidate } from "../../../routing/walk.ts";
import type { ResponseName } from "../../../threads.ts";
import type { Description } from "../../../unified/describe.ts";
import type { EarlierResponse } from "../../../unified/earlier-response.ts";
import type { RoutingParts } from "../../gateway-parts.ts";
import type { UnifiedAdmission } from "../admission/unified-admission.ts";
import { inTime, type Recorded } from "./recorded.ts";

/** The response that a request continues from, by `previous_response_id`. */
export class PreviousResponse {
  readonly #recorded: Recorded;
  readonly #name: ResponseName;
  /** Who made it; undefined if no record shows it. */
  readonly response: EarlierResponse | undefined;
  /** Why the records could not be read. */
  readonly #failure: unknown;
  #turns: Promise<string | undefined> | undefined;

  private constructor(recorded: Recorded, name: ResponseName, response: EarlierResponse | undefined, failure: unknown) {
    this.#recorded = recorded;
    this.#name = name;
    this.response = response;
    this.#failure = failure;
  }

  /** Never rejects: a target that knows the response itself needs no records. */
  static async find(recorded: Recorded, name: ResponseName): Promise<PreviousResponse> {
    try {
      return new PreviousResponse(recorded, name, await inTime(recorded.responseOf(name)), undefined);
    } catch (error) {
      return new PreviousResponse(recorded, name, undefined, error);
    }
  }

  /** Whether a candidate can look the response up itself, as far as known. */
  isKnownTo({ target, credential }: Candidate): boolean {
    const { response } = this;
    if (response === undefined) return true;
    const name = credential === "client" ? "client" : credential.name;
    return response.isProviders && response.provider === target.provider.name && response.credential === name;
  }

  /**
   * The turns that led to it, as JSON, for candidates that cannot look it up.
   *
   * @throws GatewayError `previous_response_not_found`, `database_unavailable`.
   */
  async turns(): Promise<string> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#turns ??=
      this.response === undefined ? Promise.resolve(undefined) : inTime(this.#recorded.turnsBefore(this.#name));
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
  return PreviousResponse.find(unified.recorded, { organizationId, responseId: previousResponse });
}

/** The error if a request cannot continue from a response. */
export const notFound = () =>
  new GatewayError("previous_response_not_found", undefined, { path: "previous_response_id" });

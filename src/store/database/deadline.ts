import { GatewayError } from "../../errors.ts";

/** The deadline of a query that takes several statements. */
export class Deadline {
  readonly #endsAt: number;

  constructor(milliseconds: number) {
    this.#endsAt = performance.now() + milliseconds;
  }

  /**
   * The time left, as query options.
   *
   * @throws GatewayError `query_timeout` when none is left.
   */
  rest(): { readonly deadlineMs: number } {
    const deadlineMs = this.#endsAt - performance.now();
    if (deadlineMs <= 0) throw new GatewayError("query_timeout");
    return { deadlineMs };
  }
}

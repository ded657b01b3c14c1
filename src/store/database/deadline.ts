import { GatewayError } from "../../errors.ts";

/** The moment until which a query that takes several statements must be done. */
export class Deadline {
  readonly #endsAt: number;

  constructor(milliseconds: number) {
    this.#endsAt = performance.now() + milliseconds;
  }

  /**
   * The time that is left, as the store takes it.
   *
   * @throws GatewayError `query_timeout` where none is.
   */
  rest(): { readonly deadlineMs: number } {
    const deadlineMs = this.#endsAt - performance.now();
    if (deadlineMs <= 0) throw new GatewayError("query_timeout");
    return { deadlineMs };
  }
}

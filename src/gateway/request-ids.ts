import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";

/** Maximum number of chosen ids remembered while the recorder may not have read them yet. */
const REMEMBERED_MAX = 100_000;

/** Ids that clients choose. The recorder knows every recorded id; the most recent ones are known here. */
export class RequestIds {
  readonly #log: Log;
  readonly #claim: (id: string) => Promise<boolean>;
  readonly #isInFlight: (id: string) => boolean;
  readonly #chosen: Set<string>;

  constructor(
    log: Log,
    claim: (id: string) => Promise<boolean>,
    isInFlight: (id: string) => boolean,
    chosen: Set<string> = new Set(),
  ) {
    this.#chosen = chosen;
    this.#log = log;
    this.#claim = claim;
    this.#isInFlight = isInFlight;
  }

  /**
   * Takes an id for one request. If the recorder cannot be reached, the id is accepted: traffic continues.
   *
   * @param id - lower case.
   * @returns false if another request has it.
   */
  async take(id: string): Promise<boolean> {
    if (this.#chosen.has(id) || this.#isInFlight(id)) return false;
    this.#remember(id);
    try {
      return await this.#claim(id);
    } catch (error) {
      this.#log.warn("the recorder cannot say whether a request id is known", { error: messageOf(error) });
      return true;
    }
  }

  /** As `take`. @throws GatewayError `duplicate_request_id`. */
  async claim(id: string): Promise<void> {
    if (!(await this.take(id))) throw new GatewayError("duplicate_request_id");
  }

  #remember(id: string): void {
    if (this.#chosen.size >= REMEMBERED_MAX) {
      const oldest = this.#chosen.values().next().value;
      if (oldest !== undefined) this.#chosen.delete(oldest);
    }
    this.#chosen.add(id);
  }
}

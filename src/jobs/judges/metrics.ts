import { gaugeText } from "../../runtime/metrics.ts";
import { countLeftOut } from "../../store/judges/judges.ts";
import type { Database } from "../../store/store.ts";

const COUNT_MS = 500;

/** Records that judges skipped because their queue was full, from the database. */
export class JudgeMetrics {
  #leftOut = 0;

  /** Prometheus text. If the database cannot be read, the value is the last known one. */
  async text(records: Database): Promise<string> {
    this.#leftOut = await countLeftOut(records, COUNT_MS).catch(() => this.#leftOut);
    return gaugeText(
      "weir_judge_requests_left_out",
      "Requests in the share of a judge that were left out, because its line was full.",
      this.#leftOut,
    );
  }
}

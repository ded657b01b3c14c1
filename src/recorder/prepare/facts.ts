import { toHeaders } from "../../bodies/headers.ts";
import { USAGE_COUNTS } from "../../mapping/usage.ts";
import type { RecordFacts, RequestEnd, Usage } from "../../plugin-host/contract.ts";
import type { Prepared } from "./prepared.ts";

/** What plugins may read of a record; each member is computed on first read, because most plugins read few or none. */
export class PreparedFacts implements RecordFacts {
  readonly #prepared: Prepared;

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  get #row() {
    return this.#prepared.row;
  }
  get method() {
    return this.#prepared.exchange.begin.method;
  }
  get path() {
    return this.#prepared.exchange.begin.path;
  }
  get target() {
    const { begin, head } = this.#prepared.exchange;
    return head?.target ?? (begin.target === "" ? null : begin.target);
  }
  get wireSchema() {
    return this.#row.wire_schema ?? null;
  }
  get requestModel() {
    return this.#row.request_model ?? null;
  }
  get responseModel() {
    return this.#row.response_model ?? null;
  }
  get responseId() {
    return this.#row.response_id ?? null;
  }
  get startedAt() {
    return this.#prepared.exchange.begin.time;
  }
  get endedAt() {
    const { end } = this.#prepared.exchange;
    return end === undefined || end.outcome === "cut_off" ? null : end.time;
  }
  get timeToFirstToken() {
    return this.#row.time_to_first_token ?? null;
  }
  get usage(): Usage {
    const counts = USAGE_COUNTS.map((name) => [name, this.#row[name]] as const);
    return Object.fromEntries(counts.filter(([, count]) => typeof count === "number"));
  }
  get usageEstimated() {
    return this.#row.usage_estimated === 1;
  }
  get streamed() {
    return this.#row.streamed === 1;
  }
  get cached() {
    return this.#row.cached === 1;
  }
  get outcome(): RequestEnd["outcome"] | null {
    return this.#prepared.exchange.end?.outcome ?? null;
  }
  get error() {
    const { error_code: code = null, error_message: message = null } = this.#row;
    return code === null && message === null ? null : { code, message };
  }
  get sessionId() {
    return this.#row.session_id ?? null;
  }
  get promptId() {
    return this.#row.prompt_id ?? null;
  }
  get promptText() {
    return this.#prepared.texts.prompt ?? null;
  }
  get responseText() {
    return this.#prepared.texts.completion ?? null;
  }
  get requestHeaders() {
    return toHeaders(this.#prepared.exchange.begin.headers.pairs);
  }
  get responseHeaders() {
    return toHeaders(this.#prepared.exchange.head?.headers.pairs ?? []);
  }
}

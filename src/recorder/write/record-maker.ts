import { type Log, messageOf } from "../../log.ts";
import type { RecordDraft } from "../../plugin-host/contract.ts";
import { TOGETHER_BYTES_MAX, together, withinLimit } from "../../plugin-host/hooks/time-limit.ts";
import { PROVIDER_UNKNOWN, providerOf } from "../../record/provider.ts";
import { NOTED_MAX, type ReadingNote, type Step } from "../../spool/reading-note.ts";
import type { UsedTokens } from "../../threads.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { RecorderLosses } from "../losses.ts";
import type { DropReason, RecorderMetrics } from "../metrics.ts";
import { applyDraft, bodyTexts, type RecordHooks, storedDraft, toDraft } from "../prepare/hooks.ts";
import { prepare, prepareAtOnce, prepareBare } from "../prepare/prepare.ts";
import type { PrepareDeps, Prepared } from "../prepare/prepared.ts";
import { responseFacts } from "../prepare/response-facts.ts";
import { prepareUnread, unreadReason } from "../prepare/unread.ts";
import type { RecordNotes } from "../record-notes.ts";
import type { ResponseFeed } from "../response-feed.ts";

export interface RecordMakerOptions extends Omit<PrepareDeps, "onReadingFailed"> {
  readonly hooks: RecordHooks | undefined;
  readonly responses: ResponseFeed | undefined;
  readonly notes: RecordNotes;
  readonly metrics: RecorderMetrics;
  readonly losses: RecorderLosses;
  readonly note: ReadingNote;
  readonly log: Log;
}

/** A record as the log shows it: without its bodies, headers and path. */
function lineOf({ row, exchange: { begin, head } }: Prepared) {
  return {
    request_id: row.request_id,
    provider: providerOf(row),
    target: head?.target ?? begin.target,
    status: row.response_status,
    outcome: row.outcome,
    delay_ms: row.delay_ms,
    time_to_first_token: row.time_to_first_token,
  };
}

/** A record on its way into the database, with the draft that plugins saw. */
export interface Ready {
  readonly record: Prepared;
  readonly draft: RecordDraft | undefined;
}

/** Makes records of exchanges, and reports what became of them. */
export class RecordMaker {
  readonly #options: RecordMakerOptions;
  readonly #deps: PrepareDeps;
  /** Records since startup whose bodies were not read. */
  unread = 0;

  constructor(options: RecordMakerOptions) {
    const { log, metrics } = options;
    const failures = new Map<string, number>();
    this.#options = options;
    this.#deps = {
      ...options,
      onReadingFailed: (error, provider) => {
        metrics.readingFailures.add(1, { provider });
        const count = (failures.get(provider) ?? 0) + 1;
        failures.set(provider, count);
        // A function that fails for every exchange must not fill the disk with log lines.
        if (count > 10 && count % 1_000 !== 0) return;
        log.warn("an exchange could not be read completely", { provider, failures: count, error: messageOf(error) });
      },
    };
  }

  /** How many of the exchanges from `at` on are small enough to be read together. */
  together(done: readonly Exchange[], at: number): number {
    const { note } = this.#options;
    let bytes = 0;
    let count = 0;
    for (; count < NOTED_MAX && at + count < done.length; count++) {
      const { id, request, response, messages, provider } = done[at + count]!;
      bytes += request.bytes + response.bytes + (messages?.bytes ?? 0) + (provider?.bytes ?? 0);
      if (bytes > TOGETHER_BYTES_MAX || note.isSuspect(id)) break;
    }
    return count;
  }

  /**
   * Records of small exchanges, in order; undefined for one that must be prepared alone.
   *
   * @param now - milliseconds since 1970, the same for all that are written together: their rows then have more in common.
   */
  prepareTogether(exchanges: readonly Exchange[], now: number): readonly (Prepared | undefined)[] {
    this.#options.note.beginTogether(exchanges.map(({ id }) => id));
    const records: (Prepared | undefined)[] = [];
    together(() => {
      for (const exchange of exchanges) records.push(prepareAtOnce(exchange, this.#deps, now));
    });
    return records;
  }

  /** A finished record that no plugin sees. Most are, and they need no promise. */
  withoutPlugins(record: Prepared | undefined): Ready | undefined {
    return record === undefined || this.#options.hooks?.has("onRecord") ? undefined : { record, draft: undefined };
  }

  /** @param read - its record, if it already exists. */
  async prepareFinal(exchange: Exchange, read?: Prepared): Promise<Ready | undefined> {
    const { note, hooks } = this.#options;
    const fault = note.faultOf(exchange.id);
    const begin = (step: Step) => note.begin(exchange.id, step);
    if (read === undefined) begin(fault === undefined ? "read" : "raw");
    const record = read ?? (fault === undefined ? await this.#prepare(exchange) : await this.#aside(exchange, fault));
    // Plugins in which the process died are not called again.
    if (fault?.step === "plugins" || !hooks?.has("onRecord")) return { record, draft: undefined };
    begin("plugins");
    return this.#throughPlugins(record, hooks);
  }

  /** Clears the note of the exchanges that were being prepared. */
  prepared(): void {
    this.#options.note.clear();
  }

  /** Prepared like a final record, so that a plugin that redacts records redacts this row too. */
  async prepareRow(exchange: Exchange): Promise<Prepared | undefined> {
    const { hooks, note } = this.#options;
    const record = prepareBare(exchange, Date.now());
    if (!hooks?.has("onRecord") || note.faultOf(exchange.id)?.step === "plugins") return record;
    note.begin(exchange.id, "plugins");
    const ready = await this.#throughPlugins(record, hooks);
    exchange.dropped = ready === undefined;
    return ready?.record;
  }

  async afterCommit(ready: readonly Ready[], recorded: readonly Prepared[]): Promise<void> {
    const { hooks, responses, notes, metrics, note, provider, log } = this.#options;
    if (note.hasFaults) note.settle([...recorded].map(({ row }) => row.request_id));
    const used: UsedTokens[] = [];
    for (const record of recorded) {
      const { row } = record;
      log.debug("recorded", lineOf(record));
      if (row.routed_model != null && row.completion_tokens != null)
        used.push({ requestId: row.request_id, outputTokens: row.completion_tokens });
      metrics.used.add(provider(providerOf(row))?.name ?? PROVIDER_UNKNOWN, row);
      if (row.unread != null) this.#noteUnread(row.request_id, row.unread);
    }
    responses?.reportUsed(used);
    if (!responses?.wanted && !hooks?.has("onRecorded")) return;
    const those = new Set(recorded);
    const stored = ready.filter(({ record }) => those.has(record));
    if (responses?.wanted) await this.#show(responses, stored);
    if (!hooks?.has("onRecorded")) return;
    for (const { record, draft } of stored) {
      const { request_id: requestId, organization_id: organizationId } = record.row;
      const lag = notes.addLater({ requestId, organizationId }, hooks.onRecorded(storedDraft(record, draft)));
      if (lag !== undefined) await lag;
    }
  }

  async #show(responses: ResponseFeed, stored: readonly Ready[]): Promise<void> {
    for (const { record, draft } of stored) {
      const lag = responses.add(responseFacts(record, draft));
      if (lag !== undefined) await lag;
    }
    responses.flush();
  }

  #noteUnread(id: string, reason: string): void {
    this.unread++;
    this.#options.metrics.unread.add(1, { reason: reason.slice(0, reason.indexOf(":")) });
    this.#options.log.error("a record's bodies are not read; `weir models reread` tries again", {
      request_id: id,
      reason,
    });
  }

  drop(reason: DropReason, id: string, error?: string): void {
    this.#options.metrics.dropped.add(1, { reason });
    if (reason === "plugin") return;
    this.#options.losses.note("unrecorded", reason);
    this.#options.log.error("an exchange has no record", { reason, request_id: id, error });
  }

  /** If reading the bodies fails or takes too long, they are stored as received. */
  async #prepare(exchange: Exchange): Promise<Prepared> {
    try {
      return await withinLimit((within) => prepare(exchange, this.#deps, Date.now(), within));
    } catch (error) {
      this.#deps.onReadingFailed(error, exchange.begin.provider);
      return this.#unread(exchange, unreadReason(error));
    }
  }

  /**
   * A body that ended the thread or process before is not read again; if it did so even on this path, the record has no
   * bodies.
   */
  async #aside(
    exchange: Exchange,
    { step, reason }: NonNullable<ReturnType<ReadingNote["faultOf"]>>,
  ): Promise<Prepared> {
    if (step !== "raw") return this.#unread(exchange, reason);
    const bare = prepareBare(exchange, Date.now());
    return { ...bare, row: { ...bare.row, unread: reason } };
  }

  async #unread(exchange: Exchange, reason: string): Promise<Prepared> {
    try {
      return await prepareUnread(exchange, reason, this.#deps, Date.now());
    } catch (error) {
      this.#deps.onReadingFailed(error, exchange.begin.provider);
      const bare = prepareBare(exchange, Date.now());
      return { ...bare, row: { ...bare.row, unread: reason } };
    }
  }

  async #throughPlugins(record: Prepared, hooks: RecordHooks): Promise<Ready | undefined> {
    const { log, metrics } = this.#options;
    const draft = toDraft(record);
    const before = bodyTexts(draft);
    if (!(await hooks.onRecord(draft, before))) return undefined;
    try {
      return { record: applyDraft(record, draft, before, this.#deps), draft };
    } catch (error) {
      // A draft that cannot be serialized, for example because it is circular.
      metrics.draftFailures.add();
      log.warn("what plugins made of a record cannot be stored; it is stored without", { error: messageOf(error) });
      return { record, draft };
    }
  }
}

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { RecordWalk, WalkPosition } from "../../engine/record-walk.ts";
import type { Log } from "../../log.ts";
import { type Inference, inferMapping } from "../../mapping/infer/infer.ts";
import type { Sample } from "../../mapping/infer/sample.ts";
import { SYSTEM } from "../../people/actor.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { LearntTables } from "../../store/models/learnt.ts";
import { isCurrent } from "../../store/models/mapping-steps.ts";
import {
  addMapping,
  type ModelName,
  mappingHistory,
  markMapped,
  markPending,
  nextReread,
  noteReread,
  type Reread,
} from "../../store/models/mappings.ts";
import { expeditedModels, listModels, type ModelRow } from "../../store/models/models.ts";
import type { Database, Store } from "../../store/store.ts";
import type { ExpediteOrder, ModelOutcome, RecordChange } from "../../threads.ts";
import { loadRecorded } from "./recorded.ts";
import { reread } from "./reread.ts";

/** Maximum samples for learning a mapping, and how many of them may be failures. */
const SAMPLES_MAX = 20;
const FAILURES_MAX = 5;
/** Maximum bytes of sample bodies in memory; a single one may be larger. */
const SAMPLE_BYTES_MAX = 16 * 1024 * 1024;
/** Below this confidence, a mapping waits for approval. */
const CONFIDENCE_MIN = 0.6;
/** Maximum records per step of re-reading, and bytes of their bodies. */
const BATCH_RECORDS = 100;
const BATCH_BYTES = 16 * 1024 * 1024;

interface MapperOptions {
  /** Used for reading. */
  readonly reader: Store;
  readonly walk: RecordWalk;
  /** Used for mappings and models only. */
  readonly writer: () => Promise<Store>;
  /** The recorder writes the records. */
  readonly rewrite: (changes: readonly RecordChange[]) => Promise<unknown>;
  /** Called when mappings have changed: new records are then read with them. */
  readonly onChanged: () => Promise<void>;
  readonly learnt: LearntTables;
  readonly provider: (name: string) => ProviderPlugin | undefined;
  readonly log: Log;
  /** Milliseconds until all nodes use a mapping: records from before that are read again too. */
  readonly spreadMs?: number;
}

const nameOf = ({ organization_id: organizationId, provider, model }: ModelRow): ModelName => ({
  organizationId,
  provider,
  model,
});

/**
 * Learns mappings of pending models, and reads their old records again.
 *
 * Progress is stored in the database: a killed mapper continues where it was. The caller ensures that only one runs.
 */
export class Mapper {
  readonly #options: MapperOptions;
  #stopped = false;

  constructor(options: MapperOptions) {
    this.#options = options;
  }

  /** All pending models; those with a rolled-back mapping only on request. */
  async mapAll(): Promise<readonly ModelOutcome[]> {
    const all = await listModels(this.#options.reader.records);
    return this.#mapEach(all.filter(({ state }) => state === "pending").map(nameOf), false);
  }

  /** Models whose mapping the command line requested. */
  async mapOrdered(): Promise<readonly ModelOutcome[]> {
    return this.#mapEach((await expeditedModels(this.#options.reader.records)).map(nameOf), true);
  }

  async map({ organizationId, model, provider }: ExpediteOrder): Promise<readonly ModelOutcome[]> {
    const all = await listModels(this.#options.reader.records, organizationId, model);
    const meant = all.filter((each) => provider === undefined || each.provider === provider);
    return this.#mapEach(meant.map(nameOf), true);
  }

  /** Reads records of changed mappings again, in small steps. @returns the number of changed records. */
  async rereadAll(): Promise<number> {
    let changed = 0;
    const { reader, learnt } = this.#options;
    for (;;) {
      const next = this.#stopped ? undefined : await nextReread(reader.records);
      if (next === undefined) return changed;
      await learnt.refresh(reader.records);
      changed += await this.#rereadModel(next);
    }
  }

  /** Ends after the current step. */
  stop(): void {
    this.#stopped = true;
  }

  async #mapEach(names: readonly ModelName[], requested: boolean): Promise<ModelOutcome[]> {
    const outcomes: ModelOutcome[] = [];
    for (const name of names) {
      if (this.#stopped) break;
      const outcome = await this.#mapModel(name, requested);
      if (outcome !== undefined) outcomes.push(outcome);
    }
    return outcomes;
  }

  async #mapModel(name: ModelName, requested: boolean): Promise<ModelOutcome | undefined> {
    const { reader, writer, onChanged, log } = this.#options;
    const [newest] = await mappingHistory(reader.records, name);
    if (!requested && newest !== undefined && (newest.state === "rolled back" || newest.state === "draft"))
      return undefined;
    const { records } = await writer();
    if ((newest === undefined || !isCurrent(newest)) && (await this.#isRead(name))) {
      await markMapped(records, name);
      const { provider, model } = name;
      return { provider, model, state: "mapped", version: null, confidence: null, samples: 0, reason: null };
    }
    if (newest?.state === "approved") return this.#outcome(name, await this.#finish(records, name));
    const found = inferMapping(await this.#samples(name), name.model);
    if ("reason" in found) {
      await markPending(records, name, found.reason);
      log.info("a model stays pending", { provider: name.provider, model: name.model, reason: found.reason });
      return this.#outcome(name, found);
    }
    const { mapping, confidence, samples } = found;
    const isSure = confidence >= CONFIDENCE_MIN;
    const isKnown = newest !== undefined && JSON.stringify(newest.mapping) === JSON.stringify(mapping);
    if (!(isKnown && (newest.state === "active" || (newest.state === "draft" && !isSure)))) {
      const state = isSure ? "active" : "draft";
      await addMapping(records, name, { state, origin: "inferred", mapping, confidence, samples }, SYSTEM);
    }
    if (!isSure) {
      const reason = `a mapping was found, but with confidence ${confidence} it waits for approval`;
      await markPending(records, name, reason);
      return this.#outcome(name, { reason, samples });
    }
    log.info("a model is mapped", { provider: name.provider, model: name.model, confidence, samples });
    await onChanged();
    return this.#outcome(name, await this.#finish(records, name));
  }

  /** Reads the rest of a model's records again. Notifies waiting callers on other nodes, even if nothing is new. */
  async #finish(records: Database, name: ModelName): Promise<Inference | undefined> {
    await this.rereadAll();
    const current = (await mappingHistory(this.#options.reader.records, name)).find(isCurrent);
    if (current !== undefined) await markMapped(records, name);
    return current;
  }

  async #outcome({ provider, model, organizationId }: ModelName, found: Inference | undefined): Promise<ModelOutcome> {
    const samples = found?.samples ?? 0;
    if (found === undefined || "reason" in found) {
      const reason = found !== undefined && "reason" in found ? found.reason : null;
      return { provider, model, state: "pending", version: null, confidence: null, samples, reason };
    }
    const history = await mappingHistory(this.#options.reader.records, { organizationId, provider, model });
    const version = history.find(isCurrent)?.version ?? null;
    return { provider, model, state: "mapped", version, confidence: found.confidence, samples, reason: null };
  }

  /** Whether a known format reads the model, judged by its newest successful response. */
  async #isRead(name: ModelName): Promise<boolean> {
    const format = await this.#options.walk.formatOf(name);
    return format !== undefined && format !== null && format !== "mapped";
  }

  /** The newest exchanges of the model without a known format: successes, and a few failures. */
  async #samples(of: ModelName): Promise<Sample[]> {
    const { reader, walk } = this.#options;
    const rows = [
      ...(await walk.samples({ of, succeeded: true, limit: SAMPLES_MAX })),
      ...(await walk.samples({ of, succeeded: false, limit: FAILURES_MAX })),
    ];
    const samples: Sample[] = [];
    let bytes = 0;
    for (const row of rows) {
      bytes += row.size_bytes;
      if (bytes > SAMPLE_BYTES_MAX && samples.length > 0) break;
      const [recorded] = await loadRecorded(reader.content, [row]);
      const { requestBody, responseBody, events } = recorded!;
      samples.push({ requestBody, responseBody, events, status: row.response_status ?? 0 });
    }
    return samples;
  }

  async #rereadModel(from: Reread): Promise<number> {
    const { reader, writer, walk, rewrite, spreadMs = 0 } = this.#options;
    // Another node may still record without the mapping, and such a record would then be behind the position.
    if (spreadMs > 0) await sleep(spreadMs);
    const { records } = await writer();
    let at = from;
    let changed = 0;
    while (!this.#stopped) {
      const step = firstBytes(await walk.next({ kind: "mapped", of: from }, positionOf(at), BATCH_RECORDS));
      const changes = await this.#reread(step);
      if (changes.length > 0) await rewrite(changes);
      changed += changes.length;
      const last = step.at(-1);
      const after = last && { createdAt: last.request_created_at, requestId: last.request_id };
      await noteReread(records, at, after);
      if (after === undefined) break;
      at = { ...at, after };
      const now = await nextReread(reader.records);
      // The mapping changed meanwhile: the caller restarts with the new one.
      if (now === undefined || now.version !== at.version || now.after?.requestId !== after.requestId) break;
    }
    return changed;
  }

  async #reread(rows: readonly RequestRow[]): Promise<RecordChange[]> {
    const changes: RecordChange[] = [];
    for (const recorded of await loadRecorded(this.#options.reader.content, rows)) {
      const change = await reread(recorded, this.#options);
      if (change !== undefined) changes.push(change);
      await nextTurn();
    }
    return changes;
  }
}

function positionOf({ organizationId, after }: Reread): WalkPosition | undefined {
  if (after === undefined) return undefined;
  return { organization_id: organizationId, request_created_at: after.createdAt, request_id: after.requestId };
}

/** As many rows as fit into memory with their bodies; at least one. */
function firstBytes(rows: readonly RequestRow[]): readonly RequestRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.size_bytes;
    return index > 0 && bytes > BATCH_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

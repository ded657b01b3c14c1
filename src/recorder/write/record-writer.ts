import type { Config } from "../../config.ts";
import type { RecordSink } from "../../engine/record-sink.ts";
import { engineSink } from "../../engine/writer.ts";
import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import type { ShareClaim, ShareResult } from "../../plugin-host/host/shares.ts";
import type { MappingsOfProviders } from "../../store/bodies/body-text.ts";
import { migrate } from "../../store/migrate.ts";
import { claimShares } from "../../store/nodes/shares.ts";
import { type Positions, placesOf } from "../../store/spool-positions.ts";
import { localPath, openStore, type Store } from "../../store/store.ts";
import type { Arrival, ArrivalResult, RecordUpdate, UpdateResult } from "../../threads.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { JudgeRules } from "../judge-rules.ts";
import type { Prepared } from "../prepare/prepared.ts";
import { WebhookRules } from "../webhook-rules.ts";
import { planCommit } from "./commit-plan.ts";

interface ImportContext {
  /** The organization of an exchange in flight with this id. */
  readonly inFlight: (id: string) => string | undefined;
  readonly by: Acting;
  readonly now: number;
}

interface CommitResult {
  /** Exchanges whose final record this commit stored. */
  readonly recorded: readonly Prepared[];
  /** Ids that already belong to another exchange: nothing was written for these. */
  readonly collisions: readonly string[];
}

interface RecordWriterOptions {
  readonly config: Config;
  /** Whether the database existed before: missing files were then moved away and will return. */
  readonly wasThere?: boolean | undefined;
  readonly ofProviders?: MappingsOfProviders | undefined;
}

/**
 * The recorder's side of the sink that stores records: it knows exchanges, the sink does not.
 *
 * After a call that threw, the state of the database is unknown: call `recover` before the next one.
 */
export class RecordWriter {
  readonly #config: Config;
  readonly #webhooks = new WebhookRules();
  readonly #judges = new JudgeRules();
  readonly #ofProviders: MappingsOfProviders;
  /** Whether other nodes write to the same database: numbers and ids are then reserved before use. */
  readonly isShared: boolean;
  readonly #place: string;
  readonly #migrated = Promise.withResolvers<void>();
  /** Records that `recover` has stored and whose exchanges will reappear. */
  readonly #resent = new Set<string>();
  #opened: { readonly store: Store; readonly sink: RecordSink } | undefined;
  #wasThere: boolean;

  constructor({ config, wasThere = false, ofProviders }: RecordWriterOptions) {
    this.#config = config;
    this.#ofProviders = ofProviders ?? (async () => ({}));
    this.#wasThere = wasThere;
    this.isShared = localPath(config) === undefined;
    this.#place = placesOf(config).resume;
  }

  /** The database of everything except records. */
  get store(): Store {
    return this.#open.store;
  }

  /** Resolves once `store` is open and up to date, even if records cannot be written yet. */
  get opened(): Promise<void> {
    return this.#migrated.promise;
  }

  get sink(): RecordSink {
    return this.#open.sink;
  }

  get #open() {
    if (this.#opened === undefined) throw new GatewayError("database_unavailable", "the database is not open");
    return this.#opened;
  }

  /** Opens the database if it is not open, and updates its tables. Creates it only if it never existed. */
  async recover(): Promise<void> {
    this.#opened ??= await this.#openAll();
    const { store, sink } = this.#opened;
    await migrate(store);
    this.#wasThere = true;
    this.#migrated.resolve();
    for (const id of await sink.recover()) this.#resent.add(id);
  }

  /** Loads the current webhooks and judges, which apply to everything written from now on. */
  async learn(): Promise<void> {
    const { records } = this.store;
    await this.#webhooks.load(records);
    await this.#judges.load(records);
  }

  /** Writes final records and rows of exchanges in flight, together with the spool position. */
  async commit(
    records: readonly Prepared[],
    inFlight: readonly Prepared[],
    positions: Positions | undefined,
    now: number,
  ): Promise<CommitResult> {
    const { sink } = this;
    // A record that was read before, or whose commit failed, may already be stored.
    const newIds = new Set(records.flatMap(({ exchange }) => (exchange.row === "unknown" ? [] : exchange.id)));
    const all = [...records, ...inFlight];
    const known = await sink.known(all.filter(mayBeKnown).map(({ exchange }) => exchange.id));
    const plan = planCommit(all, known, this.#resent);
    const finished = plan.written.filter(({ exchange }) => exchange.end !== undefined);
    const deliveries = [...this.#webhooks.deliveriesOf(finished, now), ...this.#judges.judgementsOf(finished, now)];
    const { fresh, completed, recorded, collisions } = plan;
    const keys = await sink.commit({ fresh, completed, newIds, deliveries, positions, now });
    for (const { exchange } of recorded) this.#resent.delete(exchange.id);
    for (const [at, { exchange }] of fresh.entries()) {
      exchange.row = "stored";
      exchange.key = keys[at];
    }
    return { recorded, collisions };
  }

  /** Writes imported records, in the order given. Existing records stay unchanged. */
  async import(arrivals: readonly Arrival[], { inFlight, by, now }: ImportContext): Promise<ArrivalResult[]> {
    const { sink } = this;
    const ids = arrivals.map(({ row }) => row.request_id);
    const owners = new Map<string, string>();
    for (const id of ids) {
      const owner = inFlight(id);
      if (owner !== undefined) owners.set(id, owner);
    }
    for (const [id, { organizationId }] of await sink.known(ids)) owners.set(id, organizationId);
    const fresh: Arrival[] = [];
    const results = arrivals.map((arrival): ArrivalResult => {
      const { request_id, organization_id } = arrival.row;
      const owner = owners.get(request_id);
      if (owner !== undefined) return owner === organization_id ? "existing" : "taken";
      owners.set(request_id, organization_id);
      fresh.push(arrival);
      return "imported";
    });
    if (fresh.length > 0) await sink.import(fresh, { by, now, deliveries: this.#judges.judgementsOf(fresh, now) });
    return results;
  }

  /** Changes records. @param inFlight - finds the exchange of a record in flight: its end must not undo the change. */
  async update(
    changes: readonly RecordUpdate[],
    inFlight: (id: string) => Exchange | undefined,
    now: number,
  ): Promise<readonly UpdateResult[]> {
    const results = await this.sink.update(changes, now);
    for (const [at, { requestId, properties }] of changes.entries()) {
      const exchange = inFlight(requestId);
      if (exchange === undefined || properties === undefined || results[at] === null) continue;
      exchange.updated = Object.assign(Object.create(null), exchange.updated, properties);
    }
    return results;
  }

  /** Those of `ids` that have a final record. */
  async finalIds(ids: readonly string[]): Promise<string[]> {
    const known = await this.sink.known(ids);
    return [...known].filter(([, { isFinal }]) => isFinal).map(([id]) => id);
  }

  async isKnownId(id: string): Promise<boolean> {
    return (await this.sink.known([id])).size > 0;
  }

  claimShares(claims: readonly ShareClaim[]): Promise<ShareResult> {
    return claimShares(this.store.records, this.#place, claims);
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.store.close();
  }

  async #openAll() {
    const store = await openStore(this.#config, this.#wasThere ? "change" : "write");
    return { store, sink: engineSink({ store, config: this.#config, ofProviders: this.#ofProviders }) };
  }
}

/** Exchanges that may have a row: seen before, or with an id that the client chose. */
function mayBeKnown({ exchange, labels }: Prepared): boolean {
  return exchange.row === "unknown" || (exchange.row === "none" && labels.settings.has("request-id"));
}

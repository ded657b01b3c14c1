import type { Config } from "../../config.ts";
import { endBeheaded } from "../../engine/libsql/write/beheaded.ts";
import { toStorable } from "../../engine/libsql/write/import.ts";
import { putContents, recordStatements, setPosition } from "../../engine/libsql/write/insert.ts";
import { Kinds } from "../../engine/libsql/write/kinds.ts";
import { withPackedExcerpts } from "../../engine/libsql/write/pack-excerpts.ts";
import { WordBacklog } from "../../engine/libsql/write/word-backlog.ts";
import type { Storable } from "../../engine/storable.ts";
import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import type { ShareAnswer, ShareClaim } from "../../plugin/host/shares.ts";
import type { Position } from "../../spool/frame.ts";
import { recorded } from "../../store/audit/recorded.ts";
import type { MappingsOfProviders } from "../../store/bodies/body-text.ts";
import { identify } from "../../store/database/file-identity.ts";
import { bodiesPath } from "../../store/database/local.ts";
import { migrate } from "../../store/migrate.ts";
import { claimId, nodeIdOf, takeNumbers } from "../../store/nodes/nodes.ts";
import { claimShares } from "../../store/nodes/shares.ts";
import { lacksBodies, pairingStatements } from "../../store/pairing.ts";
import { type Database, localPath, openStore, type Statement, type Store } from "../../store/store.ts";
import { FORGET_DUE, readDue } from "../../store/words/due.ts";
import { saidTexts } from "../../store/words/said-texts.ts";
import { insertWords, type Words } from "../../store/words/shards.ts";
import type { Arrival, ArrivalResult } from "../../threads.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import type { Prepared } from "../prepare/prepare.ts";
import { WebhookRules } from "../webhook-rules.ts";
import { type KnownRow, planCommit } from "./commit-plan.ts";

/** Where each exchange in flight begins, and where reading stood, at the last commit. */
interface ImportContext {
  /** The organization of an exchange in flight of this id. */
  readonly inFlight: (id: string) => string | undefined;
  readonly by: Acting;
  readonly now: number;
}

export interface Positions {
  /** Reading must start here to see all of every exchange that is not recorded. */
  readonly resume: Position;
  /** Every exchange that ended before here is recorded. */
  readonly read: Position;
}

interface CommitResult {
  /** Exchanges whose final record is in the database now and was not before. */
  readonly recorded: readonly Prepared[];
  /** Ids that belong to another exchange already: nothing was written for these. */
  readonly collisions: readonly string[];
}

/** Name of the spool's place in a database of one's own; on a server it is the node's id. */
const OWN = "main";
const IDS_PER_QUERY = 200;
/** Records whose bodies are read together, for their words. */
const TEXTS_AT_ONCE = 50;

/** Where the next start reads the spool on, or undefined where nothing was read yet. */
export async function readPosition(config: Config, records: Database): Promise<Position | undefined> {
  const sql = `select segment, "offset" from spool_positions where spool = ?`;
  const [row] = await records.query<Position>({ sql, args: [placeOf(config)] });
  return row;
}

/** Sets both places of this data directory's spool, of which everything before is recorded. */
export async function movePosition(config: Config, records: Database, { segment, offset }: Position): Promise<void> {
  const place = placeOf(config);
  const sql = `update spool_positions set segment = ?, "offset" = ? where spool in (?, ?)`;
  await records.batch([{ sql, args: [segment, offset, place, `${place}:read`] }]);
}

/** What the place in this data directory's spool is called in its database. */
function placeOf(config: Config): string {
  return localPath(config) === undefined ? nodeIdOf(config.data_dir) : OWN;
}

/**
 * The recorder's side of the database: the only writer of records.
 *
 * After a call that threw nothing is certain: `recover` comes before the next one.
 */
export class Ledger {
  readonly #config: Config;
  readonly #webhooks: WebhookRules;
  /** Whether other nodes write into the same database: then numbers and ids are agreed on before they are used. */
  readonly isShared: boolean;
  readonly #places: { readonly resume: string; readonly read: string };
  readonly #kinds = new Kinds();
  readonly #backlog = new WordBacklog();
  readonly #ofProviders: MappingsOfProviders;
  #store: Store | undefined;
  #nextSeq = 1;
  /** Whether the database was there before: files that are missing now were moved away, and come back. */
  #wasThere: boolean;

  constructor(
    config: Config,
    wasThere = false,
    webhooks = new WebhookRules(),
    ofProviders: MappingsOfProviders = async () => ({}),
  ) {
    this.#config = config;
    this.#ofProviders = ofProviders;
    this.#wasThere = wasThere;
    this.#webhooks = webhooks;
    this.isShared = localPath(config) === undefined;
    const place = placeOf(config);
    this.#places = { resume: place, read: `${place}:read` };
  }

  get store(): Store {
    if (this.#store === undefined) throw new GatewayError("database_unavailable", "the database is not open");
    return this.#store;
  }

  /**
   * Opens the database where it is not open, brings its tables up to date, and learns what the next `seq` is. Only a
   * database that never was there is made.
   */
  async recover(): Promise<void> {
    this.#store ??= await openStore(this.#config, this.#wasThere ? "change" : "write");
    await migrate(this.#store);
    this.#wasThere = true;
    const [row] = await this.#store.records.query<{ last: number }>({
      sql: `select max(coalesce((select max(seq) from requests), 0),
        coalesce((select seq from sqlite_sequence where name = 'requests'), 0)) as last`,
      args: [],
    });
    this.#nextSeq = (row?.last ?? 0) + 1;
    await this.#indexDue();
  }

  /** Whether words have waited long enough for the index. */
  get wordsAreDue(): boolean {
    return this.#backlog.isDue;
  }

  /** Puts all words into the index that are not there yet. */
  indexWords(): Promise<void> {
    return this.#backlog.index(this.store.bodies);
  }

  /** Whether `bodies.db` is older than the records beside it. */
  async lacksBodies(): Promise<boolean> {
    return !this.isShared && (await lacksBodies(this.store));
  }

  /** The highest number of a row that is there. */
  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /** Undefined where nothing was ever committed. */
  async positions(): Promise<Positions | undefined> {
    const { resume: resumeName, read: readName } = this.#places;
    const rows = await this.store.records.query<{ spool: string; segment: number; offset: number }>({
      sql: `select spool, segment, "offset" from spool_positions where spool in (?, ?)`,
      args: [resumeName, readName],
    });
    const at = (name: string) => rows.find(({ spool }) => spool === name);
    const [resume, read] = [at(resumeName), at(readName)];
    if (resume === undefined) return undefined;
    return { resume, read: read ?? resume };
  }

  /**
   * Writes records that are final and rows of exchanges in flight, and with them how far the spool is read.
   *
   * @param positions - missing for a part of a batch: it is then not known yet that all before was written.
   */
  async commit(
    records: readonly Prepared[],
    inFlight: readonly Prepared[],
    positions: Positions | undefined,
    now: number,
  ): Promise<CommitResult> {
    const files = this.#identity();
    // One that was read before, or whose commit failed, may be stored already.
    const newIds = new Set(records.flatMap(({ exchange }) => (exchange.row === "unknown" ? [] : exchange.id)));
    const known = await this.#knownRows([...records, ...inFlight]);
    await this.#takeNumbers(records.length + inFlight.length);
    const packsExcerpts = this.store.content.isNear;
    const plan = planCommit([...records, ...inFlight], known, { nextSeq: () => this.#nextSeq++, packsExcerpts });
    const hasBodies = plan.written.some(({ parts }) => parts.length > 0);
    const pairing = hasBodies && !this.isShared ? pairingStatements(this.#nextSeq - 1, now) : undefined;
    const words = this.#backlog.plan(this.#words([...plan.fresh, ...plan.completed]), this.isShared);
    const beside = pairing === undefined ? words.statements : [...words.statements, pairing.bodies];
    await putContents(this.store.content, plan.written, { beside, newIds });
    const finished = plan.written.filter(({ exchange }) => exchange.end !== undefined);
    const statements = recordStatements({
      ...plan,
      kinds: this.#kinds,
      deliveries: this.#webhooks.deliveriesOf(finished, now),
      now,
      positions: positions
        ? [
            { name: this.#places.resume, position: positions.resume },
            { name: this.#places.read, position: positions.read },
          ]
        : [],
    });
    if (pairing !== undefined) statements.push(pairing.records);
    if (statements.length > 0) await this.store.records.batch(statements);
    // What went into a file that lost its name while we wrote is lost: it has to be written again.
    if (this.#identity() !== files) throw new GatewayError("database_unavailable", "a database file was replaced");
    words.done();
    for (const { record, seq } of plan.fresh) {
      record.exchange.row = "stored";
      record.exchange.seq = seq;
    }
    return { recorded: plan.recorded, collisions: plan.collisions };
  }

  /**
   * Writes records that come from outside, in the order given. What is there already stays as it is.
   *
   */
  async import(arrivals: readonly Arrival[], { inFlight, by, now }: ImportContext): Promise<ArrivalResult[]> {
    const owners = new Map<string, string>();
    for (const { row } of arrivals) {
      const owner = inFlight(row.request_id);
      if (owner !== undefined) owners.set(row.request_id, owner);
    }
    for (const row of await this.#rowsOf(arrivals.map(({ row }) => row.request_id))) {
      owners.set(row.request_id, row.organization_id);
    }
    await this.#takeNumbers(arrivals.length);
    const fresh: { record: Storable; seq: number }[] = [];
    const results = arrivals.map((arrival): ArrivalResult => {
      const { request_id, organization_id } = arrival.row;
      const owner = owners.get(request_id);
      if (owner !== undefined) return owner === organization_id ? "existing" : "taken";
      owners.set(request_id, organization_id);
      const seq = this.#nextSeq++;
      const record = toStorable(arrival, seq);
      fresh.push({ record: this.store.content.isNear ? withPackedExcerpts(record) : record, seq });
      return "imported";
    });
    if (fresh.length === 0) return results;
    const records = fresh.map(({ record }) => record);
    const words = this.#backlog.plan(this.#words(fresh), this.isShared);
    await putContents(this.store.content, records, { beside: words.statements });
    const statements = recordStatements({ fresh, completed: [], positions: [], kinds: this.#kinds, now });
    const { organization_id: organizationId } = arrivals[0]!.row;
    const object = { kind: "records", id: "", name: "" };
    const act = { action: "records.imported", organizationId, object, after: { records: fresh.length } } as const;
    await recorded(this.store.records, statements, by, act);
    words.done();
    return results;
  }

  /** Writes only how far the spool is read. */
  async savePositions({ resume, read }: Positions, now: number): Promise<void> {
    const { resume: resumeName, read: readName } = this.#places;
    await this.store.records.batch([setPosition(resumeName, resume, now), setPosition(readName, read, now)]);
  }

  /** Takes the row of an exchange in flight out again: a plugin did not want its record. */
  async withdraw(exchange: Exchange): Promise<void> {
    const statements: Statement[] = [
      {
        sql: `delete from properties where seq in
          (select seq from requests where request_id = ? and response_status is null)`,
        args: [exchange.id],
      },
      { sql: "delete from requests where request_id = ? and response_status is null", args: [exchange.id] },
    ];
    await this.store.records.batch(statements);
  }

  /** Those of `ids` that have a final record. */
  async finalIds(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#rowsOf(ids);
    return rows.filter(({ response_status }) => response_status !== null).map(({ request_id }) => request_id);
  }

  /** Ends rows in flight of which nothing is known any more. @returns their ids. */
  endBeheaded(upToSeq: number, isInFlight: (id: string) => boolean, now: number): Promise<string[]> {
    return endBeheaded(this.store.records, { upToSeq, isInFlight, isShared: this.isShared, now });
  }

  async isKnownId(id: string): Promise<boolean> {
    const rows = await this.store.records.query({ sql: "select seq from requests where request_id = ?", args: [id] });
    return rows.length > 0;
  }

  /**
   * Takes an id that a client chose. In a database of one's own it is only looked for: whoever takes it remembers it.
   *
   * @returns false where it is another request's.
   */
  async claimId(id: string): Promise<boolean> {
    if (await this.isKnownId(id)) return false;
    return !this.isShared || claimId(this.store.records, id);
  }

  claimShares(claims: readonly ShareClaim[]): Promise<ShareAnswer> {
    return claimShares(this.store.records, this.#places.resume, claims);
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  /** Numbers of rows that no other node gives; some may stay unused. */
  async #takeNumbers(count: number): Promise<void> {
    if (this.isShared && count > 0) this.#nextSeq = await takeNumbers(this.store.records, count);
  }

  /** What is said in the records, for the index of words. */
  #words(written: readonly { readonly record: Pick<Storable, "row" | "texts">; readonly seq: number }[]): Words[] {
    if (this.#config.search_index === "no") return [];
    return written.map(({ record: { row, texts }, seq }) => ({
      seq,
      organizationId: row.organization_id,
      text: texts.said,
    }));
  }

  /** Puts the words into the index that a process before this one, or a commit that failed, did not. */
  async #indexDue(): Promise<void> {
    this.#backlog.clear();
    if (this.isShared) return;
    const { records, bodies } = this.store;
    const due = await readDue(bodies);
    for (let at = 0; at < due.length; at += TEXTS_AT_ONCE) {
      const seqs = due.slice(at, at + TEXTS_AT_ONCE);
      const texts = await saidTexts(records, seqs, this.#ofProviders, bodies);
      const owners = await records.query<{ seq: number; organizationId: string }>({
        sql: `select seq, organization_id as organizationId from requests where seq in (select value from json_each(?))`,
        args: [JSON.stringify(seqs)],
      });
      const words = owners.map((row) => ({ ...row, text: texts.get(row.seq) ?? null }));
      if (this.#config.search_index !== "no") await bodies.batch(insertWords(words));
    }
    if (due.length > 0) await bodies.batch([FORGET_DUE]);
  }

  /** Rows of those exchanges that may have one: seen before, or with an id that the client chose. */
  async #knownRows(records: readonly Prepared[]): Promise<Map<string, KnownRow>> {
    const ids = records
      .filter(({ exchange, labels }) => exchange.row === "unknown" || mayCollide(exchange, labels.settings))
      .map(({ exchange }) => exchange.id);
    return new Map((await this.#rowsOf(ids)).map((row) => [row.request_id, row]));
  }

  async #rowsOf(ids: readonly string[]): Promise<KnownRow[]> {
    const rows: KnownRow[] = [];
    for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
      // Always the same number of parameters, so that the statement is prepared once; null is no id.
      const args = Array.from({ length: IDS_PER_QUERY }, (_, i) => ids[at + i] ?? null);
      rows.push(...(await this.store.records.query<KnownRow>({ sql: KNOWN_ROWS, args })));
    }
    return rows;
  }

  #paths(): string[] {
    const path = localPath(this.#config);
    return path === undefined ? [] : [path, bodiesPath(path)];
  }

  /** Differs when one of the files is another than before. */
  #identity(): string {
    return this.#paths().map(identify).join(" ");
  }
}

const KNOWN_ROWS = `select request_id, seq, organization_id, request_created_at, response_status, properties
  from requests where request_id in (${Array(IDS_PER_QUERY).fill("?").join(",")})`;

function mayCollide(exchange: Exchange, settings: ReadonlyMap<string, string>): boolean {
  return exchange.row === "none" && settings.has("request-id");
}

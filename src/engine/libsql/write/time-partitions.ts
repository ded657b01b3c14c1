import type { Database, Statement } from "../../../store/store.ts";

/** Records after which the newest partition is full. Its part of an index is then about 160 pages. */
const RECORDS_MAX = 16_384;

/** The creation of the oldest record of any organization. */
const OLDEST = `select min((select min(r.request_created_at) from requests r indexed by requests_created
  where r.organization_id = o.id)) as oldest from organizations o`;
/** A clock may have been ahead: whatever was created from then on moves into the new partition. */
const MOVE = `update requests set time_partition = ?1 where seq in (
  select r.seq from organizations o cross join requests r indexed by requests_created
  where r.organization_id = o.id and r.request_created_at >= ?2)`;

/** The earliest time of a date: where the first partition starts. */
const EARLIEST = -8.64e15;

/** Entries of a partition in the index, at most as many as fill it. */
const FILLED = `select count(*) as filled from (select 1 from requests indexed by requests_users
  where time_partition = ? and user_id is not null limit ?)`;

interface TimePartition {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly start: number;
}

/**
 * The partitions of time: each record belongs to the last one that starts at or before its creation. An index that is
 * ordered by partition first gets a batch of records in few pages. Ordered by user alone, each would change a page of its own,
 * and the larger the index, the less of it is in memory.
 *
 * Only the recorder's thread of a database file starts partitions. Nodes that share a database leave all records in the first.
 */
export class TimePartitions {
  #all: TimePartition[] = [{ id: 0, start: EARLIEST }];
  /** Records of the newest partition; those that were there when it was read count only if they have a user. */
  #records = 0;
  /** Whether a partition was started since they were read: its transaction may have failed. */
  #isUncertain = false;
  readonly #recordsMax: number;

  constructor(recordsMax = RECORDS_MAX) {
    this.#recordsMax = recordsMax;
  }

  /** Reads the partitions that exist. */
  async load(database: Database): Promise<void> {
    const rows = await database.query<{ id: number; start: number }>({
      sql: "select id, start from time_partitions order by id",
      args: [],
    });
    this.#all = rows.map(({ id, start }) => ({ id, start }));
    const [row] = await database.query<{ filled: number }>({
      sql: FILLED,
      args: [this.#all.at(-1)!.id, this.#recordsMax],
    });
    this.#records = row?.filled ?? 0;
    this.#isUncertain = false;
  }

  /** Id of the partition for a record, which is counted. @param created - milliseconds since 1970. */
  of(created: number): number {
    const newest = this.#all.at(-1)!;
    if (created < newest.start) return this.#all.findLast(({ start }) => start <= created)!.id;
    this.#records++;
    return newest.id;
  }

  /**
   * Starts a partition if the newest is full, and ends the first ones that hold no records any more.
   *
   * @param now - milliseconds since 1970.
   * @returns statements for the transaction of the next records.
   */
  async grow(database: Database, now: number): Promise<Statement[]> {
    if (this.#isUncertain) await this.load(database);
    const { id, start } = this.#all.at(-1)!;
    if (this.#records < this.#recordsMax || now <= start) return [];
    const [row] = await database.query<{ oldest: number | null }>({ sql: OLDEST, args: [] });
    const first = this.#all.findLast((each) => each.start <= (row?.oldest ?? now))!;
    const next = { id: id + 1, start: now };
    this.#all = [{ id: first.id, start: EARLIEST }, ...this.#all.filter((each) => each.id > first.id), next];
    this.#records = 0;
    this.#isUncertain = true;
    return [
      { sql: "delete from time_partitions where id < ?", args: [first.id] },
      { sql: "update time_partitions set start = ? where id = ?", args: [EARLIEST, first.id] },
      { sql: "insert into time_partitions (id, start) values (?, ?)", args: [next.id, next.start] },
      { sql: MOVE, args: [next.id, next.start] },
    ];
  }
}

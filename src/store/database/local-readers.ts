import Connection from "libsql/promise";
import { GatewayError } from "../../errors.ts";
import { collectGarbage } from "../../runtime/memory.ts";
import { bind } from "./bind.ts";
import { BUSY_MS } from "./busy.ts";
import type { Statement as Query } from "./database.ts";
import { toObjects } from "./statement-cache.ts";

interface Reader {
  connection: Connection;
  /** Attaching the second file; undefined before the first query, and after attaching failed. */
  ready: Promise<unknown> | undefined;
  /** By their text, for reuse: a statement that reads complete records takes 80 kB and a millisecond to prepare. */
  readonly statements: Map<string, Statement>;
  /**
   * Row iterators and failed statements of this connection. If the garbage collector freed one while a query runs, this
   * thread would block until the query ends and could not stop it. So all are released together, once their connection is
   * closed.
   */
  readonly spent: unknown[];
  /** Characters of all statements together. */
  length: number;
}

type Statement = Awaited<ReturnType<Connection["prepare"]>>;

/** A connection is replaced when it holds this much: 8 MB for statements, and little for row iterators. */
const KEPT_MAX = { statements: 100, spent: 2_000, length: 1_000_000 };
/**
 * Garbage is collected after this many replaced connections. A closed connection keeps its files open, and its statements
 * their memory, until it is collected. The collector sees little of that memory, so it would wait too long.
 */
const REPLACED_MAX = 2;

interface Waiting {
  readonly take: (reader: Reader) => void;
  readonly refuse: () => void;
}

/**
 * A few read-only connections. Each runs one query at a time, off the thread, and can be interrupted.
 *
 * Only the first step of a statement runs off the thread and can be interrupted. So every query is materialised, which puts
 * all its work into the first step.
 */
export class LocalReaders {
  readonly #url: string;
  readonly #attach: string;
  readonly #all: readonly Reader[];
  readonly #idle: Reader[];
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Map<Reader, Promise<unknown>>();
  #closed = false;
  #replaced = 0;

  constructor(url: string, attach: string, count: number) {
    this.#url = url;
    this.#attach = `pragma busy_timeout=${BUSY_MS}; ${attach}`;
    this.#all = Array.from({ length: count }, () => ({
      connection: new Connection(url, {}),
      ready: undefined,
      statements: new Map(),
      spent: [],
      length: 0,
    }));
    this.#idle = [...this.#all];
  }

  query<T>(statement: Query, deadlineMs: number): Promise<T[]> {
    return this.#with(deadlineMs, (reader, endsAt) => this.#run<T>(reader, statement, endsAt));
  }

  /** In one transaction. */
  queryTogether(statements: readonly Query[], deadlineMs: number): Promise<unknown[][]> {
    return this.#with(deadlineMs, async (reader, endsAt) => {
      await this.#ready(reader);
      await reader.connection.exec("begin");
      try {
        const results: unknown[][] = [];
        for (const statement of statements) results.push(await this.#run(reader, statement, endsAt));
        return results;
      } finally {
        await reader.connection.exec("rollback");
      }
    });
  }

  async #with<T>(deadlineMs: number, task: (reader: Reader, endsAt: number) => Promise<T>): Promise<T> {
    const endsAt = performance.now() + deadlineMs;
    const reader = await this.#take(deadlineMs);
    const work = task(reader, endsAt);
    this.#running.set(reader, work);
    try {
      return await work;
    } finally {
      this.#running.delete(reader);
      this.#renew(reader);
      this.#give(reader);
    }
  }

  /** Interrupts running queries, waits until they have stopped, and closes: closing during a query crashes the process. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.refuse();
    const stopInterrupting = keepInterrupting(() => {
      for (const reader of this.#running.keys()) reader.connection.interrupt();
    });
    await Promise.allSettled([...this.#running.values()]);
    stopInterrupting();
    for (const { connection } of this.#all) connection.close();
  }

  /** Replaces a connection that holds too many statements or row iterators. */
  #renew(reader: Reader): void {
    const { statements, spent, length } = reader;
    const isFull =
      statements.size >= KEPT_MAX.statements || spent.length >= KEPT_MAX.spent || length >= KEPT_MAX.length;
    if (this.#closed || !isFull) return;
    let connection: Connection;
    try {
      connection = new Connection(this.#url, {});
    } catch {
      return; // the file cannot be opened now: keep the old connection until it can
    }
    reader.connection.close();
    Object.assign(reader, { connection, ready: undefined, length: 0 });
    statements.clear();
    spent.length = 0;
    this.#replaced = (this.#replaced + 1) % REPLACED_MAX;
    if (this.#replaced === 0) collectGarbage();
  }

  /** When a lock prevented attaching the second file, the next query tries again. */
  async #ready(reader: Reader): Promise<void> {
    reader.ready ??= reader.connection.exec(this.#attach) as Promise<unknown>;
    try {
      await reader.ready;
    } catch (cause) {
      reader.ready = undefined;
      throw cause;
    }
  }

  async #run<T>(reader: Reader, { sql, args }: Query, endsAt: number): Promise<T[]> {
    const { connection } = reader;
    let stopInterrupting = () => {};
    const timer = setTimeout(
      () => {
        stopInterrupting = keepInterrupting(() => connection.interrupt());
      },
      Math.max(1, endsAt - performance.now()),
    );
    try {
      await this.#ready(reader);
      const statement = await this.#prepared(reader, sql);
      const result = await statement.iterate(args.map(bind));
      reader.spent.push(result);
      return toObjects<T>(
        statement.columns().map(({ name }: { name: string }) => name),
        [...result],
      );
    } catch (cause) {
      // The statement may be in the middle of its rows.
      reader.spent.push(reader.statements.get(sql));
      reader.statements.delete(sql);
      throw cause;
    } finally {
      clearTimeout(timer);
      stopInterrupting();
    }
  }

  async #prepared(reader: Reader, sql: string): Promise<Statement> {
    const known = reader.statements.get(sql);
    if (known !== undefined) return known;
    const statement = await reader.connection.prepare(`with r as materialized (${sql}\n) select * from r`);
    reader.statements.set(sql, statement.raw(true));
    reader.length += sql.length;
    return statement;
  }

  #take(deadlineMs: number): Promise<Reader> {
    if (this.#closed) return Promise.reject(new GatewayError("database_unavailable", "the database is being closed"));
    const reader = this.#idle.pop();
    if (reader !== undefined) return Promise.resolve(reader);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        take: (free) => {
          leave();
          resolve(free);
        },
        refuse: () => {
          leave();
          reject(new GatewayError("database_unavailable", "the database is being closed"));
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(new GatewayError("query_timeout"));
      }, deadlineMs);
      this.#waiting.add(waiting);
    });
  }

  #give(reader: Reader): void {
    const next = this.#closed ? undefined : this.#waiting.values().next().value;
    if (next === undefined) this.#idle.push(reader);
    else next.take(reader);
  }
}

/** Repeats, because the database forgets an interrupt that arrives before a step or between two steps. */
function keepInterrupting(interrupt: () => void): () => void {
  interrupt();
  const timer = setInterval(interrupt, 20);
  return () => clearInterval(timer);
}

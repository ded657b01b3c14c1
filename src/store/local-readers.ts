import Connection from "libsql/promise";
import { GatewayError } from "../errors.ts";
import { bind } from "./bind.ts";
import { toObjects } from "./statement-cache.ts";
import type { Statement } from "./store.ts";

interface Reader {
  readonly connection: Connection;
  /** The second file being attached; undefined before the first query, and after a query that could not. */
  ready: Promise<unknown> | undefined;
}

interface Waiting {
  readonly take: (reader: Reader) => void;
  readonly refuse: () => void;
}

/**
 * A few read-only connections whose queries run off the thread, one at a time each, and can be stopped.
 *
 * Only the first step of a statement runs off the thread, and only that can be interrupted: so every query is made to
 * do all its work in the first step, by materialising it.
 */
export class LocalReaders {
  readonly #attach: string;
  readonly #all: readonly Reader[];
  readonly #idle: Reader[];
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Map<Reader, Promise<unknown>>();
  #closed = false;

  constructor(url: string, attach: string, count: number) {
    this.#attach = `pragma busy_timeout=200; ${attach}`;
    this.#all = Array.from({ length: count }, () => ({ connection: new Connection(url, {}), ready: undefined }));
    this.#idle = [...this.#all];
  }

  query<T>(statement: Statement, deadlineMs: number): Promise<T[]> {
    return this.#with(deadlineMs, (reader, endsAt) => this.#run<T>(reader, statement, endsAt));
  }

  /** In one transaction. */
  queryTogether(statements: readonly Statement[], deadlineMs: number): Promise<unknown[][]> {
    return this.#with(deadlineMs, async (reader, endsAt) => {
      await this.#ready(reader);
      await reader.connection.exec("begin");
      try {
        const answers: unknown[][] = [];
        for (const statement of statements) answers.push(await this.#run(reader, statement, endsAt));
        return answers;
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
      this.#give(reader);
    }
  }

  /** Stops what is running, waits until it has stopped, and closes: closing under a running query ends the process. */
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

  /** A lock that kept the second file from being attached once is no reason to fail the queries after it. */
  async #ready(reader: Reader): Promise<void> {
    reader.ready ??= reader.connection.exec(this.#attach) as Promise<unknown>;
    try {
      await reader.ready;
    } catch (cause) {
      reader.ready = undefined;
      throw cause;
    }
  }

  async #run<T>(reader: Reader, { sql, args }: Statement, endsAt: number): Promise<T[]> {
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
      const statement = await connection.prepare(`with r as materialized (${sql}\n) select * from r`);
      const rows = await statement.raw(true).all(args.map(bind));
      return toObjects<T>(
        statement.columns().map(({ name }: { name: string }) => name),
        rows,
      );
    } finally {
      clearTimeout(timer);
      stopInterrupting();
    }
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

/** Again and again, because the database forgets an interrupt that comes before a step or between two. */
function keepInterrupting(interrupt: () => void): () => void {
  interrupt();
  const timer = setInterval(interrupt, 20);
  return () => clearInterval(timer);
}

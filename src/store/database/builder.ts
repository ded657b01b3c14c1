import { type AnyColumn, eq, type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { SQLiteRemoteSession, SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Database, Statement, Value } from "../store.ts";

/** drizzle's query builder over one of our connections. */
export type Builder = SqliteRemoteDatabase;

/** A statement: as text, as the builder has it, or written with values in place. */
export type Change = Statement | SQL | { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } };

const DIALECT = new SQLiteAsyncDialect();

const builders = new WeakMap<Database, Builder>();

/**
 * drizzle's query builder over a connection: it writes the SQL, the connection runs it and says what went wrong.
 *
 * A query runs as `Database.query` does, a single change and those of `batch` each as one transaction. `transaction` is
 * not for use: its statements would mix with those of others on the same connection.
 *
 * @param deadlineMs - runs queries off the thread, as `Database.query` says.
 */
export function over(database: Database, deadlineMs?: number): Builder {
  const known = deadlineMs === undefined ? builders.get(database) : undefined;
  if (known !== undefined) return known;
  const builder = builderOver(database, deadlineMs === undefined ? {} : { deadlineMs });
  if (deadlineMs === undefined) builders.set(database, builder);
  return builder;
}

function builderOver(database: Database, options: { readonly deadlineMs?: number }): Builder {
  const session = new Session(
    async (text, params, method) => {
      const statement = { sql: text, args: params as Value[] };
      if (method === "run") return { rows: await none(database.batch([statement])) };
      const rows = (await database.query<object>(statement, options)).map((row) => Object.values(row));
      return { rows: method === "get" ? (rows[0] as unknown[]) : rows };
    },
    DIALECT,
    undefined,
    async (queries) => {
      await database.batch(queries.map(({ sql: text, params }) => ({ sql: text, args: params as Value[] })));
      return queries.map(() => ({ rows: [] }));
    },
  );
  return new SqliteRemoteDatabase("async", DIALECT, session, undefined);
}

async function none(work: Promise<void>): Promise<[]> {
  await work;
  return [];
}

type NoSchema = Record<string, never>;

class Session extends SQLiteRemoteSession<NoSchema, NoSchema> {
  /** Errors come as the connection throws them. drizzle would put the statement with all its values into the message. */
  override prepareQuery(...args: Parameters<SQLiteRemoteSession<NoSchema, NoSchema>["prepareQuery"]>) {
    const query = super.prepareQuery(...args);
    const queryWithCache = (_text: string, _params: unknown[], run: () => Promise<unknown>) => run();
    return Object.assign(query, { queryWithCache });
  }
}

/** Its text and values: to be run with others in one transaction, or where the builder has no words for a query. */
export function statementOf(change: Change): Statement {
  if ("args" in change) return change;
  const { sql: text, params } = "toSQL" in change ? change.toSQL() : DIALECT.sqlToQuery(change);
  return { sql: text, args: params as Value[] };
}

/** Whether a column holds a value; no condition where there is none. */
export function ifGiven(column: AnyColumn, value: string | number | null | undefined): SQL | undefined {
  return value === null || value === undefined ? undefined : eq(column, value);
}

/** Whether a column holds one of these: one text whatever their number, because statements are kept by their text. */
export function isOneOf(column: AnyColumn | SQL, values: readonly (string | number)[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
}

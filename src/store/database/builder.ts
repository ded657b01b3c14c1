import { type AnyColumn, eq, type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { SQLiteRemoteSession, SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Database, Statement, Value } from "../store.ts";

/** drizzle's query builder over one of our connections. */
export type Builder = SqliteRemoteDatabase;

/** A statement: as text with values, as a query of the builder, or as a `sql` template. */
export type Change = Statement | SQL | { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } };

const DIALECT = new SQLiteAsyncDialect();

const builders = new WeakMap<Database, Builder>();

/**
 * drizzle's query builder over a connection: it writes the SQL, the connection runs it and reports failures.
 *
 * A query runs as in `Database.query`. A single change is one transaction, and so is one `batch`. Do not use `transaction`:
 * its statements would mix with those of other callers on the same connection.
 *
 * @param deadlineMs - when given, queries run off the thread; see `Database.query`.
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
  /** Errors stay as the connection throws them. drizzle would put the statement with all its values into the message. */
  override prepareQuery(...args: Parameters<SQLiteRemoteSession<NoSchema, NoSchema>["prepareQuery"]>) {
    const query = super.prepareQuery(...args);
    const queryWithCache = (_text: string, _params: unknown[], run: () => Promise<unknown>) => run();
    return Object.assign(query, { queryWithCache });
  }
}

/** The text and values of a change: to run it in one transaction with others, or for SQL that the builder cannot express. */
export function statementOf(change: Change): Statement {
  if ("args" in change) return change;
  const { sql: text, params } = "toSQL" in change ? change.toSQL() : DIALECT.sqlToQuery(change);
  return { sql: text, args: params as Value[] };
}

/** Matches a column against a value; no condition when the value is missing. */
export function ifGiven(column: AnyColumn, value: string | number | null | undefined): SQL | undefined {
  return value === null || value === undefined ? undefined : eq(column, value);
}

/**
 * Whether a column holds one of the values. The SQL text is the same for any number of values, because statements are cached
 * by text.
 */
export function isOneOf(column: AnyColumn | SQL, values: readonly (string | number)[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
}

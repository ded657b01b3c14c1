import { GatewayError } from "../../errors.ts";
import { networkProblem } from "../../network-problem.ts";
import { failureOf } from "./failure.ts";
import { SameTables, TABLE_ID } from "./same-tables.ts";

export interface ClickHouseOptions {
  /** Replicas with the same data; they are tried in turn. */
  readonly urls: readonly string[];
  readonly database: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Name of the servers' cluster. Without a cluster, several servers must have the very same tables. */
  readonly cluster?: string | undefined;
}

/** Settings of one statement, by name. */
export type Settings = Readonly<Record<string, string | number>>;

/** For statements that contain many values, such as filters of the maximum size. */
export const LARGE: Settings = {
  max_query_size: 256 << 20,
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
  max_ast_depth: 100_000,
  max_parser_depth: 100_000,
};

interface StatementOptions {
  /** The statement is cancelled after this many milliseconds: `query_timeout`. */
  readonly deadlineMs?: number;
  readonly settings?: Settings;
  /** Values of parameters that the statement refers to as `{name:Type}`. For few and short values. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** True for a statement outside of the database, such as the one that creates it. */
  readonly isOutside?: boolean;
}

interface Call extends StatementOptions {
  /** The statement, sent in the URL when the body contains data. */
  readonly query?: string;
  readonly body: string;
}

interface QueryResponse {
  readonly text: string;
  /** The server that responded. */
  readonly origin: string;
}

/** For statements without a deadline. */
const DEADLINE_MS = 120_000;
/** After the deadline a server has this long to report that it stopped, before the connection is closed. */
const GRACE_MS = 1_000;
/** Where an error is searched for: a server cuts the message of a failure within a response at 16 KiB. */
const EXCEPTION_LENGTH_MAX = 32_768;

/** For every statement. */
const SETTINGS: Settings = {
  // Cancels a query when its client has gone.
  cancel_http_readonly_queries_on_client_close: 1,
  // The response starts when the result is complete, so that its status covers the complete statement.
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  // Numbers are read exactly: the fast parser is off in the last bit.
  precise_float_parsing: 1,
  date_time_output_format: "iso",
  // A comparison with null is null, whatever the server's profile says.
  transform_null_in: 0,
  join_use_nulls: 1,
  insert_distributed_sync: 1,
  // A day is a partition, and an import or a trace may hold records of years. A server's default is at most 100.
  max_partitions_per_insert_block: 0,
};

/** For every statement to a server of a cluster. */
const CLUSTER_SETTINGS: Settings = {
  // All servers read from the same replica of a shard, even those that are a replica themselves: a query sees what was
  // written through another server. The next replica is used while the first is unavailable.
  load_balancing: "in_order",
  prefer_localhost_replica: 0,
  // A query's second table is spread over the shards as well: its rows are collected once and sent to all of them.
  distributed_product_mode: "global",
  // A statement for all servers waits this many seconds for one that is unavailable, which executes it later.
  distributed_ddl_task_timeout: 5,
  distributed_ddl_output_mode: "null_status_on_timeout",
};

/**
 * A client for ClickHouse's HTTP interface.
 *
 * Throws GatewayErrors: `database_unavailable` when no server is reachable or able to respond, `query_timeout` after the
 * deadline. Throws a ClickHouseError when a server rejects a statement, which is a bug of ours. Their messages contain
 * neither the password nor the statement.
 */
export class ClickHouse {
  readonly database: string;
  readonly #urls: readonly URL[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #settings: Settings;
  /** Undefined for a cluster and for a single server. */
  readonly #sameness: SameTables | undefined;
  /** Index of the server that responded last. */
  #current = 0;

  constructor({ urls, database, user, password, cluster }: ClickHouseOptions) {
    if (urls.length === 0) throw new GatewayError("config_invalid", "records_url names no server");
    this.#urls = urls.map(parseUrl);
    this.database = database;
    this.#settings = cluster ? { ...SETTINGS, ...CLUSTER_SETTINGS } : SETTINGS;
    this.#sameness = cluster || urls.length === 1 ? undefined : new SameTables();
    this.#headers = {
      ...(user ? { "x-clickhouse-user": user } : {}),
      ...(password ? { "x-clickhouse-key": password } : {}),
    };
  }

  /** Rows of a select; 64-bit integers are numbers, maps are objects. */
  async query<Row>(sql: string, options: StatementOptions = {}): Promise<Row[]> {
    const { text, origin } = await this.#call({ ...options, body: `${sql}\nformat JSONEachRow` });
    return rowsIn<Row>(text, origin);
  }

  /** A statement without a result. */
  async command(sql: string, options: StatementOptions = {}): Promise<void> {
    await this.#call({ ...options, body: sql });
  }

  /** Inserts objects with column names as keys; missing columns get their defaults. */
  async insert(table: string, rows: readonly object[], options: StatementOptions = {}): Promise<void> {
    if (rows.length === 0) return;
    const body = rows.map((row) => JSON.stringify(row)).join("\n");
    const { text, origin } = await this.#call({ ...options, query: `insert into ${table} format JSONEachRow`, body });
    // The spool drops rows that count as stored, so only the response of a complete insert is accepted.
    if (text !== "") throw failureOf(origin, 200, text);
  }

  async #call(call: Call): Promise<QueryResponse> {
    const endsAt = performance.now() + (call.deadlineMs ?? DEADLINE_MS);
    let failure: unknown;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const index = (this.#current + tried) % this.#urls.length;
      const restMs = endsAt - performance.now();
      if (restMs <= 0) throw new GatewayError("query_timeout");
      try {
        const server = this.#urls[index]!;
        await this.#sameness?.check(server.origin, () => this.#ask(server, { body: `${TABLE_ID} format TSV` }, restMs));
        const text = await this.#ask(server, call, restMs);
        this.#current = index;
        return { text, origin: server.origin };
      } catch (error) {
        if (!(error instanceof GatewayError) || error.code !== "database_unavailable") throw error;
        failure = error;
      }
    }
    throw failure;
  }

  async #ask(server: URL, call: Call, restMs: number): Promise<string> {
    const url = new URL(server);
    for (const [name, value] of Object.entries(this.#parameters(call, restMs)))
      url.searchParams.set(name, String(value));
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: { ...this.#headers, "content-type": "text/plain" },
        body: call.body,
        redirect: "manual",
        signal: AbortSignal.timeout(Math.ceil(restMs) + GRACE_MS),
      });
      text = await response.text();
    } catch (cause) {
      if (isTimeout(cause)) throw new GatewayError("query_timeout", undefined, { cause });
      const message = `ClickHouse at ${server.origin} cannot be reached: ${networkProblem(cause)}`;
      throw new GatewayError("database_unavailable", message, { cause });
    }
    if (!isWhole(response, text)) throw failureOf(server.origin, response.status, text);
    return text;
  }

  #parameters({ settings, params = {}, isOutside, query }: Call, restMs: number): Settings {
    return {
      ...(isOutside ? {} : { database: this.database }),
      ...this.#settings,
      max_execution_time: restMs / 1_000,
      ...settings,
      ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, escaped(value)])),
      ...(query === undefined ? {} : { query }),
    };
  }
}

/** Whether a ClickHouse server completed the statement: a proxy may respond with a page of its own. */
function isWhole({ status, headers }: Response, text: string): boolean {
  if (status !== 200 || headers.get("x-clickhouse-query-id") === null) return false;
  if (headers.get("x-clickhouse-exception-code") !== null) return false;
  // A server that fails after sending headers appends the error to the body, between markers with the tag from the headers.
  const tag = headers.get("x-clickhouse-exception-tag");
  return tag === null || !text.slice(-EXCEPTION_LENGTH_MAX).includes(`__exception__\r\n${tag}\r\n`);
}

function rowsIn<Row>(text: string, origin: string): Row[] {
  if (text === "") return [];
  try {
    return JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`) as Row[];
  } catch {
    // The parser's message would quote users' data.
    throw failureOf(origin, 200, "");
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new GatewayError("config_invalid", "records_url is a list of addresses such as https://ch.internal:8443");
  // User name and password are sent in headers, because errors contain the URL.
  url.username = "";
  url.password = "";
  return url;
}

/** A parameter's value is parsed like a field of a tab-separated file. */
function escaped(value: string | number): string {
  const text = String(value).replaceAll("\\", "\\\\");
  return text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}

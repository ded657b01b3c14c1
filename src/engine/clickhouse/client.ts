import { GatewayError } from "../../errors.ts";
import { failureOf } from "./failure.ts";
import { SameTables, TABLE_ID } from "./same-tables.ts";

export interface ClickHouseOptions {
  /** Replicas that hold the same; they are tried in turn. */
  readonly urls: readonly string[];
  readonly database: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Name of the cluster that the servers are of. Without it, each of several must hold the very same tables. */
  readonly cluster?: string | undefined;
}

/** Values of settings for one statement, by their names. */
export type Settings = Readonly<Record<string, string | number>>;

/** Of statements that name many values in place, such as filters as large as they may be. */
export const LARGE: Settings = {
  max_query_size: 256 << 20,
  max_ast_elements: 10_000_000,
  max_expanded_ast_elements: 10_000_000,
  max_ast_depth: 100_000,
  max_parser_depth: 100_000,
};

export interface StatementOptions {
  /** After so many milliseconds the statement is cancelled: `query_timeout`. */
  readonly deadlineMs?: number;
  readonly settings?: Settings;
  /** Values of the parameters that the statement names as `{name:Type}`. For few and short ones. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** True for a statement outside of the database, such as the one that makes it. */
  readonly isOutside?: boolean;
}

interface Call extends StatementOptions {
  /** What goes into the address in place of the body, where the body is data. */
  readonly query?: string;
  readonly body: string;
}

interface Answer {
  readonly text: string;
  /** The server that gave it. */
  readonly origin: string;
}

/** Of statements that name no deadline. */
const DEADLINE_MS = 120_000;
/** After its deadline a server gets so long to say that it stopped, before the connection is closed. */
const GRACE_MS = 1_000;
/** A server cuts the message of a failure in the middle of a response at 16 KiB. */
const EXCEPTION_LENGTH_MAX = 32_768;

/** Of every statement. */
const SETTINGS: Settings = {
  // A statement whose client has gone is cancelled.
  cancel_http_readonly_queries_on_client_close: 1,
  // The response begins when the result is complete, so that its status is that of the whole statement.
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_escape_forward_slashes: 0,
  // Numbers come back as they were written: the fast way of reading them errs in the last bit.
  precise_float_parsing: 1,
  date_time_output_format: "iso",
  // A comparison with null is null, whatever a server's profile says.
  transform_null_in: 0,
  join_use_nulls: 1,
  insert_distributed_sync: 1,
};

/** Of every statement to a server of a cluster. */
const CLUSTER_SETTINGS: Settings = {
  // All servers read from the same replica of a shard, also those that are one: a query sees what was written through
  // another server. The next replica is used while the first is away.
  load_balancing: "in_order",
  prefer_localhost_replica: 0,
  // What a query looks up in a second table lies on other shards as well: it is collected once, and sent to all of them.
  distributed_product_mode: "global",
  // A statement for all servers waits so many seconds for one that is away, which does it once it is back.
  distributed_ddl_task_timeout: 5,
  distributed_ddl_output_mode: "null_status_on_timeout",
};

/**
 * ClickHouse by its HTTP interface.
 *
 * Throws GatewayErrors: `database_unavailable` where no server can be reached or is able to answer, `query_timeout` after
 * the deadline; a ClickHouseError where a server refuses a statement, which is a fault of ours. None of them holds the
 * password, or what a statement says.
 */
export class ClickHouse {
  readonly database: string;
  readonly #urls: readonly URL[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #settings: Settings;
  /** Undefined where the servers are of a cluster, or one. */
  readonly #sameness: SameTables | undefined;
  /** The one that answered last. */
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

  /** Inserts objects by their names of columns; those that are not named get their defaults. */
  async insert(table: string, rows: readonly object[], options: StatementOptions = {}): Promise<void> {
    if (rows.length === 0) return;
    const body = rows.map((row) => JSON.stringify(row)).join("\n");
    const { text, origin } = await this.#call({ ...options, query: `insert into ${table} format JSONEachRow`, body });
    // Rows count as stored, and the spool lets go of them: nothing but the response of a whole insert is taken for one.
    if (text !== "") throw failureOf(origin, 200, text);
  }

  async #call(call: Call): Promise<Answer> {
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
      throw new GatewayError("database_unavailable", `${server.origin} cannot be reached`, { cause });
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

/** Whether it is the response of a ClickHouse that did all it was asked: a proxy may answer with a page of its own. */
function isWhole({ status, headers }: Response, text: string): boolean {
  if (status !== 200 || headers.get("x-clickhouse-query-id") === null) return false;
  if (headers.get("x-clickhouse-exception-code") !== null) return false;
  // A server that fails after it has sent headers appends the error to the body, between marks with the tag from the headers.
  const tag = headers.get("x-clickhouse-exception-tag");
  return tag === null || !text.slice(-EXCEPTION_LENGTH_MAX).includes(`__exception__\r\n${tag}\r\n`);
}

function rowsIn<Row>(text: string, origin: string): Row[] {
  if (text === "") return [];
  try {
    return JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`) as Row[];
  } catch {
    // The reason would quote what somebody wrote.
    throw failureOf(origin, 200, "");
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new GatewayError("config_invalid", "records_url is a list of addresses such as https://ch.internal:8443");
  // Name and password are sent in headers: an address is said in errors.
  url.username = "";
  url.password = "";
  return url;
}

/** A parameter's value is read like a field of a tab-separated file. */
function escaped(value: string | number): string {
  const text = String(value).replaceAll("\\", "\\\\");
  return text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
}

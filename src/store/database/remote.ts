import { type Client, createClient, type InValue, type ResultSet } from "@libsql/client";
import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { within } from "../../runtime/within.ts";
import type { Store } from "../databases.ts";
import { nodeIdOf } from "../nodes/nodes.ts";
import type { ObjectPacks } from "../objects/object-packs.ts";
import type { Objects } from "../objects/open-objects.ts";
import { SharedPackIds } from "../packs/pack-ids.ts";
import { PackStore } from "../packs/pack-store.ts";
import { bind } from "./bind.ts";
import type { Database, Statement } from "./database.ts";
import { asStoreError } from "./failure.ts";
import { toObjects } from "./statement-cache.ts";

/** Maximum concurrent requests to the server. */
const CONCURRENCY = 20;
/** Time limit in milliseconds for calls without a deadline; a server that takes longer counts as unavailable. */
const RESULT_MS = 15_000;

/** A libSQL server (`http(s)`, `ws(s)`, `libsql`); its single database contains both. */
export function openRemote(config: Config, objects?: Objects): Store {
  const database = openServer(config.database_url, config.database_auth_token, objects?.packs);
  const content = new PackStore(database, new SharedPackIds(database, () => nodeIdOf(config.data_dir)), objects);
  return { records: database, bodies: database, content, close: () => database.close() };
}

export function openServer(url: string, authToken: string, objects?: ObjectPacks): Database {
  return new RemoteDatabase(url, authToken, objects);
}

class RemoteDatabase implements Database {
  readonly objects: ObjectPacks | undefined;
  readonly #client: Client;
  readonly #name: string;

  constructor(url: string, authToken: string, objects: ObjectPacks | undefined) {
    this.objects = objects;
    this.#name = ["the database server", URL.parse(url)?.host].filter(Boolean).join(" ");
    // Integers as bigint: otherwise the client refuses a row with a number over 2^53.
    const options = { url, intMode: "bigint", concurrency: CONCURRENCY } as const;
    this.#client = createClient(authToken === "" ? options : { ...options, authToken });
  }

  async batch(statements: readonly Statement[]): Promise<void> {
    const bound = statements.map(({ sql, args }) => ({ sql, args: args.map(bind) as InValue[] }));
    const late = () => new GatewayError("database_unavailable", `${this.#name} did not respond in time`);
    await this.#limited(this.#client.batch(bound, "write"), RESULT_MS, late);
  }

  /** The server cannot stop a statement: after the deadline its response is ignored. */
  async query<T>({ sql, args }: Statement, options: { readonly deadlineMs?: number } = {}): Promise<T[]> {
    const { deadlineMs } = options;
    const late = () =>
      deadlineMs === undefined
        ? new GatewayError("database_unavailable", `${this.#name} did not respond in time`)
        : new GatewayError("query_timeout");
    const result = await this.#limited(
      this.#client.execute({ sql, args: args.map(bind) as InValue[] }),
      deadlineMs ?? RESULT_MS,
      late,
    );
    return rowsOf<T>(result);
  }

  async queryTogether(statements: readonly Statement[], { deadlineMs }: { readonly deadlineMs: number }) {
    const bound = statements.map(({ sql, args }) => ({ sql, args: args.map(bind) as InValue[] }));
    const late = () => new GatewayError("query_timeout");
    const results = await this.#limited(this.#client.batch(bound, "read"), deadlineMs, late);
    return results.map((result) => rowsOf<unknown>(result));
  }

  /** The server does this, and compacting, on its own. */
  async settle(): Promise<void> {}

  async compact(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #limited<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
    try {
      return await within(work, limitMs, () => {
        throw late();
      });
    } catch (cause) {
      throw asStoreError(cause, this.#name);
    }
  }
}

function rowsOf<T>({ columns, rows }: ResultSet): T[] {
  return toObjects<T>(
    columns,
    rows.map((row) => columns.map((_, index) => fromServer(row[index]))),
  );
}

/** Converts values to the types that a local file returns. */
function fromServer(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import type { Store } from "../databases.ts";
import { nodeIdOf } from "../nodes/nodes.ts";
import type { ObjectPacks } from "../objects/object-packs.ts";
import type { Objects } from "../objects/open-objects.ts";
import { SharedPackIds } from "../packs/pack-ids.ts";
import { PackStore } from "../packs/pack-store.ts";
import type { Database, Statement } from "./database.ts";
import { isAway } from "./failure.ts";
import { openServer } from "./remote.ts";

/** How long a query waits for the replica before it goes to the primary. */
const WAIT_MS = 250;
/** How long the primary may take to report its position. A primary that is only slow may have rows that the replica lacks. */
const PRIMARY_WAIT_MS = 2_000;
const LOOK_MS = 5;
/** A query that runs longer than this triggers a check that the replica still responds. */
const WATCH_MS = 500;
/** When a query is sent to the replica again while the primary is unavailable. */
const ASK_AGAIN_MS = [500, 2_000, 5_000];
/** How long a server that did not respond is left alone. */
const AWAY_MS = 1_000;

/**
 * Reads from a replica, but never older data than the primary has. Each query first reads the primary's position, which costs
 * the primary almost nothing. A replica that does not reach that position in time is skipped. While the primary is
 * unavailable the replica serves alone: nothing newer can be written then.
 */
export function openReplica(config: Config, objects?: Objects): Store {
  const primary = openServer(config.database_url, config.database_auth_token);
  const replica = openServer(config.database_read_url, config.database_auth_token);
  const database = new ReplicaDatabase(
    primary,
    replica,
    new Progress(config.database_url, config.database_auth_token, PRIMARY_WAIT_MS),
    new Progress(config.database_read_url, config.database_auth_token, WAIT_MS),
  );
  database.objects = objects?.packs;
  const content = new PackStore(database, new SharedPackIds(database, () => nodeIdOf(config.data_dir)), objects);
  return { records: database, bodies: database, content, close: () => database.close() };
}

class ReplicaDatabase implements Database {
  objects: ObjectPacks | undefined;
  readonly #primary: Database;
  readonly #replica: Database;
  readonly #ahead: Progress;
  readonly #behind: Progress;

  constructor(primary: Database, replica: Database, ahead: Progress, behind: Progress) {
    this.#primary = primary;
    this.#replica = replica;
    this.#ahead = ahead;
    this.#behind = behind;
  }

  async batch(): Promise<void> {
    throw new TypeError("this store was opened for reading");
  }

  query<T>(statement: Statement, { deadlineMs }: { readonly deadlineMs?: number } = {}): Promise<T[]> {
    if (deadlineMs === undefined) return this.#fresh((server) => server.query<T>(statement));
    const left = timeLeft(deadlineMs);
    return this.#fresh((server) => server.query<T>(statement, { deadlineMs: left() }));
  }

  queryTogether(statements: readonly Statement[], { deadlineMs }: { readonly deadlineMs: number }) {
    const left = timeLeft(deadlineMs);
    return this.#fresh((server) => server.queryTogether(statements, { deadlineMs: left() }));
  }

  async settle(): Promise<void> {
    throw new TypeError("this store was opened for reading");
  }

  async compact(): Promise<number> {
    return 0;
  }

  /** Queries the replica if it is up to date, otherwise the primary. */
  async #fresh<T>(ask: (server: Database) => Promise<T>): Promise<T> {
    const reached = await this.#ahead.now();
    if (reached === "untold" || (reached !== "away" && !(await this.#behind.reaches(reached)))) {
      return ask(this.#primary);
    }
    try {
      if (reached === "away") return await insistently(() => ask(this.#replica));
      return await this.#watched(ask(this.#replica));
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#behind.lost();
      return ask(this.#primary);
    }
  }

  /** Without this check, a query to a replica that hangs would wait until its deadline. */
  async #watched<T>(work: Promise<T>): Promise<T> {
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const timer = setInterval(async () => {
      if ((await this.#behind.now()) === "away") {
        reject(new GatewayError("database_unavailable", "the replica does not respond"));
      }
    }, WATCH_MS);
    try {
      return await Promise.race([work, stalled]);
    } finally {
      clearInterval(timer);
      work.catch(() => {}); // a later failure has no handler
    }
  }

  async close(): Promise<void> {
    await this.#primary.close();
    await this.#replica.close();
  }
}

/**
 * Without the primary there is no alternative. A query that reaches the replica just as it notices that the primary is gone
 * never gets a response, but the next one does. So the query is repeated at growing intervals, and the first response counts.
 */
async function insistently<T>(ask: () => Promise<T>): Promise<T> {
  const first = ask();
  const calls = [first];
  for (const ms of ASK_AGAIN_MS) {
    const isDone = await Promise.race([
      Promise.any(calls).then(
        () => true,
        () => true,
      ),
      sleep(ms, false),
    ]);
    if (isDone) break;
    calls.push(ask());
  }
  return Promise.any(calls).catch(() => first);
}

/** The rest of a time limit that starts now; never 0, so that the called function reports the timeout. */
function timeLeft(deadlineMs: number): () => number {
  const startedMs = performance.now();
  return () => Math.max(1, deadlineMs - (performance.now() - startedMs));
}

/** The position of a server: the index of its last write, if it sends one with every response. */
class Progress {
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #waitMs: number;
  #known = -1;
  #awayUntilMs = 0;

  constructor(url: string, authToken: string, waitMs: number) {
    this.#waitMs = waitMs;
    const http = url.replace(/^(libsql|wss):/, "https:").replace(/^ws:/, "http:");
    this.#address = `${http.replace(/[?#].*$/, "").replace(/\/+$/, "")}/v2/pipeline`;
    const token = authToken === "" ? {} : { authorization: `Bearer ${authToken}` };
    this.#headers = { "content-type": "application/json", ...token };
  }

  /** `untold` for a server that does not number its writes. One that redirects counts as such: another one has the position. */
  async now(): Promise<number | "away" | "untold"> {
    if (performance.now() < this.#awayUntilMs) return "away";
    try {
      const response = await fetch(this.#address, {
        method: "POST",
        headers: this.#headers,
        body: '{"requests":[{"type":"execute","stmt":{"sql":"select 1"}},{"type":"close"}]}',
        signal: AbortSignal.timeout(this.#waitMs),
        redirect: "manual",
      });
      if (response.status >= 300 && response.status < 400) return "untold";
      const index = indexIn(await response.json());
      if (index === undefined) return "untold";
      this.#known = index;
      return index;
    } catch {
      this.lost(); // the caller falls back to the other server
      return "away";
    }
  }

  /** Whether the server has the write with this index, now or within `WAIT_MS`. */
  async reaches(index: number): Promise<boolean> {
    if (this.#known >= index) return true;
    for (const until = performance.now() + WAIT_MS; ; ) {
      const at = await this.now();
      if (typeof at !== "number") return false;
      if (at >= index) return true;
      if (performance.now() > until) return false;
      await sleep(LOOK_MS);
    }
  }

  /** The server may return with fewer writes than it had. */
  lost(): void {
    this.#known = -1;
    this.#awayUntilMs = performance.now() + AWAY_MS;
  }
}

interface PipelineResponse {
  readonly results?: readonly {
    readonly response?: { readonly result?: { readonly replication_index?: string | number | null } };
  }[];
}

function indexIn(body: unknown): number | undefined {
  const index = (body as PipelineResponse | null)?.results?.[0]?.response?.result?.replication_index;
  if (index === undefined || index === null) return undefined;
  return Number.isFinite(Number(index)) ? Number(index) : undefined;
}

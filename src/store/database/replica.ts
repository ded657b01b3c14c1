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
/** How long the primary may take to say how far it is: one that is only slow has what the replica lacks. */
const PRIMARY_WAIT_MS = 2_000;
const LOOK_MS = 5;
/** A query that takes longer makes somebody ask whether the replica is still there. */
const WATCH_MS = 500;
/** When a question is asked again that a replica alone can answer. */
const ASK_AGAIN_MS = [500, 2_000, 5_000];
/** A server that did not answer is left alone for so long. */
const AWAY_MS = 1_000;

/**
 * Reads from a replica without ever reading less than the primary has: the primary is asked how far it is, a step that
 * costs it next to nothing, and a replica that does not get there in time is skipped. While the primary is away the
 * replica answers by itself: nothing newer is written then.
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

  /** Asks the replica where it has everything, else the primary. */
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

  /** A replica that stands still would be waited for to the end of the deadline. */
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
      work.catch(() => {}); // a later failure has no receiver
    }
  }

  async close(): Promise<void> {
    await this.#primary.close();
    await this.#replica.close();
  }
}

/**
 * Without the primary there is no alternative, and a query that reaches the replica in the moment in which it
 * notices that is never answered, where the next one is: it is asked again, later each time. The first response counts.
 */
async function insistently<T>(ask: () => Promise<T>): Promise<T> {
  const first = ask();
  const asked = [first];
  for (const ms of ASK_AGAIN_MS) {
    const answered = await Promise.race([
      Promise.any(asked).then(
        () => true,
        () => true,
      ),
      sleep(ms, false),
    ]);
    if (answered) break;
    asked.push(ask());
  }
  return Promise.any(asked).catch(() => first);
}

/** The rest of a time limit that begins now; never 0, so that the called side reports the timeout. */
function timeLeft(deadlineMs: number): () => number {
  const startedMs = performance.now();
  return () => Math.max(1, deadlineMs - (performance.now() - startedMs));
}

/** How far a server is: the number of the last write that it has, where it tells it with every response. */
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

  /** `untold` by a server that does not number its writes. */
  async now(): Promise<number | "away" | "untold"> {
    if (performance.now() < this.#awayUntilMs) return "away";
    try {
      const answer = await fetch(this.#address, {
        method: "POST",
        headers: this.#headers,
        body: '{"requests":[{"type":"execute","stmt":{"sql":"select 1"}},{"type":"close"}]}',
        signal: AbortSignal.timeout(this.#waitMs),
      });
      const index = indexIn(await answer.json());
      if (index === undefined) return "untold";
      this.#known = index;
      return index;
    } catch {
      this.lost(); // the caller falls back to the other server
      return "away";
    }
  }

  /** Whether it has the write of this number, now or within a moment. */
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

  /** It may come back with less than it had. */
  lost(): void {
    this.#known = -1;
    this.#awayUntilMs = performance.now() + AWAY_MS;
  }
}

interface PipelineAnswer {
  readonly results?: readonly {
    readonly response?: { readonly result?: { readonly replication_index?: string | number | null } };
  }[];
}

function indexIn(answer: unknown): number | undefined {
  const index = (answer as PipelineAnswer | null)?.results?.[0]?.response?.result?.replication_index;
  if (index === undefined || index === null) return undefined;
  return Number.isFinite(Number(index)) ? Number(index) : undefined;
}

import { Redis } from "ioredis";
import { type Log, messageOf } from "../../log.ts";
import type { ShareClaim, ShareResult } from "../../plugin-host/host/shares.ts";
import { CLAIM_SCRIPT } from "./claim-script.ts";
import { NODE_GONE_MS } from "./nodes.ts";

/** A server that takes longer counts as unavailable; the caller has 1,000 ms in total, including the database. */
const RESULT_MS = 300;
const CONNECT_MS = 1_000;
const RETRY_MS_MAX = 500;
/**
 * After a switch between server and database, the new one grants only what nodes already hold for this long: by then every
 * node has reported its shares to it.
 */
const SETTLE_MS = 2_000;

type Claim = (claims: readonly ShareClaim[]) => Promise<ShareResult>;

interface LimitsServerOptions {
  /** `redis://` or `rediss://`, optionally with user, password and database number. */
  readonly url: string;
  /** Prefix of its keys. */
  readonly prefix: string;
  readonly node: string;
  readonly log: Log;
  /** Claims shares in the database while the server is unavailable. */
  readonly fallback: Claim;
  /** A clock in milliseconds. */
  readonly clock?: () => number;
}

/**
 * Divides limits among nodes through Redis or Valkey: one round trip, one script, all or nothing.
 *
 * While the server is unavailable, shares are claimed in the database. Switching never grants more than a limit. After the
 * server is lost, the database grants only what each node holds until all nodes have reported. When the server is back, or
 * new to this node, both must grant a share for a while.
 */
export class LimitsServer {
  readonly #options: LimitsServerOptions;
  readonly #redis: ClaimingRedis;
  readonly #clock: () => number;
  /** Clock times from which the database, and the server, may grant more again. */
  #databaseSettledMs = 0;
  #serverSettledMs = Number.POSITIVE_INFINITY;
  #wasReady = false;
  #error: string | undefined;
  #moves = 0;

  constructor(options: LimitsServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#redis = connectLimits(options.url);
    this.#redis.on("ready", () => {
      this.#wasReady = true;
      this.#moves += 1;
      this.#serverSettledMs = this.#clock() + SETTLE_MS;
      if (this.#error !== undefined) options.log.info("the limits server is back");
      this.#error = undefined;
      // Sets the start of its data now, not at the first limited request.
      void this.#ask([]);
    });
    // An error describes the cause better than the close event.
    this.#redis.on("close", () => this.#lost(this.#error ?? "the connection was closed"));
    this.#redis.on("error", (error) => this.#lost(messageOf(error)));
  }

  /** Why limits are divided in the database; undefined while the server divides them. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Why limits are divided in the database, as a line of the health report. */
  get degraded(): readonly string[] {
    return this.#error === undefined
      ? []
      : [`limits: the limits server is away, the database divides limits: ${this.#error}`];
  }

  /** Number of switches between server and database: after each, this node must report what it holds. */
  get moves(): number {
    return this.#moves;
  }

  async claim(claims: readonly ShareClaim[]): Promise<ShareResult> {
    if (this.#redis.status !== "ready") return this.#fromDatabase(claims);
    if (this.#clock() >= this.#serverSettledMs) {
      const result = await this.#fromServer(claims);
      if (result !== undefined) return result;
    }
    // Both must grant a share while one of them may not know yet what every node holds.
    const inDatabase = await this.#fromDatabase(claims);
    const granted = claims.map((claim, at) => {
      const { amount } = inDatabase.grants[at]!;
      return { ...claim, want: amount, held: amount };
    });
    const inServer = this.#redis.status === "ready" ? await this.#ask(granted) : undefined;
    return inServer === undefined ? inDatabase : { ...inServer, isExact: false };
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** Undefined when the server does not respond, or does not know yet what all nodes hold. */
  async #fromServer(claims: readonly ShareClaim[]): Promise<ShareResult | undefined> {
    const result = await this.#ask(claims);
    if (result === undefined || !result.isYoung) return result;
    // The server has lost its data.
    this.#moves += 1;
    this.#databaseSettledMs = this.#clock() + SETTLE_MS;
    return undefined;
  }

  async #ask(claims: readonly ShareClaim[]): Promise<(ShareResult & { readonly isYoung: boolean }) | undefined> {
    const { prefix, node } = this.#options;
    // Braces keep the keys in one hash slot of a cluster.
    const keys = ["nodes", "since", ...claims.map(({ key }) => `limit ${key}`)].map((key) => `{${prefix}}:${key}`);
    const claimed = claims.flatMap(({ quota, used, want, held, keptMs }) => [
      quota,
      used,
      want,
      held,
      Math.ceil(keptMs),
    ]);
    try {
      const result = await this.#redis.claimShares(keys.length, ...keys, node, SETTLE_MS, NODE_GONE_MS, ...claimed);
      const [isYoung, nodes, ...amounts] = result;
      const grants = claims.map((_, at) => ({ amount: Number(amounts[2 * at]), others: Number(amounts[2 * at + 1]) }));
      if (isYoung === "1") this.#serverSettledMs = this.#clock() + SETTLE_MS;
      return { grants, nodes: Math.max(1, Number(nodes)), isExact: true, isYoung: isYoung === "1" };
    } catch (error) {
      this.#lost(messageOf(error));
      // Reconnects, because the server may hang on this connection.
      this.#redis.disconnect(true);
      return undefined;
    }
  }

  #fromDatabase(claims: readonly ShareClaim[]): Promise<ShareResult> {
    const isSettling = this.#clock() < this.#databaseSettledMs;
    return this.#options.fallback(isSettling ? claims.map(kept) : claims);
  }

  #lost(why: string): void {
    if (this.#error === undefined) {
      this.#options.log.warn("the limits server is away; limits are divided in the database", { why });
      this.#moves += 1;
      if (this.#wasReady) this.#databaseSettledMs = this.#clock() + SETTLE_MS;
    }
    this.#wasReady = false;
    this.#error = why;
    this.#serverSettledMs = Number.POSITIVE_INFINITY;
  }
}

/** A claim for only what the node holds, which is always granted. */
function kept(claim: ShareClaim): ShareClaim {
  const held = Math.max(claim.used, claim.held);
  return { ...claim, used: held, want: held };
}

interface ClaimingRedis extends Redis {
  claimShares(keys: number, ...keysAndArguments: readonly (string | number)[]): Promise<string[]>;
}

/** Connects, and reconnects whenever the connection is lost. Commands fail immediately while there is none. */
export function connectLimits(url: string): ClaimingRedis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: RESULT_MS,
    connectTimeout: CONNECT_MS,
    retryStrategy: (attempt) => Math.min(50 * attempt, RETRY_MS_MAX),
  });
  redis.defineCommand("claimShares", { lua: CLAIM_SCRIPT });
  return redis as ClaimingRedis;
}

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { within } from "../../runtime/within.ts";
import { connectLimits } from "./limits-server.ts";

/** Time limit for the limits server's response. */
const PROBE_MS = 3_000;
/** The probe's claim expires after this time if it is not removed. */
const PROBE_KEPT_MS = 1_000;

/**
 * Runs the script that divides limits once, for a limit of its own.
 *
 * @returns name of the server and its response time.
 * @throws when the server does not respond, or rejects the log-in or the script.
 */
export async function probeLimits(url: string, prefix: string): Promise<string> {
  const redis = connectLimits(url);
  redis.on("error", () => undefined); // the call that waits for the connection throws it
  try {
    const away = () => {
      throw new Error("it does not respond");
    };
    if (redis.status !== "ready") await within(once(redis, "ready"), PROBE_MS, away);
    const startedMs = performance.now();
    const name = `doctor-${randomUUID()}`;
    const keys = ["nodes", "since", name].map((key) => `{${prefix}:doctor}:${key}`);
    const claim = [1, 0, 1, 1, PROBE_KEPT_MS];
    await redis.claimShares(keys.length, ...keys, name, 0, PROBE_KEPT_MS, ...claim);
    const ms = performance.now() - startedMs;
    await redis.del(...keys);
    const [, version = "unknown"] = /(?:valkey|redis)_version:(\S+)/.exec(await redis.info("server")) ?? [];
    return `${redis.options.host}:${redis.options.port} responds in ${ms.toFixed(1)} ms, version ${version}`;
  } finally {
    redis.disconnect();
  }
}

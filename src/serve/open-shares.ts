import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { Shares } from "../plugin-host/host/shares.ts";
import { LimitsServer } from "../store/nodes/limits-server.ts";
import { nodeIdOf } from "../store/nodes/nodes.ts";
import { localPath } from "../store/store.ts";
import type { RecorderFunctions } from "../threads.ts";

interface OpenShares {
  readonly shares?: Shares;
  readonly limits?: LimitsServer;
}

/**
 * How several nodes share limits: through the limits server if one is configured, else through the database. Empty if the
 * database is a file, which only one node uses.
 */
export function openShares(config: Config, fallback: RecorderFunctions["claimShares"], log: Log): OpenShares {
  if (localPath(config) !== undefined) return {};
  if (config.limits_url === "") return { shares: new Shares({ claim: fallback, log }) };
  const prefix = `${config.limits_prefix}:${config.region}`;
  const node = nodeIdOf(config.data_dir);
  const limits = new LimitsServer({ url: config.limits_url, prefix, node, log, fallback });
  const claim = limits.claim.bind(limits);
  return { shares: new Shares({ claim, moves: () => limits.moves, log }), limits };
}

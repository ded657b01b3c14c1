import type { Config } from "../config.ts";
import { originOf } from "./origin.ts";
import { TargetGuard } from "./target-guard.ts";

/**
 * The guard for this program's own calls: they may go where requests may go, except to addresses opened at run time for
 * requests.
 *
 * @param ports - of this program's own listeners.
 */
export function createCallGuard(config: Config, ports: () => ReadonlySet<number>): TargetGuard {
  return new TargetGuard(config.allow_private_targets, ports);
}

/** Why an address may not be called regardless of what its name resolves to, or undefined. */
export function refuseUrl(guard: TargetGuard, text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "that is not an address";
  const { host, port } = originOf(url);
  return guard.refuseHost(host, port);
}

import type { Config } from "../config.ts";
import { originOf } from "./origin.ts";
import { TargetGuard } from "./target-guard.ts";

/**
 * Which addresses this program may call by itself: those that a request may be sent to, without what was opened for
 * requests while it runs.
 *
 * @param ports - of this program's own listeners.
 */
export function createCallGuard(config: Config, ports: () => ReadonlySet<number>): TargetGuard {
  return new TargetGuard(config.allow_private_targets, ports);
}

/** Why an address may not be called whatever its name stands for, or undefined. */
export function refuseUrl(guard: TargetGuard, text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "that is no address";
  const { host, port } = originOf(url);
  return guard.refuseHost(host, port);
}

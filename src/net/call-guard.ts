import type { Config } from "../config.ts";
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

/** Where an http(s) address leads. */
export function originOf(url: URL): { readonly secure: boolean; readonly host: string; readonly port: number } {
  const secure = url.protocol === "https:";
  const host = url.hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return { secure, host, port: url.port === "" ? (secure ? 443 : 80) : Number(url.port) };
}

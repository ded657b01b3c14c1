import { type Log, messageOf } from "../../log.ts";
import type { PluginHooks, RequestKind } from "../contract.ts";
import type { OpenPlugin } from "../setup.ts";
import { guarded } from "./guard.ts";

const FOR_REQUESTS = ["needs", "onRequest", "onForward", "onEnd"] as const satisfies readonly (keyof PluginHooks)[];

/**
 * Which requests all plugins allow as they are: their `admits`. Other threads remember that for each kind of request, together
 * with the value that `changes` had, and use it while `changes` is the same.
 */
export class Admissions {
  readonly changes = new Int32Array(new SharedArrayBuffer(4));
  readonly #log: Log;
  readonly #hookMs: number;
  /** Those with a hook for requests. */
  #plugins: readonly OpenPlugin[] = [];

  /** @param hookMs - milliseconds that one plugin has for one call. */
  constructor(log: Log, hookMs: number) {
    this.#log = log;
    this.#hookMs = hookMs;
  }

  use(plugins: readonly OpenPlugin[]): void {
    this.#plugins = plugins.filter(({ hooks }) => FOR_REQUESTS.some((name) => hooks[name] !== undefined));
    this.noteChange();
  }

  /** What plugins have said may no longer hold. */
  noteChange(): void {
    Atomics.add(this.changes, 0, 1);
  }

  /** Whether all plugins allow every request of a kind as it is. Never throws. */
  admits(kind: RequestKind): boolean {
    return this.#plugins.every((plugin) => this.#called(plugin, "admits", (hooks) => hooks.admits?.(kind)) === true);
  }

  /** Reports requests to the plugins that were passed on because of `admits`. Never throws. */
  onAdmitted(kind: RequestKind, requests: number): void {
    for (const plugin of this.#plugins)
      this.#called(plugin, "onAdmitted", (hooks) => hooks.onAdmitted?.(kind, requests));
  }

  #called({ name: plugin, hooks }: OpenPlugin, hook: string, call: (hooks: PluginHooks) => unknown): unknown {
    try {
      return guarded(call, hooks, this.#hookMs);
    } catch (error) {
      this.#log.warn("a hook failed", { plugin, hook, error: messageOf(error) });
      return undefined;
    }
  }
}

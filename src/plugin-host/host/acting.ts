import { AsyncLocalStorage } from "node:async_hooks";
import type { Acting } from "../../people/actor.ts";

/** The caller of the currently running plugin endpoint: changes by the plugin are attributed to them. */
export const callerOfRoute = new AsyncLocalStorage<Acting>();

/** The actor of a plugin's change: the caller of its endpoint, else the plugin itself. */
export function actingFor(plugin: string): Acting {
  return (
    callerOfRoute.getStore() ?? {
      actor: { kind: "plugin", id: plugin, name: plugin },
      address: null,
      requestId: null,
    }
  );
}

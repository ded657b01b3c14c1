import { AsyncLocalStorage } from "node:async_hooks";
import type { Acting } from "../../people/actor.ts";

/** The caller of the plugin endpoint that is running: the plugin's changes are attributed to this caller. */
export const callerOfRoute = new AsyncLocalStorage<Acting>();

/** The actor of a plugin's change: the caller of its endpoint, otherwise the plugin itself. */
export function actingFor(plugin: string): Acting {
  return (
    callerOfRoute.getStore() ?? {
      actor: { kind: "plugin", id: plugin, name: plugin },
      address: null,
      requestId: null,
    }
  );
}

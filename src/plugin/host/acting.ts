import { AsyncLocalStorage } from "node:async_hooks";
import type { Acting } from "../../people/actor.ts";

/** Who called the endpoint of a plugin that runs now: what the plugin stores meanwhile, they have changed. */
export const callerOfRoute = new AsyncLocalStorage<Acting>();

/** Who stores something in the name of a plugin: the caller of its endpoint, else the plugin itself. */
export function actingFor(plugin: string): Acting {
  return (
    callerOfRoute.getStore() ?? {
      actor: { kind: "plugin", id: plugin, name: plugin },
      address: null,
      requestId: null,
    }
  );
}

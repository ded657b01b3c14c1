import type { GatewayPlugin, Json, PluginHooks } from "../../src/plugin-host/contract.ts";
import type { LentAccess } from "../../src/plugin-host/host/host.ts";
import { setUp } from "../../src/plugin-host/setup.ts";
import { keptLog } from "../plugin-host/folder.ts";

/** A built-in plugin with the options of a `weir.toml`, checked and with their defaults, in the thread of the gateway or the recorder. */
export async function setUpPlugin(
  value: GatewayPlugin,
  options: Json,
  thread: "gateway" | "recorder" = "gateway",
): Promise<PluginHooks> {
  const { log } = keptLog();
  const from = { value, file: `${value.name}.ts`, builtIn: true } as Parameters<typeof setUp>[0];
  const gateway = { release: () => undefined } as unknown as LentAccess;
  return (await setUp(from, options, log, thread === "gateway" ? gateway : undefined)).hooks;
}

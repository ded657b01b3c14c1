import { Elysia } from "elysia";
import type { FileView, HookHealth, PluginView, ProviderView } from "../../plugin-host/view.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

/** Loaded plugins and their files, and why others failed. They belong to the deployment, so every organization sees the same. */
export function pluginListEndpoints(context: ApiContext) {
  return new Elysia()
    .get(
      "/v1/plugins",
      async () => {
        const [plugins, gateway, recorder] = await Promise.all([
          context.gateway.plugins(),
          context.gateway.hookHealth(),
          context.recorder.hookHealth(),
        ]);
        return success(plugins.map((plugin) => ofPlugin(plugin, { gateway, recorder })));
      },
      endpoint(
        "Plugins",
        "List plugins",
        "Each file with its state; `reason` says why its newest version is not in use. `failures` counts hooks that threw or took too long.",
      ),
    )
    .get(
      "/v1/providers",
      async () => success((await context.gateway.providers()).map((provider) => ofProvider(provider, context))),
      endpoint("Plugins", "List providers", "Each file with its state, its hosts and its own gateway address."),
    );
}

type Healths = Readonly<Record<"gateway" | "recorder", HookHealth>>;

function ofPlugin({ hooks, routes, ...file }: PluginView, healths: Healths) {
  const failures = Object.entries(healths).flatMap(([thread, health]) =>
    Object.entries(health.failures).flatMap(([key, count]) => {
      const space = key.lastIndexOf(" ");
      return key.slice(0, space) === file.name ? [{ thread, hook: key.slice(space + 1), count }] : [];
    }),
  );
  // A plugin may load in one thread and fail in the other.
  const elsewhere = healths.recorder.degraded.find(
    (sentence) => sentence.startsWith(`plugin ${file.file}: `) || sentence.startsWith(`plugin ${file.name}: `),
  );
  const here = healths.gateway.degraded.find((sentence) => sentence.startsWith(`plugin ${file.name}: `));
  return { ...shown(file), reason: file.reason ?? here ?? elsewhere ?? null, hooks, routes, failures };
}

function ofProvider(
  { aliases, hosts, target, dedicatedDomain, extends: parent, credential, hasCostRule: _, ...file }: ProviderView,
  context: ApiContext,
) {
  const address = dedicatedDomain === null ? null : `${dedicatedDomain}.${context.config.gateway_domain}`;
  return { ...shown(file), aliases, hosts, target, dedicated_domain: address, extends: parent, credential };
}

const shown = ({ name, state, source, reason, file }: FileView) => ({ name, state, source, reason, file });

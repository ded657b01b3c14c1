import { join } from "node:path";
import type { RequestHooks } from "../../../src/gateway/request-hooks.ts";
import { createLog } from "../../../src/log.ts";
import type { OrganizationPrice } from "../../../src/mapping/prices/own-prices.ts";
import type { GatewayPlugin, Json, PluginHooks } from "../../../src/plugin-host/contract.ts";
import { Hooks } from "../../../src/plugin-host/hooks/hooks.ts";
import { loadRegistry } from "../../../src/plugin-host/providers/registry.ts";
import type { OpenPlugin } from "../../../src/plugin-host/setup.ts";
import type { Credential } from "../../../src/routing/credential.ts";
import type { Route } from "../../../src/routing/route.ts";
import { keptLog } from "../../plugin-host/folder.ts";
import { setUpPlugin } from "../../policies/set-up.ts";
import { credential } from "../../routing/things.ts";
import { KEY, startTestGateway, type TestOptions } from "../harness.ts";

/** A request as a provider's stand-in got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export type Respond = (request: Received, at: number) => Response | Promise<Response>;

/** A provider on loopback that keeps the requests that it receives. */
export function standIn(respond: Respond) {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const text = await request.text();
      const one: Received = {
        method: request.method,
        path: url.pathname + url.search,
        headers: request.headers,
        text,
        json: text.startsWith("{") ? JSON.parse(text) : undefined,
      };
      received.push(one);
      return respond(one, received.length - 1);
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    received: received,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export const built = loadRegistry({
  directories: [{ path: join(import.meta.dir, "../../../providers"), builtIn: true }],
  log: createLog({ level: "error", format: "text", write: () => {} }),
});

export interface UnifiedOptions extends TestOptions {
  readonly credentials?: readonly Credential[];
  readonly routes?: readonly Route[];
  /** Of the same organization. */
  readonly prices?: readonly Omit<OrganizationPrice, "organizationId">[];
}

/** A gateway with the built-in providers, and credentials for stand-ins. */
export async function startUnified({ credentials = [], routes = [], prices = [], config, ...more }: UnifiedOptions) {
  const registry = await built;
  const own = credentials.map((each) => ({
    ...each,
    organizationId: each.organizationId === "org" ? "org-1" : each.organizationId,
  }));
  const tables = {
    credentials: own,
    routes: routes.map((route) => ({ ...route, organizationId: "org-1" })),
    prices: prices.map((price) => ({ ...price, organizationId: "org-1" })),
  };
  return startTestGateway({
    config: { unified_port: 0, ...config },
    providers: registry.providers,
    tables: () => tables,
    ...more,
  });
}

/** One plugin, called as the gateway calls it. */
export async function hooksOf(plugin: GatewayPlugin, options: Json): Promise<RequestHooks> {
  return builtInHooks(plugin.name, await setUpPlugin(plugin, options));
}

/**
 * The hooks of a built-in plugin, as the gateway calls them: without the time limit of a drop-in's call, within which a busy
 * machine may not get to the end of the first one.
 */
export function builtInHooks(name: string, hooks: PluginHooks): Hooks {
  const all = new Hooks(keptLog().log);
  all.use([{ name, hooks, from: undefined as never, builtIn: true } satisfies OpenPlugin]);
  return all;
}

/** A credential whose provider is a stand-in. */
export const at = (provider: string, origin: string, more: Partial<Credential> = {}): Credential =>
  credential(provider, more.name ?? provider.toLowerCase(), {
    baseUrl: origin,
    private: true,
    secrets: { api_key: `secret-of-${provider.toLowerCase()}` },
    ...more,
  });

export { KEY };

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** A stream of server-sent events, each its own chunk. */
export function events(list: readonly (string | { event?: string; data: unknown })[]): Response {
  const encoder = new TextEncoder();
  const texts = list.map((each) =>
    typeof each === "string"
      ? `data: ${each}\n\n`
      : `${each.event === undefined ? "" : `event: ${each.event}\n`}data: ${JSON.stringify(each.data)}\n\n`,
  );
  const body = new ReadableStream({
    async start(controller) {
      for (const text of texts) {
        controller.enqueue(encoder.encode(text));
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

export const chatResponse = (content: string, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-test",
  choices: [{ index: 0, message: { role: "assistant", content, ...more }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
});

export const messagesResponse = (text: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-test",
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 3 },
});

export const messagesEvents = (text: string) => [
  {
    event: "message_start",
    data: { type: "message_start", message: { ...messagesResponse(""), content: [], stop_reason: null } },
  },
  {
    event: "content_block_start",
    data: { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  },
  ...[...text].map((letter) => ({
    event: "content_block_delta",
    data: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: letter } },
  })),
  { event: "content_block_stop", data: { type: "content_block_stop", index: 0 } },
  {
    event: "message_delta",
    data: { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
  },
  { event: "message_stop", data: { type: "message_stop" } },
];

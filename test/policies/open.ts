import type { Config } from "../../src/config.ts";
import type {
  GatewayAccess,
  GatewayPlugin,
  GatewayRequest,
  Json,
  PluginHooks,
  RequestUsage,
} from "../../src/plugin-host/contract.ts";
import { Entries, type Entry, type StoredEntry } from "../../src/plugin-host/host/entries.ts";
import { createPluginHost } from "../../src/plugin-host/host/host.ts";
import { callRoute } from "../../src/plugin-host/routes.ts";
import { keptLog } from "../plugin-host/folder.ts";
import { ownDirectory } from "../store/open.ts";

/** What a database would keep of plugins' stores. */
function entryTable() {
  const rows: StoredEntry[] = [];
  return {
    rows,
    read: async (version: number) => rows.filter((row) => row.version > version),
    write: async (entries: readonly Entry[]) => {
      for (const entry of entries) {
        const before = rows.findIndex(({ plugin, key }) => plugin === entry.plugin && key === entry.key);
        if (before >= 0) rows.splice(before, 1);
        rows.push({ ...entry, version: (rows.at(-1)?.version ?? 0) + 1 });
      }
    },
  };
}

export interface OpenOptions {
  readonly config?: Partial<Config>;
  readonly options?: Json;
  readonly usageOf?: (ids: readonly string[]) => Promise<readonly RequestUsage[]>;
  readonly providerHosts?: readonly string[];
  /** Organizations of keys, by key. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The directory and the table of an earlier run. */
  readonly from?: { readonly path: string; readonly table: ReturnType<typeof entryTable> };
}

/** A built-in plugin set up as the gateway's thread does it, on a directory of its own, without the gateway. */
export async function openPlugin(plugin: GatewayPlugin, open: OpenOptions = {}) {
  const directory = open.from === undefined ? ownDirectory() : undefined;
  const path = open.from?.path ?? directory!.path;
  const table = open.from?.table ?? entryTable();
  const { log, lines } = keptLog();
  const entries = new Entries({ ...table, log });
  await entries.load();
  const host = createPluginHost({
    config: { ...ownConfig(), ...open.config, data_dir: path },
    log,
    entries,
    usageOf: open.usageOf ?? (async () => []),
    organizationOfKey: (id) => new Map(Object.entries(open.keys ?? {})).get(id),
    providerHosts: () => open.providerHosts ?? [],
  });
  const gateway: GatewayAccess = host.accessFor(plugin.name);
  const options = { approved: [], dns_servers: [], policies: [], ...open.options };
  const hooks: PluginHooks = await plugin.setup({ options, log, gateway });
  const caller = { organizationId: "org-1", name: "tester", admin: true, operator: true };
  return {
    hooks,
    log: lines,
    host,
    entries,
    path,
    table,
    call: (method: string, route: string, params: Record<string, string> = {}, body?: Json, who: Json = {}) =>
      callRoute(
        hooks.routes ?? [],
        { method: method as "GET", path: route },
        { params, query: {}, body, caller: { ...caller, ...who } },
        log,
      ) as Promise<Json>,
    /** As a killed process leaves things: what was appended is in the file, nothing else happens. */
    kill: () => new Promise<void>((resolve) => setImmediate(resolve)),
    async [Symbol.asyncDispose]() {
      await hooks.dispose?.();
      host.close();
      directory?.[Symbol.dispose]();
    },
  };
}

function ownConfig() {
  const made = ownDirectory();
  made[Symbol.dispose]();
  return made.config;
}

let requests = 0;

export interface RequestParts {
  readonly id?: string;
  readonly fallbackOf?: string;
  readonly host?: string;
  readonly owner?: string;
  readonly organizationId?: string;
  readonly keyId?: string;
  readonly policy?: string;
  readonly userId?: string;
  readonly keyModels?: readonly string[];
  readonly model?: string;
  readonly body?: Json;
  readonly method?: string;
  readonly provider?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** A request as a plugin sees it. */
export function requestOf(request: RequestParts = {}): GatewayRequest {
  const { host = "api.acme.test", owner, policy, userId, properties = {} } = request;
  requests += 1;
  return {
    id: request.id ?? `request-${requests}`,
    fallbackOf: request.fallbackOf,
    method: request.method ?? "POST",
    path: "/v1",
    target: { origin: `https://${host}`, host, owner },
    provider: request.provider ?? "CUSTOM",
    headers: new Headers(),
    organizationId: request.organizationId ?? "org-1",
    keyId: request.keyId ?? "key-1",
    keyModels: request.keyModels ?? null,
    userId,
    model: request.model,
    body: request.body,
    properties,
    gatewayHeader: (name) => (name === "ratelimit-policy" ? policy : undefined),
  };
}

/** How it ended: the provider responded. */
export const COMPLETE = { status: 200, outcome: "complete", forwarded: true } as const;
export const REFUSED = { status: 403, outcome: "refused", forwarded: false } as const;

export type Opened = Awaited<ReturnType<typeof openPlugin>>;

/** Asks both hooks, as the gateway does. @returns the id, and the refusal's status or 200. */
export async function ask(
  { hooks }: Pick<Opened, "hooks">,
  parts: RequestParts,
): Promise<{ id: string; status: number; response: Json }> {
  const request = requestOf(parts);
  const first = (await hooks.onRequest!(request)) as Json;
  const response = first ?? ((await hooks.onForward!(request)) as Json);
  return { id: request.id, status: response?.status ?? 200, response };
}

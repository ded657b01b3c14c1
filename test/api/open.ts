import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { type RunningApi, startApi } from "../../src/api/start.ts";
import type { Config } from "../../src/config.ts";
import type { StoredCredential } from "../../src/credentials/stored.ts";
import { startJobs } from "../../src/jobs/start.ts";
import type { KeySnapshot } from "../../src/keys.ts";
import { createLog } from "../../src/log.ts";
import type { Mapping } from "../../src/mapping/mapping.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import type { HookHealth, PluginView, ProviderView } from "../../src/plugin-host/view.ts";
import { createRecorder } from "../../src/recorder/create-recorder.ts";
import type { Health } from "../../src/routing/rests.ts";
import type { Route } from "../../src/routing/route.ts";
import type { Endpoint, Remote } from "../../src/runtime/rpc.ts";
import { threadPorts } from "../../src/runtime/thread.ts";
import type { SpoolWriter } from "../../src/spool/frame.ts";
import { appendWhole } from "../../src/spool/reported-exchange.ts";
import { openSpool } from "../../src/spool/writer.ts";
import { createServiceKey, snapshotKeys } from "../../src/store/keys.ts";
import { migrate } from "../../src/store/migrate.ts";
import { LearntTables } from "../../src/store/models/learnt.ts";
import { openStore, type Statement, type Store, type Value } from "../../src/store/store.ts";
import type {
  CachePurge,
  GatewayStatus,
  JobFunctions,
  RecorderFunctions,
  RecorderStatus,
  RouteExplanation,
  RouteQuestion,
} from "../../src/threads.ts";
import { ownDirectory } from "../store/open.ts";

export interface TestApi extends AsyncDisposable {
  readonly api: RunningApi;
  readonly store: Store;
  /** What is put here the recorder makes records of. */
  readonly spool: SpoolWriter;
  readonly config: Config;
  readonly directory: string;
  readonly origin: string;
  /** Keys of two organizations, and what the gateway last received. */
  readonly keys: Readonly<Record<"all" | "read" | "write" | "gateway" | "admin" | "other", string>>;
  readonly published: () => readonly KeySnapshot[];
  /** What the gateway last received of credentials and routes, and which it could not open. */
  readonly sent: { credentials: readonly StoredCredential[]; routes: readonly Route[]; question?: RouteQuestion };
  locked: readonly string[];
  mappings: Readonly<Record<string, Mapping>>;
  health: readonly Health[];
  explanation: RouteExplanation;
  readonly organization: string;
  readonly other: string;
  readonly log: string[];
  /** For tests of what the API leaves for the jobs. */
  stopJobs(): Promise<void>;
  gatewayStatus: GatewayStatus | Error;
  recorderStatus: RecorderStatus | Error;
  /** What the threads say of their plugins. */
  providers: readonly ProviderView[];
  plugins: readonly PluginView[];
  gatewayHooks: HookHealth;
  recorderHooks: HookHealth;
  /** What the API removed from its cache. */
  readonly purges: (readonly [organizationId: string, purge: CachePurge])[];
  call(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<{ status: number; json: Response; headers: Headers }>;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: responses are checked by what the tests expect of them
type Response = any;

const GATEWAY: GatewayStatus = {
  port: 8787,
  inFlight: 0,
  spoolHealthy: true,
  spoolError: null,
  exchangesDropped: 0,
  degraded: [],
  draining: false,
};
const RECORDER: RecorderStatus = {
  position: { segment: 1, offset: 0 },
  lagBytes: 0,
  inFlight: 0,
  recorded: 0,
  unread: 0,
  databaseError: null,
  bodiesError: null,
  bodiesBehindBytes: 0,
  losses: [],
};

/** A listening API on files of its own; the two other threads are the recorder's, and a gateway played by the three calls that the API makes. */
export async function openApi(settings: Partial<Config> = {}): Promise<TestApi> {
  const directory = ownDirectory({ api_port: 0, ...settings });
  const { config } = directory;
  const store = await openStore(config, "write");
  await migrate(store);
  const make = async (
    name: string,
    scopes: Parameters<typeof createServiceKey>[1]["scopes"],
    organization = "default",
  ) => (await createServiceKey(store.records, { name, organization, scopes, region: "us", expiresAt: null })).key;
  const keys = {
    all: await make("all", ["gateway", "read", "write", "admin"]),
    read: await make("read", ["read"]),
    write: await make("write", ["write"]),
    gateway: await make("gateway", ["gateway"]),
    admin: await make("admin", ["admin"]),
    other: await make("other", ["gateway", "read", "write", "admin"], "other"),
  };
  const known = await snapshotKeys(store.records);
  const log: string[] = [];
  const quiet = createLog({ level: "error", format: "text" });
  let published: readonly KeySnapshot[] = [];
  const spool = openSpool({ directory: join(config.data_dir, "spool"), sync: "second", log: quiet });
  const recorder = createRecorder({
    config,
    log: quiet,
    readExchange,
    provider: () => undefined,
    learnt: new LearntTables(),
  });
  await recorder.ready();
  const settle = <T>(value: T | Error) => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value));
  const [requestsOfJobs] = threadPorts();
  const jobs = await startJobs({
    requests: requestsOfJobs as unknown as Endpoint,
    config,
    log: quiet,
    recorder: recorder as Remote<RecorderFunctions>,
    host: { ports: async () => ({ own: [api.port], api: api.port }), leaveSegment: async () => spool.leaveSegment() },
  });
  const sent: TestApi["sent"] = { credentials: [], routes: [] };
  const [requests, itsRequests] = threadPorts();
  const api = await startApi({
    requests: requests as unknown as Endpoint,
    jobs: jobs as Remote<JobFunctions>,
    config,
    log: createLog({ level: "debug", format: "json", write: (line) => void log.push(line) }),
    recorder: {
      ...recorder,
      status: () => settle(test.recorderStatus),
      hookHealth: async () => test.recorderHooks,
    } as Remote<RecorderFunctions>,
    gateway: {
      metrics: async () => "weir_gateway_requests_total 5\n",
      status: () => settle(test.gatewayStatus),
      record: async (exchange) => appendWhole(spool, exchange),
      setKeys: async (snapshot) => {
        published = snapshot;
      },
      setCredentials: async (credentials) => {
        sent.credentials = credentials;
      },
      setRouting: async ({ routes }) => {
        sent.routes = routes;
      },
      testCredential: async ({ name }) => ({ ok: true, asked: "models", status: 200, message: name, models: [] }),
      lockedCredentials: async () => test.locked,
      routeHealth: async () => test.health,
      explainRoute: async (question) => {
        sent.question = question;
        return test.explanation;
      },
      listModels: async () => [],
      cacheStatus: async () => ({ entries: 2, bytes: 300, bytesMax: 1_000 }),
      cacheEntries: async () => [],
      purgeCache: async (...args) => {
        test.purges.push(args);
        return 1;
      },
      providers: async () => test.providers,
      providerMappings: async () => test.mappings,
      plugins: async () => test.plugins,
      hookHealth: async () => test.gatewayHooks,
      routes: async () => [],
      callRoute: async () => ({ status: 404, message: "no plugin is loaded" }),
    },
  });
  const test: TestApi = {
    api,
    store,
    spool,
    config,
    directory: directory.path,
    origin: `http://127.0.0.1:${api.port}`,
    keys,
    published: () => published,
    sent,
    locked: [],
    mappings: {},
    health: [],
    explanation: { resolved_by: "route fast", targets: [] },
    organization: known.find(({ name }) => name === "all")!.organizationId,
    other: known.find(({ name }) => name === "other")!.organizationId,
    log,
    stopJobs: () => jobs.stop(),
    gatewayStatus: GATEWAY,
    recorderStatus: RECORDER,
    providers: [],
    plugins: [],
    gatewayHooks: { failures: {}, degraded: [] },
    recorderHooks: { failures: {}, degraded: [] },
    purges: [],
    async call(method, path, { key = keys.all, body, headers = {} } = {}) {
      const response = await fetch(test.origin + path, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, json: await response.json(), headers: response.headers };
    },
    async [Symbol.asyncDispose]() {
      await api.stop();
      for (const each of [requests, itsRequests]) each.close();
      await spool.close();
      await jobs.stop();
      await recorder.stop();
      await store.close();
      directory[Symbol.dispose]();
    },
  };
  return test;
}

export type RecordRow = Readonly<Record<string, Value>>;

/** Puts one record into the database, with the bodies given, and returns its id. */
export async function insertRecord(
  store: Store,
  organization: string,
  row: RecordRow = {},
  bodies: Readonly<Record<string, { form: string; content: string | Uint8Array; zstd?: boolean; blob?: string }>> = {},
): Promise<string> {
  const id = String(row["request_id"] ?? randomUUID());
  const time = Date.UTC(2026, 0, 1, 12, 0, 0, 123);
  const all: RecordRow = {
    request_id: id,
    organization_id: organization,
    key_id: "k",
    method: "POST",
    provider: "OPENAI",
    request_created_at: time,
    updated_at: time,
    response_status: 200,
    ...row,
  };
  await store.bodies.batch(Object.entries(bodies).flatMap(([part, body]) => bodyStatements(id, part, body)));
  await store.records.batch([insertInto("requests", all)]);
  return id;
}

function bodyStatements(
  id: string,
  part: string,
  body: { form: string; content: string | Uint8Array; zstd?: boolean; blob?: string },
): Statement[] {
  const content = Buffer.from(body.content);
  const codec = body.zstd === true ? "zstd" : "plain";
  const data = body.zstd === true ? zstdCompressSync(content) : content;
  const shared = { request_id: id, part, form: body.form, bytes: content.byteLength, codec };
  if (body.blob === undefined) return [insertInto("bodies", { ...shared, data })];
  return [
    insertInto("blobs", { hash: body.blob, codec, content_type: "image/png", bytes: content.byteLength, data }),
    insertInto("bodies", { ...shared, blob_hash: body.blob }),
  ];
}

export function insertInto(table: string, row: RecordRow): Statement {
  const names = Object.keys(row);
  return {
    sql: `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    args: Object.values(row),
  };
}

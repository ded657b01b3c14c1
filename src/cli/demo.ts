import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config.ts";
import { hashKey, SCOPES } from "../keys.ts";
import { configuredLog, type Log, messageOf } from "../log.ts";
import type { Json } from "../plugin-host/contract.ts";
import { programName } from "../runtime/platform.ts";
import { reachable } from "../serve/reachable.ts";
import { serve } from "../serve.ts";
import { openSpool } from "../spool/writer.ts";
import { createServiceKey, snapshotKeys } from "../store/keys.ts";
import { FIRST_ORGANIZATION } from "../store/people/organization-names.ts";
import type { Invocation, Run, Terminal } from "./command.ts";
import { type Scene, writeScene } from "./demo/scene.ts";
import { scenes } from "./demo/scenes.ts";
import { week } from "./demo/week.ts";
import { CommandError } from "./usage-error.ts";
import { withRecords } from "./with-store.ts";

/** After this time the address is printed even if not everything is recorded yet. */
const RECORDED_MS = 15_000;
const POLL_MS = 100;

/** Runs a service of its own with a week of recorded requests; an existing deployment is not touched. */
export const demoCommand: Run = async (invocation) => {
  const given = invocation.options["data-dir"] as string | undefined;
  const directory = given === undefined ? mkdtempSync(join(tmpdir(), "weir-demo-")) : emptyDirectory(invocation, given);
  try {
    const config = await demoConfig(invocation.config, directory);
    const log = configuredLog(config);
    const key = await makeKey(config);
    const scenes = await record(config, key, log);
    await serve({
      config,
      log,
      env: {},
      onFirstKey: () => undefined,
      onServing: ({ api, gateway }) => {
        const printed = { api, gateway, key, count: scenes.length, directory, isKept: given !== undefined };
        show(invocation.terminal, printed, scenes).catch((error: unknown) =>
          log.debug("the demonstration has no scores", { error: messageOf(error) }),
        );
      },
    });
  } finally {
    if (given === undefined) rmSync(directory, { recursive: true, force: true });
  }
  return 0;
};

function emptyDirectory({ terminal }: Invocation, given: string): string {
  const path = resolve(terminal.workingDirectory, given);
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new CommandError(`--data-dir ${given} is not empty; the demonstration needs a directory of its own`);
  return path;
}

/** The defaults with the operator's addresses: it never reads from or sends to the systems configured for a real service. */
async function demoConfig({ host, gateway_port, api_port, log_format, log_level }: Config, directory: string) {
  const { config } = loadConfig({
    env: { WEIR_DATA_DIR: directory },
    workingDirectory: directory,
    file: null,
  });
  return {
    ...config,
    host,
    gateway_port: await freePort(host, gateway_port),
    api_port: await freePort(host, api_port),
    log_format,
    // The demo's own output suffices; warnings are shown as well.
    log_level: log_level === "info" ? ("warn" as const) : log_level,
  };
}

/** The port, or any free one if it is in use: a demonstration may run beside the real service. */
function freePort(host: string, port: number): Promise<number> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(0));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done(port)));
  });
}

function makeKey(config: Config) {
  return withRecords(config, async (records) => {
    const { region } = config;
    const order = { name: "demo", organization: FIRST_ORGANIZATION, scopes: SCOPES, region, expiresAt: null };
    const { key, id } = await createServiceKey(records, order);
    const organization = (await snapshotKeys(records)).find((each) => each.id === id)!.organizationId;
    return { key, id, organization };
  });
}

type Key = Awaited<ReturnType<typeof makeKey>>;

/** Writes all requests into the spool; the recorder reads them once the service runs. */
async function record(config: Config, { key, id, organization }: Key, log: Log): Promise<readonly Scene[]> {
  const now = Date.now();
  const all = [...week(now), ...scenes(now)];
  const sender = { organization, keyId: id, keyName: "demo", authHash: hashKey(key) };
  const spool = openSpool({ directory: join(config.data_dir, "spool"), sync: config.spool_sync, log });
  for (const scene of all) writeScene(spool, sender, scene);
  await spool.close();
  return all;
}

/** Prints the address once everything is recorded, so that the first page shows all of it; then adds the scores. */
async function show(terminal: Terminal, printed: Printed, scenes: readonly Scene[]): Promise<void> {
  const { api, key, count } = printed;
  for (const endsAt = Date.now() + RECORDED_MS; Date.now() < endsAt; await sleep(POLL_MS))
    if ((await countOf(api, key)) >= count) break;
  print(terminal, printed);
  await judge(api, key, scenes);
}

/** How many requests are recorded; 0 if that cannot be determined. */
const countOf = (api: string, key: Key): Promise<number> =>
  post(api, key, "/v1/request/count/query", { filter: "all" }).then(
    ({ data }) => data,
    () => 0,
  );

async function post(api: string, { key }: Key, path: string, body: object): Promise<Json> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return (await fetch(api + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/** Examples in the demo's dataset. */
const EXAMPLES = 12;

/**
 * Adds scores from people and checks, a dataset of the worst responses, and a credential for the echo provider, so that the
 * playground has a model.
 */
async function judge(api: string, key: Key, scenes: readonly Scene[]): Promise<void> {
  await post(api, key, "/v1/credentials", { provider: "echo", name: "echo" });
  const worst = scenes
    .filter(({ scores }) => scores?.["helpful"] !== undefined)
    .toSorted((a, b) => a.scores!["helpful"]! - b.scores!["helpful"]!)
    .slice(0, EXAMPLES);
  const dataset = { name: "least helpful", description: "Responses to improve with the next prompt" };
  const { data } = await post(api, key, "/v1/datasets", dataset);
  await post(api, key, `/v1/datasets/${data?.id}/items`, {
    requestIds: worst.map(({ id }) => id),
    labels: ["to improve"],
  });
  for (const { id, scores, reasons, rating } of scenes) {
    if (scores !== undefined) await post(api, key, `/v1/request/${id}/score`, { scores, ...(reasons && { reasons }) });
    if (rating !== undefined) await post(api, key, `/v1/request/${id}/feedback`, { rating });
  }
}

interface Printed {
  readonly api: string;
  readonly gateway: string;
  readonly key: Key;
  readonly count: number;
  readonly directory: string;
  readonly isKept: boolean;
}

function print({ out }: Terminal, { api, gateway, key: { key }, count, directory, isKept }: Printed): void {
  const port = new URL(gateway).port;
  const end = isKept
    ? `Everything is in ${directory}. Continue with it later: WEIR_DATA_DIR=${directory} ${programName} serve`
    : `Everything is in ${directory}, which is removed at the end.`;
  out(`Weir with ${count} recorded requests of the last seven days.

  open   ${reachable(api)} in a browser
  key    ${key}

Send a request of your own; the built-in echo responds, and the request is in the list at once:

  curl http://echo.localhost:${port}/v1/chat/completions -H "Gateway-Auth: Bearer ${key}" \\
    -H "Content-Type: application/json" -d '{"model": "echo", "messages": [{"role": "user", "content": "Hello"}]}'

${end}
Ctrl-C ends it.
`);
}

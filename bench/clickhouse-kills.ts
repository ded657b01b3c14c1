/**
 * Records in a real ClickHouse under load, with `kill -9`: of the node, of the server; then the server away for a while, the
 * object store that has the bodies, and both.
 *
 * Claim: every `gateway-id` whose headers reached a client has exactly one row and one record with the status that the
 * client saw, and nothing that a client asks of the gateway fails while the server or both stores are away.
 *
 * Run: `bun bench/clickhouse-kills.ts [--node 20] [--server 20] [--away 60] [--store 60] [--both 60] [--clients 8] [--seed N] [--out FILE]`;
 * 0 leaves a part out. Needs `npm ci --prefix test/engine/clickhouse`, or `WEIR_TEST_CHDB`. Ends with status 1 where the
 * claim fails.
 */
import { randomInt } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { ClickHouse } from "../src/engine/clickhouse/client.ts";
import { allRecords, type CrashRound, compare, compareBodies, crashRounds } from "../test/e2e/crash.ts";
import { type Load, type SeenResponse, startLoad } from "../test/e2e/load.ts";
import { startUpstream } from "../test/e2e/upstream.ts";
import { startWeir, type Weir } from "../test/e2e/weir.ts";
import { type ClickHouseServer, startClickHouse } from "../test/engine/clickhouse/server.ts";
import { startObjectStore, type TestStore } from "../test/objects/store.ts";
import { until } from "../test/until.ts";
import { pause } from "./measured.ts";
import { seededNumbers } from "./seeded-numbers.ts";

const { values } = parseArgs({
  options: {
    node: { type: "string", default: "20" },
    server: { type: "string", default: "20" },
    away: { type: "string", default: "60" },
    store: { type: "string", default: "60" },
    both: { type: "string", default: "60" },
    clients: { type: "string", default: "8" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    out: { type: "string" },
  },
});
const clients = Number(values.clients);
const next = seededNumbers(Number(values.seed));
const LAG_MS_MAX = 600_000;
/** Requests whose bodies are compared after an outage: there are thousands. */
const BODIES_COMPARED = 300;
let failures = 0;

function keep(line: object): void {
  console.log(JSON.stringify(line));
  if (values.out !== undefined) appendFileSync(values.out, `${JSON.stringify(line)}\n`);
}

/** What a round showed, less the ids: a line is for reading. */
function show(part: string, round: Omit<CrashRound, "bodies" | "differing">, more: object = {}): void {
  const { missing, doubled, wrong } = round;
  failures += missing.length + doubled.length + wrong.length;
  keep({
    part,
    ...round,
    missing: missing.slice(0, 5),
    doubled: doubled.slice(0, 5),
    wrong: wrong.slice(0, 5),
    ...more,
  });
}

const environment = ({ url }: ClickHouseServer, database: string) => ({
  WEIR_RECORDS_ENGINE: "clickhouse",
  WEIR_RECORDS_URL: url,
  WEIR_RECORDS_DATABASE: database,
});

const bodiesIn = ({ settings }: TestStore) => ({
  ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`WEIR_${key.toUpperCase()}`, String(value)])),
  WEIR_BODIES_SECRET_ACCESS_KEY: "env:STORE_SECRET",
  STORE_SECRET: settings.bodies_secret_access_key,
});

/** Rows of finished records, and how many different ids they have. */
async function rowsIn({ url }: ClickHouseServer, database: string): Promise<{ rows: number; ids: number }> {
  const client = new ClickHouse({ urls: [url], database });
  const [row] = await client.query<{ rows: number; ids: number }>(
    "select count() as rows, uniqExact(request_id) as ids from requests",
  );
  return row!;
}

async function checkRows(part: string, server: ClickHouseServer, database: string): Promise<void> {
  const { rows, ids } = await rowsIn(server, database);
  failures += rows - ids;
  keep({ part, rows, differentIds: ids });
}

async function killNode(server: ClickHouseServer): Promise<void> {
  const database = "kills_of_the_node";
  const rounds = Number(values.node);
  const lost = await crashRounds(
    upstream,
    rounds,
    clients,
    () => 150 + next() * 1_500,
    ({ differing, bodies, ...round }) => {
      failures += differing.length;
      show("node killed", round, { bodies, differing: differing.slice(0, 5) });
    },
    environment(server, database),
  );
  failures += lost.length;
  keep({ part: "node killed", rounds, notThereOnceEachAtTheEnd: lost.length });
  await checkRows("node killed", server, database);
}

/** Stops the load, waits for its records, and compares. @returns the records. */
async function settle(part: string, weir: Weir, load: Load, killedAfterMs: number, more: object = {}) {
  await load.stop();
  const stoppedMs = performance.now();
  await until(
    async () => (await lagBytes(weir)) === 0,
    LAG_MS_MAX,
    () => "the spool is not read to its end",
    250,
  );
  const records = await allRecords(weir, load.seen);
  const round = compare(killedAfterMs, load.seen, records, performance.now() - stoppedMs);
  // Nothing but the client's own leaving cuts a request off: the gateway was there all the time.
  failures += round.cutOff;
  show(part, round, more);
  return records;
}

async function lagBytes(weir: Weir): Promise<number> {
  const text = await (await fetch(`${weir.api}/metrics`)).text();
  return Number(/^weir_spool_lag_bytes(?:{[^}]*})? (\S+)/m.exec(text)?.[1] ?? Number.NaN);
}

async function killServer(server: ClickHouseServer, weir: Weir): Promise<void> {
  for (let round = 0; round < Number(values.server); round++) {
    const load = startLoad(weir.gatewayPort, upstream.origin, clients);
    const seen: readonly SeenResponse[] = load.seen;
    await until(() => seen.length >= clients, 60_000);
    const killedAfterMs = 150 + next() * 3_000;
    await pause(killedAfterMs);
    await server.kill();
    await pause(next() * 1_000);
    await server.start();
    await settle("server killed", weir, load, killedAfterMs);
  }
}

async function outage(server: ClickHouseServer, weir: Weir): Promise<void> {
  const seconds = Number(values.away);
  const load = startLoad(weir.gatewayPort, upstream.origin, clients);
  await pause(3_000);
  const before = load.seen.length;
  await server.kill();
  await pause(seconds * 1_000);
  const during = load.seen.length - before;
  const spooledBytes = await lagBytes(weir);
  await server.start();
  await pause(3_000);
  await settle("server away", weir, load, 3_000, { seconds, answeredWhileAway: during, spooledBytes });
}

interface Away {
  readonly part: string;
  readonly database: string;
  readonly seconds: number;
  /** Whether ClickHouse is away as well. */
  readonly withServer: boolean;
}

/** The object store away. Some bodies are then read back and compared with what was sent. */
async function storeAway(server: ClickHouseServer, { part, database, seconds, withServer }: Away): Promise<void> {
  await using bucket = await startObjectStore();
  const weir = await startWeir({ env: { ...environment(server, database), ...bodiesIn(bucket) } });
  try {
    const load = startLoad(weir.gatewayPort, upstream.origin, clients);
    await pause(3_000);
    const before = load.seen.length;
    await Promise.all([bucket.stop(), ...(withServer ? [server.kill()] : [])]);
    await pause(seconds * 1_000);
    const more = { seconds, answeredWhileAway: load.seen.length - before, spooledBytes: await lagBytes(weir) };
    if (withServer) await server.start();
    await bucket.start();
    await pause(3_000);
    const records = await settle(part, weir, load, 3_000, more);
    const every = Math.ceil(load.seen.length / BODIES_COMPARED);
    const some = load.seen.filter((_, at) => at % every === 0);
    const { differing, bodies } = await compareBodies(weir, some, records);
    failures += differing.length;
    keep({ part, bodies, differing: differing.slice(0, 5) });
    await checkRows(part, server, database);
  } finally {
    await weir.stop();
  }
}

if (values.out !== undefined) writeFileSync(values.out, "");
keep({ ...values, at: new Date().toISOString(), load: loadavg()[0]!.toFixed(1) });
await using upstream = await startUpstream();
await using server = await startClickHouse();
if (Number(values.node) > 0) await killNode(server);
const database = "kills_of_the_server";
const weir = await startWeir({ env: environment(server, database) });
try {
  await killServer(server, weir);
  if (Number(values.away) > 0) await outage(server, weir);
  await checkRows("server killed and away", server, database);
} finally {
  await weir.stop();
}
const stores = { part: "store away", database: "store_away", seconds: Number(values.store), withServer: false };
if (stores.seconds > 0) await storeAway(server, stores);
const both = { part: "both away", database: "both_away", seconds: Number(values.both), withServer: true };
if (both.seconds > 0) await storeAway(server, both);
keep({ failures, load: loadavg()[0]!.toFixed(1) });
process.exitCode = failures === 0 ? 0 : 1;

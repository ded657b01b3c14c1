/**
 * Milliseconds until something that is promised soon is true: a provider's call ends behind a client that left, a record
 * is finished, a key made or revoked by the command line counts, and a change on one of two nodes reaches the other.
 *
 * Claims: at most a second, and two between nodes. Run: `bun bench/soon.ts [--times 10]`; needs sqld.
 */
import { parseArgs } from "node:util";
import { startSqld } from "../test/e2e/sqld.ts";
import { startUpstream } from "../test/e2e/upstream.ts";
import { callApi, gatewayHeaders, recordOf, runCommand, startWeir, type Weir } from "../test/e2e/weir.ts";
import { until } from "../test/until.ts";
import { spread } from "./measured.ts";

const { values } = parseArgs({ options: { times: { type: "string", default: "10" } } });
const times = Number(values.times);
await using upstream = await startUpstream();
let missed = false;

/** Milliseconds until `holds` says yes. */
async function msUntil(holds: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  await until(holds, 30_000, () => "it never comes", 1);
  return performance.now() - startedAt;
}

/** Measures `once` several times, and prints it beside what is promised. */
async function show(what: string, promisedMs: number, once: () => Promise<number>): Promise<void> {
  const found: number[] = [];
  for (let time = 0; time < times; time += 1) found.push(await once());
  const kept = Math.max(...found) <= promisedMs;
  missed ||= !kept;
  console.log(`${what}: ${spread(found)}; ${kept ? "within" : "NOT within"} ${promisedMs} ms`);
}

const send = (at: Weir, path: string, key?: string, init: RequestInit = {}) =>
  fetch(at.gateway + path, {
    headers: gatewayHeaders(upstream.origin, key === undefined ? {} : { "Gateway-Auth": `Bearer ${key}` }),
    keepalive: false,
    ...init,
  });
const statusWith = async (at: Weir, key: string) => (await send(at, "/v1/models", key)).status;

async function abandoned(weir: Weir): Promise<number> {
  const leaves = new AbortController();
  const response = await send(weir, "/endless", undefined, { signal: leaves.signal });
  await response.body?.getReader().read();
  const before = upstream.aborted();
  leaves.abort();
  return msUntil(() => upstream.aborted() > before);
}

async function finished(weir: Weir): Promise<number> {
  const response = await send(weir, "/events?n=3&ms=1");
  await response.text();
  const startedAt = performance.now();
  await recordOf(weir, response.headers.get("gateway-id")!);
  return performance.now() - startedAt;
}

const keyNamed = async (weir: Weir) =>
  (await runCommand(weir.env, "keys", "create", "--name", "soon", "--scopes", "gateway")).stdout.trim();

async function made(weir: Weir): Promise<number> {
  const key = await keyNamed(weir);
  return msUntil(async () => (await statusWith(weir, key)) !== 401);
}

/** A key is made through one node's API and revoked there; the time is the other node's, for the slower of both. */
async function reaches(one: Weir, other: Weir): Promise<number> {
  const body = JSON.stringify({ name: "soon", scopes: ["gateway"] });
  const { data } = (await (await callApi(one, "/v1/keys", { method: "POST", body })).json()) as {
    data: { id: string; key: string };
  };
  const known = await msUntil(async () => (await statusWith(other, data.key)) !== 401);
  await callApi(one, `/v1/keys/${data.id}`, { method: "DELETE" });
  return Math.max(known, await msUntil(async () => (await statusWith(other, data.key)) === 401));
}

{
  await using weir = await startWeir();
  await show("a client left: its provider's call ends", 1_000, () => abandoned(weir));
  await show("an answer ended: its record is finished", 1_000, () => finished(weir));
  await show("the command line made a key: it counts", 1_000, () => made(weir));
}
{
  await using sqld = await startSqld();
  const env = { WEIR_DATABASE_URL: sqld.url };
  await using one = await startWeir({ env });
  await using other = await startWeir({ env });
  await show("a key made or revoked on one node: the other knows", 2_000, () => reaches(one, other));
}
process.exit(missed ? 1 : 0);

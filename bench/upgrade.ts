/**
 * A data directory of an earlier version is taken over while traffic runs and the process is killed again and again.
 *
 * Claim: every record and every body from before and during the upgrade is there once as clients saw it, and for records from
 * before it the API returns what the earlier version returned.
 *
 * Every second kill comes while bodies are moved into packs.
 *
 * Run: `bun bench/upgrade.ts [--from 81fbf23] [--seconds 20] [--kills 6]`; `--from` is a commit or the path of a checkout.
 * Ends with status 1 where the claim fails.
 */
import { Database } from "bun:sqlite";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { allRecords, compareBodies } from "../test/e2e/crash.ts";
import { type SeenResponse, startLoad } from "../test/e2e/load.ts";
import { startUpstream } from "../test/e2e/upstream.ts";
import { type ApiRecord, ROOT, recordsOf, startWeir, until, type Weir } from "../test/e2e/weir.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "81fbf23" },
    seconds: { type: "string", default: "20" },
    kills: { type: "string", default: "6" },
  },
});
const CLIENTS = 24;
/** Tables of before there were packs, which are empty once all is moved. */
const EARLIER = ["bodies", "texts", "blobs"];
/** Members that may differ: what they say has changed, or is of the moment. */
const MAY_DIFFER = /signed|updated|url$|_bytes$/i;

await using upstream = await startUpstream();
const directory = mkdtempSync(join(tmpdir(), "weir-upgrade-"));
const dataDirectory = join(directory, "data");
execFileSync("mkdir", [dataDirectory]);
const checkout = checkoutOf(values.from);
const failures: string[] = [];
try {
  const earlier = await startWeir({ dataDirectory, command: [process.execPath, join(checkout, "src/main.ts")] });
  const before = await load(earlier, sleep(Number(values.seconds) * 1_000));
  const found = await recordsOf(
    earlier,
    before.map(({ id }) => id),
    300_000,
  );
  await earlier.stop();
  console.log(`load ${loadavg()[0]!.toFixed(1)}; ${values.from}: ${before.length} records, ${left()} rows of bodies`);

  const meanwhile: SeenResponse[] = [];
  for (let kill = 1; kill <= Number(values.kills); kill++) {
    const weir = await startWeir({ dataDirectory });
    meanwhile.push(...(await load(weir, kill % 2 === 0 ? moving() : sleep(Math.random() * 3_000), () => weir.kill())));
    console.log(
      `kill ${kill}: listening after ${Math.round(weir.startedMs)} ms; ${left()} rows of bodies are left to move`,
    );
  }
  const weir = await startWeir({ dataDirectory });
  try {
    meanwhile.push(...(await load(weir, sleep(3_000))));
    const startedMs = performance.now();
    await until(
      async () => left() === 0,
      600_000,
      () => `${left()} rows of bodies were not moved`,
      500,
    );
    console.log(`all moved ${Math.round((performance.now() - startedMs) / 1_000)} s later`);
    const seen = [...before, ...meanwhile];
    const records = await allRecords(weir, seen);
    const { bodies, differing } = await compareBodies(weir, seen, records);
    failures.push(...differing, ...counted(seen, records), ...differences(found, records));
    console.log(
      `${seen.length} ids, ${records.length} records, ${bodies} bodies compared, ${found.length} answers of before`,
    );
  } finally {
    await weir.stop();
  }
} finally {
  if (checkout !== resolve(values.from)) execFileSync("git", ["-C", ROOT, "worktree", "remove", "--force", checkout]);
  rmSync(directory, { recursive: true, force: true });
}
console.log(failures.length === 0 ? "0 differences" : failures.slice(0, 20).join("\n"));
process.exitCode = failures.length === 0 ? 0 : 1;

/** Resolves soon after some bodies have been moved, or when all are. */
async function moving(): Promise<void> {
  const before = left();
  while (before > 0 && left() === before) await sleep(20);
  await sleep(Math.random() * 200);
}

async function load(weir: Weir, enough: Promise<void>, end?: () => Promise<void>): Promise<readonly SeenResponse[]> {
  const { seen, stop } = startLoad(weir.gatewayPort, upstream.origin, CLIENTS);
  await enough;
  const stopped = stop();
  await end?.();
  await stopped;
  return seen;
}

/** Rows of bodies that are not in packs yet. */
function left(): number {
  const database = new Database(join(dataDirectory, "bodies.db"), { readonly: true });
  try {
    return EARLIER.reduce(
      (sum, table) => sum + (database.query(`select count(*) as n from ${table}`).get() as { n: number }).n,
      0,
    );
  } finally {
    database.close();
  }
}

function counted(seen: readonly SeenResponse[], records: readonly ApiRecord[]): string[] {
  const counts = new Map<string, number>();
  for (const { request_id } of records) counts.set(request_id, (counts.get(request_id) ?? 0) + 1);
  return seen
    .filter(({ id }) => counts.get(id) !== 1)
    .map(({ id, kind }) => `${id} (${kind}): ${counts.get(id) ?? 0} records`);
}

/** Members that both versions return, with different values. */
function differences(before: readonly ApiRecord[], after: readonly ApiRecord[]): string[] {
  const byId = new Map(after.map((record) => [record["request_id"], record]));
  return before.flatMap((record) => {
    const now = byId.get(record["request_id"]) ?? {};
    return Object.keys(record)
      .filter(
        (name) => name in now && !MAY_DIFFER.test(name) && JSON.stringify(record[name]) !== JSON.stringify(now[name]),
      )
      .map(
        (name) =>
          `${record["request_id"]} ${name}: ${JSON.stringify(record[name])} before, ${JSON.stringify(now[name])} now`,
      );
  });
}

function checkoutOf(from: string): string {
  if (from.includes("/")) return resolve(from);
  const path = join(directory, "earlier");
  execFileSync("git", ["-C", ROOT, "worktree", "add", "--detach", "--quiet", path, from]);
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}

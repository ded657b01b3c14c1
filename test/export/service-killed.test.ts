import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, rm } from "node:fs/promises";
import { chance } from "../chance.ts";
import { callApi, gatewayHeaders, KEY, startWeir, type Weir } from "../e2e/weir.ts";
import { type ApiRecord, makeRecord } from "./records.ts";
import { makeFolder, rowsNoted, run } from "./run-in-test.ts";

const RECORDS = 4_000;
const KILLS = 6;
const RANDOM = chance("moments of kills");
const PERIOD = ["--start-date", "2026-03-01", "--end-date", "2026-03-02"];

let weir: Weir;
let upstream: ReturnType<typeof Bun.serve>;
let inserting = true;
let inserted: Promise<number>;

/** A real service with a history, and with traffic that is recorded all the while. */
beforeAll(async () => {
  upstream = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json({ ok: true }) });
  weir = await startWeir();
  for (let from = 0; from < RECORDS; from += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, at) => JSON.stringify(history(from + at)));
    const response = await callApi(weir, "/v1/import", { method: "POST", body: lines.join("\n") });
    expect(await response.json()).toMatchObject({ data: { imported: 1_000 } });
  }
  inserted = keepInserting();
}, 300_000);

afterAll(async () => {
  inserting = false;
  await inserted;
  await weir.stop();
  await upstream.stop(true);
});

/** Seven share each moment, so that pages end between records of one time. */
function history(index: number): ApiRecord {
  const { an_unforeseen_member: _, asset_urls: __, ...record } = makeRecord(index);
  return { ...record, response_status: 200 } as ApiRecord;
}

async function keepInserting(): Promise<number> {
  let count = 0;
  for (; inserting; count++) {
    const headers = gatewayHeaders(`http://127.0.0.1:${upstream.port}`);
    await (await fetch(`${weir.gateway}/v1/x`, { method: "POST", body: "{}", headers })).text();
    await Bun.sleep(5);
  }
  return count;
}

test("an export of a service in use, killed at random moments, is byte for byte the unbroken one", async () => {
  await using folder = await makeFolder();
  const output = folder.file("killed.jsonl");
  const argv = [...PERIOD, "--include-body", "--quiet"];
  let killed = 0;
  for (let status = -1; status !== 0 || killed === 0; ) {
    if (status === 0) await rm(output); // it ended before it was killed: again
    const child = Bun.spawn(
      [process.execPath, `${import.meta.dir}/child.ts`, ...argv, "--output", output, "--resume"],
      {
        env: { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: weir.api },
        stderr: "inherit",
      },
    );
    if (killed < KILLS) await killInTheMiddle(child, output);
    status = await child.exited;
    if (status !== 0) killed++;
    expect(killed).toBeLessThan(30);
  }
  const whole = await run(weir.api, [...argv, "--output", "-"], {}, { WEIR_API_KEY: KEY });
  expect(whole.status).toBe(0);
  const text = whole.stdout.toString();
  expect(text.split("\n").length - 1).toBe(RECORDS);
  expect((await readFile(output, "utf8")) === text).toBe(true);
}, 300_000);

/** Kills an export once it has noted records that were not there before, and a random while after. */
async function killInTheMiddle(child: Bun.Subprocess, output: string): Promise<void> {
  const before = await rowsNoted(output);
  while (child.exitCode === null && (await rowsNoted(output)) <= before) await Bun.sleep(1);
  await Bun.sleep(RANDOM.number() * 15);
  child.kill("SIGKILL");
}

/**
 * Kills exports twenty times at random moments, while records are inserted, and compares each finished file with that
 * of an unbroken export. An export that comes to its end sooner is begun again.
 *
 *   bun bench/export-kills.ts [--kills 20] [--formats jsonl,json,csv,parquet]
 *
 * The service is a stand-in in this process that now and then fails as well. Ends with status 1 when a file differs.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Fault, KEY, startApi } from "../test/export/api-server.ts";
import { makeRecord } from "../test/export/records.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    formats: { type: "string", default: "jsonl,json,csv,parquet" },
  },
});
const kills = Number(values.kills);
const records = Array.from({ length: 40_000 }, (_, index) => makeRecord(index));
const folder = await mkdtemp(join(tmpdir(), "weir-export-kills-"));
const FAULTS: readonly Fault[] = [
  { kind: "cut" },
  { kind: "reset" },
  { kind: "status", status: 503 },
  { kind: "text", text: "<" },
];
const fault = (): Fault | undefined =>
  Math.random() < 0.05 ? FAULTS[Math.floor(Math.random() * 4)] : { kind: "slow" };
await using api = await startApi({ records, fault });
const ALL = ["--start-date", "2026-01-01", "--end-date", "2026-03-31", "--include-body"];

let different = 0;
for (const format of values.formats.split(",")) {
  const [whole, killed] = [join(folder, `whole.${format}`), join(folder, `killed.${format}`)];
  if ((await start(["--format", format, "--output", whole]).exited) !== 0)
    throw new Error("the unbroken export failed");
  let [times, files, others] = [0, 0, 0];
  for (; times < kills; files++) {
    times += await killOften(format, killed, kills - times);
    if (!(await readFile(whole)).equals(await readFile(killed))) others++;
    await rm(killed);
  }
  different += others;
  console.log(
    `${format.padEnd(8)} killed ${times} times over ${files} files, ${others} of them differ from the unbroken one`,
  );
}
await rm(folder, { recursive: true });
process.exitCode = different === 0 ? 0 : 1;

function start(argv: readonly string[]) {
  return Bun.spawn([process.execPath, join(import.meta.dir, "../test/export/child.ts"), ...ALL, ...argv], {
    env: { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: api.url },
    stderr: "ignore",
  });
}

/** @returns how often it was killed before it came to its end. */
async function killOften(format: string, output: string, most: number): Promise<number> {
  for (let killed = 0; ; killed++) {
    const child = start(["--format", format, "--output", output, "--resume"]);
    const timer = killed < most ? setTimeout(() => child.kill("SIGKILL"), 80 + Math.random() * 400) : undefined;
    const status = await child.exited;
    clearTimeout(timer);
    const late = new Date(Date.parse("2026-04-02T00:00:00Z") + killed * 1000).toISOString();
    api.insert([{ ...makeRecord(1_000_000 + killed), request_created_at: late }]);
    if (status === 0) return killed;
    if (status === 1 || status === 2) throw new Error(`an export ended with status ${status}`);
  }
}

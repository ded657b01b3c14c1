/**
 * CPU time of the recorder a record, for each workload of `storage-workloads.ts`, beside other commits.
 *
 * `bun bench/recorder-ab.ts [--base 81fbf23]... [--rounds 5] [--only 'small|chat'] [--share 0.3]`: the checkouts take turns, each run in a
 * process of its own over the same exchanges; other exchanges and the first half warm up, the second half is measured. Microseconds of CPU, of the
 * recorder's thread and of the whole process (with the runtime's compilers and collectors): medians of the rounds.
 * A base is a commit, or the path of a checkout. With `--share` only so many of the exchanges are recorded. Results go to `bench/results/recorder-ab.txt`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { deserialize, serialize } from "node:v8";
import { quantile } from "./measured.ts";
import { beginning, type Passed, WORKLOADS, type Workload } from "./storage-workloads.ts";

const ROOT = resolve(import.meta.dir, "..");
const COUNTS: Readonly<Record<string, number>> = { small: 32_000, chat: 1_800, RAG: 240, vision: 108 };
/** What all begin with, so that the code is compiled when the clock starts. */
const WARM_UP: Readonly<Record<string, number>> = { small: 8_000, chat: 300 };

interface Group {
  /** Exchanges that are recorded together. */
  readonly together: number;
  readonly exchanges: readonly Passed[];
  readonly isMeasured: boolean;
}

interface Cost {
  readonly thread: number;
  readonly all: number;
}

if (process.argv[2] === "--run") console.log(JSON.stringify(await run(process.argv[3]!, process.argv[4]!)));
else await compare();

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: {
      base: { type: "string", multiple: true, default: ["81fbf23"] },
      rounds: { type: "string", default: "5" },
      only: { type: "string" },
      share: { type: "string", default: "1" },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "weir-recorder-ab-"));
  const git = (...words: string[]) => execFileSync("git", ["-C", ROOT, ...words], { encoding: "utf8" }).trim();
  const made: string[] = [];
  const roots = values.base.map((base) => {
    if (base.includes("/")) return { name: base, root: resolve(base) };
    const path = join(directory, base);
    git("worktree", "add", "--detach", "--quiet", path, base);
    symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
    made.push(path);
    return { name: base, root: path };
  });
  roots.push({ name: "here", root: ROOT });
  const lines: string[] = [
    `CPU µs a record: thread / process, medians, then each round; here is ${git("rev-parse", "--short", "HEAD")}`,
  ];
  try {
    for (const workload of WORKLOADS) {
      if (values.only !== undefined && !values.only.split("|").includes(workload.name)) continue;
      const count = Math.ceil((COUNTS[workload.name] ?? workload.count) * Number(values.share));
      const file = join(directory, "exchanges");
      writeFileSync(file, serialize(groupsOf(workload, count, Number(values.share))));
      const costs = new Map<string, Cost[]>(roots.map(({ name }) => [name, []]));
      for (let round = 0; round < Number(values.rounds); round++) {
        for (const { name, root } of roots) costs.get(name)!.push(runIn(root, file));
      }
      const told = [...costs].map(([name, each]) => {
        const median = (of: keyof Cost) =>
          quantile(
            each.map((cost) => cost[of]).sort((a, b) => a - b),
            0.5,
          ).toFixed(0);
        return `${name} ${median("thread")} / ${median("all")}`;
      });
      lines.push(`${workload.name.padEnd(18)} ${told.join("   ")}`);
      for (const [name, each] of costs) {
        lines.push(`  ${name}: ${each.map(({ thread, all }) => `${thread.toFixed(0)}/${all.toFixed(0)}`).join(" ")}`);
      }
      console.log(lines.slice(-1 - costs.size).join("\n"));
    }
  } finally {
    for (const path of made) git("worktree", "remove", "--force", path);
    rmSync(directory, { recursive: true, force: true });
  }
  mkdirSync(join(ROOT, "bench/results"), { recursive: true });
  writeFileSync(join(ROOT, "bench/results/recorder-ab.txt"), `${lines.join("\n")}\n`);
}

function groupsOf({ together, make }: Workload, count: number, share: number): Group[] {
  const warmUp = WORKLOADS.flatMap((each): Group[] => {
    const number = WARM_UP[each.name];
    if (number === undefined) return [];
    return [{ together: each.together, exchanges: [...each.make(Math.ceil(number * share))], isMeasured: false }];
  });
  const exchanges = [...make(count)];
  const half = exchanges.length >> 1;
  return [
    ...warmUp,
    { together, exchanges: exchanges.slice(0, half), isMeasured: false },
    { together, exchanges: exchanges.slice(half), isMeasured: true },
  ];
}

function runIn(root: string, file: string): Cost {
  const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.path, "--run", root, file], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

/** Microseconds that this thread has been on a CPU. */
function threadMicros(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1_000;
}

/** Records the exchanges with a checkout's own sources. */
async function run(root: string, file: string): Promise<Cost> {
  const from = (path: string) => import(join(root, "src", path));
  const [{ Value }, { CONFIG_SCHEMA }, { readExchange }, { createLog }] = await Promise.all([
    import("@sinclair/typebox/value"),
    from("config.ts"),
    from("mapping/read-exchange.ts"),
    from("log.ts"),
  ]);
  const [{ pluginFolders }, { loadRegistry }, { createRecorder }, { openSpool }] = await Promise.all([
    from("plugin/files/load.ts"),
    from("plugin/providers/registry.ts"),
    from("recorder/create-recorder.ts"),
    from("spool/writer.ts"),
  ]);
  const directory = mkdtempSync(join(tmpdir(), "weir-recorder-"));
  const log = createLog({ level: "warn", format: "text" });
  const config = { ...(Value.Default(CONFIG_SCHEMA, {}) as object), data_dir: directory };
  const registry = await loadRegistry({ directories: pluginFolders("provider", config), log });
  const spool = openSpool({ directory: join(directory, "spool"), sync: "second", log });
  const provider = (name: string) => registry.providerByName(name);
  const recorder = createRecorder({ config, log, readExchange, provider });
  await recorder.ready();
  const cost = { thread: 0, all: 0 };
  let measured = 0;
  for (const { together, exchanges, isMeasured } of deserialize(readFileSync(file)) as Group[]) {
    for (let at = 0; at < exchanges.length; at += together) {
      for (const exchange of exchanges.slice(at, at + together)) pass(spool, exchange);
      const [thread, cpu] = [threadMicros(), process.cpuUsage()];
      await recorder.barrier();
      const { user, system } = process.cpuUsage(cpu);
      if (!isMeasured) continue;
      cost.thread += threadMicros() - thread;
      cost.all += user + system;
    }
    const [thread, cpu] = [threadMicros(), process.cpuUsage()];
    // Words wait for the index: what is left of them belongs to these records.
    await recorder.indexWords?.();
    const { user, system } = process.cpuUsage(cpu);
    if (!isMeasured) continue;
    cost.thread += threadMicros() - thread;
    cost.all += user + system;
    measured += exchanges.length;
  }
  await recorder.stop();
  await spool.close();
  rmSync(directory, { recursive: true, force: true });
  return { thread: cost.thread / measured, all: cost.all / measured };
}

function pass(spool: { [name: string]: (...args: unknown[]) => void }, passed: Passed): void {
  const id = Bun.randomUUIDv7();
  const time = Date.now();
  spool["begin"]!(id, beginning(passed, time));
  spool["requestChunk"]!(id, Buffer.from(passed.request));
  spool["head"]!(id, { time: time + 350, status: 200, headers: passed.responseHeaders });
  spool["responseChunk"]!(id, Buffer.from(passed.response));
  const { length: requestBytes } = passed.request;
  const { length: responseBytes } = passed.response;
  const times = { time: time + 1_900, forwardedAt: time + 1, firstByteAt: time + 352 };
  spool["end"]!(id, { ...times, outcome: "complete", requestBytes, responseBytes });
  spool["flush"]!();
}

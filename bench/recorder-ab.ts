/**
 * CPU time of the recorder a record, for each workload of `storage-workloads.ts`, beside other commits.
 *
 * `bun bench/recorder-ab.ts [--base 81fbf23]... [--rounds 2] [--only 'small|chat'] [--share 0.3] [--together 2000]`: each checkout has a process of its own, and
 * they take turns, a slice of the same exchanges each, so that what else runs on the machine meets all of them. Other exchanges and the first
 * half warm up, the second half is measured. Microseconds of CPU of the recorder's thread: median of the slices, and the median of its ratios to
 * the first base in the same turn; then the same of the whole process (with the runtime's compilers and collectors). Each round has new processes.
 * A base is a commit, or the path of a checkout. With `--share` only so many of the exchanges are recorded; with `--together` so many at once, in
 * place of the workload's own number. Results go to `bench/results/recorder-ab.txt`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { deserialize, serialize } from "node:v8";
import { quantile } from "./measured.ts";
import { beginning, type Passed, WORKLOADS, type Workload } from "./storage-workloads.ts";

const ROOT = resolve(import.meta.dir, "..");
const COUNTS: Readonly<Record<string, number>> = { small: 32_000, chat: 1_800, RAG: 240, vision: 108 };
/** What all begin with, so that the code is compiled when the clock starts. */
const WARM_UP: Readonly<Record<string, number>> = { small: 8_000, chat: 300 };
/** Turns in which the measured half is recorded. */
const SLICES = 10;

/** Exchanges that one process records in its turn, `together` at once. */
interface Slice {
  readonly together: number;
  readonly exchanges: readonly Passed[];
  readonly isMeasured: boolean;
}

interface Cost {
  readonly thread: number;
  readonly all: number;
}

if (process.argv[2] === "--run") await run(process.argv[3]!, process.argv[4]!);
else await compare();

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: {
      base: { type: "string", multiple: true, default: ["81fbf23"] },
      rounds: { type: "string", default: "2" },
      only: { type: "string" },
      share: { type: "string", default: "1" },
      together: { type: "string" },
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
  const lines = [
    `CPU µs a record: thread (ratio to the first) / process (ratio), medians of slices in turn; here is ${git("rev-parse", "--short", "HEAD")}`,
  ];
  try {
    for (const workload of WORKLOADS) {
      if (values.only !== undefined && !values.only.split("|").includes(workload.name)) continue;
      const count = Math.ceil((COUNTS[workload.name] ?? workload.count) * Number(values.share));
      const file = join(directory, "exchanges");
      const together = Number(values.together ?? workload.together);
      const slices = slicesOf({ ...workload, together }, count, Number(values.share));
      writeFileSync(file, serialize(slices));
      const costs = roots.map((): Cost[] => []);
      for (let round = 0; round < Number(values.rounds); round++) {
        const each = await inTurn(
          roots.map(({ root }) => root),
          file,
          slices,
        );
        for (const [at, some] of each.entries()) costs[at]!.push(...some);
      }
      const load = readFileSync("/proc/loadavg", "latin1").split(" ")[0];
      const columns = roots.map(
        ({ name }, at) => `${name} ${summary("thread", costs, at)} / ${summary("all", costs, at)}`,
      );
      lines.push(`${workload.name.padEnd(18)} ${columns.join("   ")}   load ${load}`);
      console.log(lines.at(-1));
    }
  } finally {
    for (const path of made) git("worktree", "remove", "--force", path);
    rmSync(directory, { recursive: true, force: true });
  }
  mkdirSync(join(ROOT, "bench/results"), { recursive: true });
  writeFileSync(join(ROOT, "bench/results/recorder-ab.txt"), `${lines.join("\n")}\n`);
}

/** The median cost of a root, and the median of its ratios to the first one. */
function summary(of: keyof Cost, costs: readonly (readonly Cost[])[], at: number): string {
  const own = costs[at]!.map((cost) => cost[of]);
  const ratios = own.map((cost, slice) => cost / costs[0]![slice]![of]);
  return `${quantile(own, 0.5).toFixed(1)} (${quantile(ratios, 0.5).toFixed(3)})`;
}

function slicesOf({ together, make }: Workload, count: number, share: number): Slice[] {
  const warmUp = WORKLOADS.flatMap((each): Slice[] => {
    const number = WARM_UP[each.name];
    if (number === undefined) return [];
    return [{ together: each.together, exchanges: [...each.make(Math.ceil(number * share))], isMeasured: false }];
  });
  const exchanges = [...make(count)];
  const half = exchanges.length >> 1;
  const length = Math.ceil((exchanges.length - half) / SLICES);
  const measured = Array.from({ length: SLICES }, (_, at) => ({
    together,
    exchanges: exchanges.slice(half + at * length, half + (at + 1) * length),
    isMeasured: true,
  })).filter((slice) => slice.exchanges.length > 0);
  return [...warmUp, { together, exchanges: exchanges.slice(0, half), isMeasured: false }, ...measured];
}

/** Costs of each root's measured slices. The words that wait for the index at the end are shared among them. */
async function inTurn(roots: readonly string[], file: string, slices: readonly Slice[]): Promise<Cost[][]> {
  const processes = roots.map((root) => {
    const child = spawn(process.execPath, ["--smol", import.meta.path, "--run", root, file], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (what: string): Promise<Cost> => {
      child.stdin.write(`${what}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the process of ${root} has ended`);
      return JSON.parse(value);
    };
    return { ask, ended };
  });
  const costs = roots.map((): Cost[] => []);
  for (const [slice, { isMeasured }] of slices.entries()) {
    for (const [at, { ask }] of processes.entries()) {
      const cost = await ask(String(slice));
      if (isMeasured) costs[at]!.push(cost);
    }
  }
  for (const [at, { ask, ended }] of processes.entries()) {
    const words = await ask("end");
    costs[at] = costs[at]!.map(({ thread, all }) => ({ thread: thread + words.thread, all: all + words.all }));
    await ended;
  }
  return costs;
}

/** Microseconds that this thread has been on a CPU. */
function threadMicros(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1_000;
}

/** Records slices of the exchanges with a checkout's own sources, when they are requested. */
async function run(root: string, file: string): Promise<void> {
  // The second name is the one of older commits.
  const from = (path: string, before = path) => {
    const now = join(root, "src", path);
    return import(existsSync(now) ? now : join(root, "src", before));
  };
  const [{ Value }, { CONFIG_SCHEMA }, { readExchange }, { createLog }] = await Promise.all([
    import("@sinclair/typebox/value"),
    from("config.ts"),
    from("mapping/read-exchange.ts"),
    from("log.ts", "observe.ts"),
  ]);
  const [{ pluginFolders }, { loadRegistry }, { createRecorder }, { openSpool }] = await Promise.all([
    from("plugin-host/files/load.ts", "plugin/files/load.ts"),
    from("plugin-host/providers/registry.ts", "plugin/providers/registry.ts"),
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
  const slices: readonly Slice[] = deserialize(readFileSync(file));
  let measured = 0;

  const costOf = async (work: () => Promise<void> | undefined): Promise<Cost> => {
    const [thread, cpu] = [threadMicros(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(cpu);
    return { thread: threadMicros() - thread, all: user + system };
  };
  const record = async ({ together, exchanges, isMeasured }: Slice): Promise<Cost> => {
    let [thread, all] = [0, 0];
    for (let at = 0; at < exchanges.length; at += together) {
      for (const exchange of exchanges.slice(at, at + together)) pass(spool, exchange);
      const cost = await costOf(() => recorder.barrier());
      thread += cost.thread;
      all += cost.all;
    }
    if (isMeasured) measured += exchanges.length;
    else await recorder.indexWords?.();
    return { thread: thread / exchanges.length, all: all / exchanges.length };
  };
  for await (const command of createInterface({ input: process.stdin })) {
    if (command === "end") break;
    console.log(JSON.stringify(await record(slices[Number(command)]!)));
  }
  const { thread, all } = await costOf(() => recorder.indexWords?.());
  console.log(JSON.stringify({ thread: thread / measured, all: all / measured }));
  await recorder.stop();
  await spool.close();
  rmSync(directory, { recursive: true, force: true });
  process.exit();
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

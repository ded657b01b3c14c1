import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { release } from "node:os";
import { promisify } from "node:util";

const PRIORITY = new URL("../../src/runtime/priority.ts", import.meta.url).href;

/** What the kernel says of a thread, in a program of its own, that yields as `call` says; empty where it says nothing. */
async function yielding(call: string): Promise<ReadonlyMap<string, number>> {
  const code = `const priority = await import(${JSON.stringify(PRIORITY)});
    priority.${call}();
    const { existsSync, readFileSync } = await import("node:fs");
    const path = "/proc/thread-self/sched";
    if (existsSync(path)) console.log(readFileSync(path, "utf8"));
    console.log("nice :", (await import("node:os")).getPriority(0));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", code]);
  const pairs = stdout.split("\n").map((line) => line.split(":"));
  return new Map(pairs.map(([name, value]) => [name!.trim(), Number(value)]));
}

test.each([
  ["yieldToTraffic", 5],
  ["jobsYieldToTraffic", 10],
  ["queriesYieldToTraffic", 10],
])("a thread that calls %s is less urgent, and lets others in before its turn is over", async (call, nice) => {
  const kernel = await yielding(call);
  // On other systems it would be the whole program that is less urgent.
  expect(kernel.get("nice")).toBeGreaterThanOrEqual(process.platform === "linux" ? nice : 0);
  const [major, minor] = release().split(".").map(Number) as [number, number];
  const knowsTurns = process.platform === "linux" && (major > 6 || (major === 6 && minor >= 12));
  // Kernels may be built without telling of it.
  if (knowsTurns && kernel.has("se.slice")) expect(kernel.get("se.slice")).toBe(10_000_000);
});

test("lowering the priority of threads survives a lack of file descriptors", async () => {
  const code = `const priority = await import(${JSON.stringify(PRIORITY)});
    const { openSync } = await import("node:fs");
    priority.queriesYieldToTraffic();
    try {
      for (;;) openSync(process.execPath);
    } catch (error) {
      if (error.code !== "EMFILE") throw error;
    }
    setTimeout(() => { console.log("alive"); process.exit(); }, 1_200);`;
  const words = ["-c", 'ulimit -n 256; exec "$0" "$@"', process.execPath, "-e", code];
  expect((await promisify(execFile)("sh", words)).stdout).toBe("alive\n");
});

import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const moduleUrl = (name: string) => JSON.stringify(new URL(`../../src/runtime/${name}.ts`, import.meta.url).href);

/** The cores of the main thread, and of one that has run these statements; none but on Linux. */
async function coresOfThreads(statements: string): Promise<{ readonly main: number[]; readonly left: number[] }> {
  const read = `const { existsSync, readFileSync } = await import("node:fs");
    const mine = () => existsSync("/proc/thread-self/status")
      ? /^Cpus_allowed_list:\\s*(.*)$/m.exec(readFileSync("/proc/thread-self/status", "utf8"))[1] : "";`;
  const worker = `${read} ${statements} postMessage(mine());`;
  const program = `${read} const worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(worker)}])));
    worker.onmessage = ({ data }) => { console.log(JSON.stringify([mine(), data])); process.exit(); };`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program]);
  const [main, left] = JSON.parse(stdout).map(numbersOf);
  return { main, left };
}

/** `0-2,5` as 0, 1, 2, 5. */
function numbersOf(list: string): number[] {
  if (list === "") return [];
  return list.split(",").flatMap((range) => {
    const [from, to = from] = range.split("-").map(Number) as [number, number?];
    return Array.from({ length: to! - from + 1 }, (_, index) => from + index);
  });
}

test.each([
  [
    "leaveFirstCore twice",
    `const { leaveFirstCore } = await import(${moduleUrl("cores")}); leaveFirstCore(0); leaveFirstCore(0);`,
  ],
  ...["jobsYieldToTraffic", "queriesYieldToTraffic"].map((call) => [
    call,
    `(await import(${moduleUrl("priority")})).${call}();`,
  ]),
])("a thread that calls %s leaves one core to traffic, and the main thread keeps all", async (_, statements) => {
  const { main, left } = await coresOfThreads(statements!);
  expect(left).toEqual(main.length > 1 ? main.slice(1) : main);
});

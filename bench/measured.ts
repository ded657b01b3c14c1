import { readdirSync, readFileSync } from "node:fs";

/** The value below which `share` of the values lie; NaN where there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Three metrics of a list, in ms, for a line of output. */
export function spread(values: readonly number[]): string {
  const [p50, p99, most] = [quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)];
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${most.toFixed(1)} ms`;
}

/** Seconds of CPU that a process and all its threads have used so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Seconds of CPU per thread name, such as the gateway's main thread, the recorder's and those of the runtime. */
export function cpuByThread(pid: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
    const name = thread === String(pid) ? "main" : stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    seconds.set(name, (seconds.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) / 100);
  }
  return seconds;
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

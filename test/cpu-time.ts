import { threadCpuUsage } from "node:process";

/** CPU milliseconds that `work` takes of this thread: a bound on them is a claim that a busy machine does not break. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = threadCpuUsage();
  await work();
  const { user, system } = threadCpuUsage(before);
  return (user + system) / 1_000;
}

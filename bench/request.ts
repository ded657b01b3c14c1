/**
 * What a recorded request costs the gateway thread, without the system's sockets and without plugins, beside another commit.
 *
 * Each turn is a process of its own (`load/request-in-memory.ts`), so it shows a change of a few percent on a machine that
 * does other work, where `ab.ts` shows only large ones.
 * Run: `bun bench/request.ts [--base main] [--rounds 5] [--requests 100000] [--kind small]`; needs git. Other kinds are
 * `passed`, `same` and `translated`: a 2 kB chat in pass-through and at the unified address.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../test/e2e/weir.ts";
import { checkout, git } from "./load/checkout.ts";
import { quantile } from "./measured.ts";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "main" },
    rounds: { type: "string", default: "5" },
    requests: { type: "string", default: "100000" },
    kind: { type: "string", default: "small" },
  },
});
const directory = mkdtempSync(join(tmpdir(), "weir-request-"));
const program = join(import.meta.dirname, "load/request-in-memory.ts");

function microseconds(root: string): number {
  return Number(
    execFileSync(process.execPath, ["--smol", program, root, values.requests, values.kind], { encoding: "utf8" }),
  );
}

try {
  const base = checkout(values.base, directory);
  console.log(`base ${git("rev-parse", "--short", values.base)}, here ${git("describe", "--always", "--dirty")}`);
  const ratios: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const costs = new Map<string, number>();
    for (const root of round % 2 ? [ROOT, base] : [base, ROOT]) costs.set(root, microseconds(root));
    const [before, here] = [costs.get(base)!, costs.get(ROOT)!];
    ratios.push(here / before);
    console.log(
      `us of CPU a request: base ${before.toFixed(1)}, here ${here.toFixed(1)}, ratio ${(here / before).toFixed(3)}`,
    );
  }
  console.log(`here / base: median ${quantile(ratios, 0.5).toFixed(3)}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
  git("worktree", "prune");
}

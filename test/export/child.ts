/** An export in a process of its own, so that it can be killed: `bun test/export/child.ts [options]`. */
import { runExport } from "../../src/export/run.ts";
import { QUICK } from "./run-in-test.ts";

process.exitCode = await runExport(process.argv.slice(2), process.env, {
  stdout: process.stdout,
  stderr: process.stderr,
  pace: QUICK,
});

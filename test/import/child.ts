/** An import in a process of its own, so that it can be killed: `bun test/import/child.ts FILE… [options]`. */
import { runImport } from "../../src/import/run.ts";
import { QUICK } from "../export/run-in-test.ts";

process.exitCode = await runImport(process.argv.slice(2), process.env, {
  stdin: process.stdin,
  stderr: process.stderr,
  pace: QUICK,
});

import { programArguments, shippedScript } from "./runtime/platform.ts";
import { restartWithEnvironment } from "./runtime/restart.ts";

// Before anything else is loaded: it may all be loaded again. So in the binary the rest is a bundle of its own.
restartWithEnvironment();
const { runCommandLine } = (await import(shippedScript("src/cli/run.ts"))) as typeof import("./cli/run.ts");
const status = await runCommandLine(programArguments(), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  columns: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined,
  env: process.env,
  workingDirectory: process.cwd(),
});
// Threads that have let go of everything still keep the process alive; what was printed must leave it first.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
process.exit(status);

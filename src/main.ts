import { runCommandLine } from "./cli/run.ts";
import { programArguments } from "./runtime/platform.ts";
import { restartWithEnvironment } from "./runtime/restart.ts";

restartWithEnvironment();
process.exitCode = await runCommandLine(programArguments(), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  workingDirectory: process.cwd(),
});

import { runCommandLine } from "./cli/run.ts";
import { programArguments } from "./runtime/platform.ts";
import { restartWithEnvironment } from "./runtime/restart.ts";

restartWithEnvironment();
const words = programArguments();
process.exitCode = await runCommandLine(words, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  workingDirectory: process.cwd(),
});
// The threads of a service have let go of everything by now, but stay until the process ends.
if (words.includes("serve")) process.exit();

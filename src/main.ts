import { isatty } from "node:tty";
import { programArguments, shippedScript } from "./runtime/platform.ts";
import { restartWithEnvironment } from "./runtime/restart.ts";
import { askSecret, readStdin } from "./runtime/stdin.ts";

// Before anything else is loaded, because this may restart the process. So in the binary the rest is a separate bundle.
restartWithEnvironment();
// Otherwise Elysia writes each refused body into an error's text, indented: of 16 kB that are nested deeply, 128 MB.
Object.assign(process.env, { NODE_ENV: "production" });
const { runCommandLine, takeEnvironment } = (await import(
  shippedScript("src/cli/run.ts")
)) as typeof import("./cli/run.ts");
let printed = Promise.resolve();
let unprinted: (Error & { code?: unknown }) | null | undefined;
process.stdout.on("error", () => {}); // the callback of the write gets the error as well
process.stderr.on("error", () => {}); // a log without a reader: without this the error would be logged itself, endlessly
let status = await runCommandLine(programArguments(), {
  out: (text) => {
    printed = new Promise((resolve) => {
      process.stdout.write(text, (error) => {
        unprinted ??= error;
        resolve();
      });
    });
  },
  err: (text) => void process.stderr.write(text),
  columns: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined,
  env: takeEnvironment(process.env),
  workingDirectory: process.cwd(),
  stdin: readStdin,
  askSecret: isatty(0) ? askSecret : undefined,
});
await printed;
// EPIPE is not a failure: a reader such as `head` has what it wants. A full disk is: a key shown only once may be lost.
if (unprinted && unprinted.code !== "EPIPE" && status === 0) {
  process.stderr.write(`weir: stdout cannot be written: ${unprinted.message}\n`);
  status = 1;
}
// Threads that have released everything still keep the process alive, so it exits explicitly, after the output is flushed.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve));
process.exit(status);

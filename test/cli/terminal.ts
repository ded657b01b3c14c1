import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/run.ts";

/** Runs command lines in one working directory and keeps what they print. @param columns - of a terminal. */
export function commandLine(env: Record<string, string> = {}, columns?: number) {
  const directory = mkdtempSync(join(tmpdir(), "weir-cli-"));
  const feed = async (stdin: string, ...words: string[]) => {
    const printed = { out: "", err: "" };
    const status = await runCommandLine(words, {
      out: (text) => {
        printed.out += text;
      },
      err: (text) => {
        printed.err += text;
      },
      columns,
      env,
      workingDirectory: directory,
      stdin: async () => stdin,
    });
    return { status, ...printed };
  };
  return {
    directory,
    /** With this on stdin. */
    feed,
    run: (...words: string[]) => feed("", ...words),
  };
}

/** The same with a database that has a key. */
export async function openedCommandLine(env: Record<string, string> = {}) {
  const cli = commandLine({ WEIR_ALLOW_PRIVATE_TARGETS: "127.0.0.1", ...env });
  await cli.run("keys", "create", "--name", "first");
  return cli;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/log.ts";
import type { PluginFolder } from "../../src/plugin-host/files/load.ts";

/** A folder for drop-ins that goes away with the test. */
export async function dropInFolder(builtIn = false) {
  const path = await mkdtemp(join(tmpdir(), "weir-dropins-"));
  return {
    folder: { path, builtIn } satisfies PluginFolder,
    path,
    write: async (name: string, text: string) => {
      await writeFile(join(path, name), text);
      return join(path, name);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** A log whose lines are kept. */
export function keptLog() {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => void lines.push(line) });
  return { log, lines };
}

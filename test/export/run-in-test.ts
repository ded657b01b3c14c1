import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { type Checkpoint, checkpointPath } from "../../src/export/checkpoint.ts";
import { type ExportIo, runExport } from "../../src/export/run.ts";
import { KEY } from "./api-server.ts";

interface Ended {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Waits that a test can afford. A call that a busy machine lets time out would be sent again. */
export const QUICK = { firstDelayMs: 1, delayMsMax: 4, idleMsMax: 120_000 };

/** Runs an export in this process and keeps what it prints. */
export async function run(
  url: string,
  argv: readonly string[],
  more: Partial<ExportIo> = {},
  env = {},
): Promise<Ended> {
  const out: Buffer[] = [];
  const err: string[] = [];
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      out.push(chunk);
      done();
    },
  });
  const screen = { write: (text: string) => err.push(text) };
  const io = { stdout, stderr: screen, pace: QUICK, ...more };
  const status = await runExport(argv, { WEIR_API_KEY: KEY, WEIR_API_URL: url, ...env }, io);
  return { status, stdout: Buffer.concat(out), stderr: err.join("") };
}

export interface Folder extends AsyncDisposable {
  file(name: string): string;
}

export async function makeFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "weir-export-"));
  return {
    file: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Rows that the checkpoint beside `output` notes; 0 where there is none. */
export async function rowsNoted(output: string): Promise<number> {
  const text = await readFile(checkpointPath(output), "utf8").catch(() => "");
  return text === "" ? 0 : (JSON.parse(text) as Checkpoint).rows;
}

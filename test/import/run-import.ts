import { type ImportIo, runImport } from "../../src/import/run.ts";
import { KEY } from "../e2e/weir.ts";
import { QUICK } from "../export/run-in-test.ts";

/** Runs an import in this process and keeps what it prints. */
export async function importInto(url: string, argv: readonly string[], stdin = "", more: Partial<ImportIo> = {}) {
  const err: string[] = [];
  const io: ImportIo = {
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    stderr: { write: (text: string) => err.push(text) },
    pace: QUICK,
    ...more,
  };
  const status = await runImport(argv, { WEIR_API_KEY: KEY, WEIR_API_URL: url }, io);
  return { status, stderr: err.join("") };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is gone at the end of the block. */
export function temporaryDirectory(name = "test"): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), `weir-${name}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

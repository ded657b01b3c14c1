import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../../src/config.ts";

/** A directory of its own that is gone at the end of the block, and a configuration that uses it. */
export function ownDirectory(settings: Partial<Config> = {}): { path: string; config: Config } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "weir-test-"));
  return {
    path,
    config: { ...Schema.Create(CONFIG_SCHEMA), data_dir: path, ...settings },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

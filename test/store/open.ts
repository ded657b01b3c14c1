import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../../src/config.ts";
import { temporaryDirectory } from "../directory.ts";

/** A directory of its own that is gone at the end of the block, and a configuration that uses it. */
export function ownDirectory(settings: Partial<Config> = {}): { path: string; config: Config } & Disposable {
  const directory = temporaryDirectory();
  const config = { ...Schema.Create(CONFIG_SCHEMA), data_dir: directory.path, ...settings };
  return { ...directory, config };
}

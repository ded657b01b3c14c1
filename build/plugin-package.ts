import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contractText } from "../src/cli/contract-text.ts";

const FILE = join(import.meta.dir, "../packages/plugin/index.d.ts");

/** Writes the types of `packages/plugin` from the contract in `src/plugin-host/contract/`: `bun build/plugin-package.ts`. A test compares them. */
export async function pluginTypes(): Promise<string> {
  return `// Written by build/plugin-package.ts from src/plugin-host/contract/.\n${await contractText()}`;
}

if (import.meta.main) writeFileSync(FILE, await pluginTypes());

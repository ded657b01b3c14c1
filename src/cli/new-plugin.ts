import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Run } from "./command.ts";
import { contractText } from "./contract-text.ts";
import { pluginSkeleton, providerSkeleton } from "./skeletons.ts";
import { CommandError, UsageError } from "./usage-error.ts";

/** Written beside a skeleton, so that an editor has the types without installing anything. */
const TYPES_FILE = "weir-plugin.d.ts";

export const newPluginCommand: Run = async ({ args, options, terminal, config }) => {
  const name = args[0]!.toLowerCase();
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name))
    throw new UsageError("a name has letters, digits and dashes, such as office-hours");
  const isProvider = options["provider"] === true;
  const dropIns = isProvider ? config.providers_dir : config.plugins_dir;
  const folder = typeof options["dir"] === "string" ? resolve(terminal.workingDirectory, options["dir"]) : dropIns;
  const path = join(folder, `${name}.ts`);
  if (existsSync(path)) throw new CommandError(`${path} already exists; choose another name`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, TYPES_FILE), await typesText());
  await writeFile(path, isProvider ? providerSkeleton(name) : pluginSkeleton(name), { flag: "wx" });
  terminal.out(`${path}\n`);
  terminal.err(
    `The types are beside it in ${TYPES_FILE}. \`weir plugins check ${path}\` checks it, \`weir plugins test\` runs it over exchanges.\n`,
  );
  return 0;
};

/** The contract as a declared module, so that `weir/plugin` has types in a folder without packages. */
async function typesText(): Promise<string> {
  const indented = (await contractText()).replaceAll(/^(?=.)/gm, "  ");
  return `// The contract between Weir and its providers and plugins. Written by \`weir plugins new\`; do not edit.\ndeclare module "weir/plugin" {\n${indented}}\n`;
}

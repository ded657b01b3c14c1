import program from "../../package.json" with { type: "json" };
import type { Run } from "./command.ts";

export const VERSION = program.version;

export const versionCommand: Run = async ({ terminal }) => {
  terminal.out(`weir ${VERSION}\n`);
  return 0;
};

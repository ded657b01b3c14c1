import { printConfig } from "../config/print.ts";
import type { Run } from "./command.ts";

export const configCommand: Run = async ({ terminal, loaded }) => {
  if (loaded.file !== undefined) terminal.err(`read from ${loaded.file}\n`);
  terminal.out(printConfig(loaded));
  return 0;
};

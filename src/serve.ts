import type { Run } from "./cli/commands.ts";

export const serve: Run = async () => 1;

import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "../counted.ts";
import { askApi } from "./ask-api.ts";
import type { Run } from "./command.ts";
import { CommandError, UsageError } from "./usage-error.ts";

const PAUSE_MS = 1_000;

/** Deletes step by step and prints the progress; stdout has only the file of an export. */
export const deleteOrganizationCommand: Run = async (invocation) => {
  const { args, options, terminal } = invocation;
  const name = args[0]!;
  const { data: all } = await askApi(invocation, { method: "GET", path: "/v1/organizations", scope: "admin" });
  const id = all.find((each: { readonly name: string }) => each.name === name)?.id;
  if (id === undefined)
    throw new CommandError(`there is no organization "${name}"; \`weir organizations list\` shows them`);
  if (options["confirm"] !== name)
    throw new UsageError(`this deletes all records of "${name}" permanently: add --confirm ${JSON.stringify(name)}`);
  const body = { name, ...(options["export"] === true && { export: true }) };
  for (let removed = 0; ; ) {
    const path = `/v1/organizations/${encodeURIComponent(id)}`;
    const { data } = await askApi(invocation, { method: "DELETE", path, body, scope: "admin" });
    removed += data.removed;
    terminal.err(`${counted(removed, "record")} deleted, ${data.remaining} left\n`);
    // The remaining requests are in flight and end by themselves: pause before the next call.
    if (!data.done && data.removed === 0) await sleep(PAUSE_MS);
    if (!data.done) continue;
    terminal.err(`organization "${name}" is deleted\n`);
    if (data.exported !== null) terminal.out(`${data.exported}\n`);
    return 0;
  }
};

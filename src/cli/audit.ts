import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { counted } from "../counted.ts";
import { fileProblem } from "../file-problem.ts";
import { readIsoTime } from "../record/iso-time.ts";
import { type AuditFilter, listAudit } from "../store/audit/list.ts";
import { allEntries, verifyAudit } from "../store/audit/verify.ts";
import type { Invocation, Run, Terminal } from "./command.ts";
import { organizationId } from "./organization.ts";
import { printJson, printList } from "./print.ts";
import { asUsage, readAll } from "./read-options.ts";
import { regionConfig } from "./region.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { withRecords } from "./with-store.ts";

const ROWS_DEFAULT = 100;
const ROWS_MAX = 10_000;
const DEADLINE_MS = 600_000;

export const listAuditCommand: Run = async (invocation) => {
  const { options } = invocation;
  const { limit, since, until } = readAll({
    limit: () => readLimit(options),
    since: () => readTime(options, "since"),
    until: () => readTime(options, "until"),
  });
  const filter = { ...(await filterOf(invocation)), since, until };
  const { entries } = await withRecords(regionConfig(invocation), (records) =>
    listAudit(records, filter, { limit, deadlineMs: DEADLINE_MS }).catch((error: unknown) =>
      asUsage(() => {
        throw error;
      }),
    ),
  );
  printList(invocation, entries, {
    headings: ["seq", "time", "organization", "actor", "action", "object", "outcome", "address"],
    cells: ({ seq, time, organization, organization_id, actor, action, object, outcome, address }) => [
      ...[String(seq), time, organization ?? organization_id ?? "", `${actor.kind} ${actor.name}`, action],
      ...[`${object.kind} ${object.name || object.id}`, outcome, address ?? ""],
    ],
    cuts: ["organization", "actor", "object"],
    none: "there are no entries",
  });
  return 0;
};

/** One JSON object per line, the oldest first: the order of the hashes. */
export const exportAuditCommand: Run = async (invocation) => {
  const { options, terminal, config } = invocation;
  const org = options["org"]?.toString();
  const id = org === undefined ? undefined : await organizationId(config, org);
  const path = options["output"]?.toString() ?? "-";
  let count = 0;
  await withRecords(regionConfig(invocation), async (records) => {
    const lines = linesOf(allEntries(records, id));
    count = await (path === "-" ? print(terminal, lines) : writeFile(path, options["force"] === true, lines));
  });
  terminal.err(`${counted(count, "entry", "entries")} exported\n`);
  return 0;
};

async function* linesOf(entries: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
}

async function print(terminal: Terminal, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  for await (const line of lines) {
    terminal.out(line);
    count++;
  }
  return count;
}

async function writeFile(path: string, replaces: boolean, lines: AsyncIterable<string>): Promise<number> {
  const file = createWriteStream(path, { flags: replaces ? "w" : "wx", mode: 0o600 });
  const failed = once(file, "error").then(([error]) => {
    throw new CommandError(`${path} cannot be written: ${fileProblem(error)}`, error);
  });
  failed.catch(() => {}); // awaited below
  const write = async () => {
    let count = 0;
    await once(file, "open");
    for await (const line of lines) {
      if (!file.write(line)) await once(file, "drain");
      count++;
    }
    file.end();
    await once(file, "finish");
    return count;
  };
  return Promise.race([write(), failed]);
}

/** Status 1 if the chain breaks. */
export const verifyAuditCommand: Run = async (invocation) => {
  const { options, terminal } = invocation;
  const verdict = await withRecords(regionConfig(invocation), verifyAudit);
  const { entries, first, newest, hash, broken } = verdict;
  if (options["json"]) printJson(terminal, verdict);
  else if (broken !== null)
    terminal.out(`the chain breaks at entry ${broken.seq}: ${broken.why}; unchanged before it: ${entries}\n`);
  else if (first === null) terminal.out("there are no entries\n");
  else terminal.out(`unchanged: ${counted(entries, "entry", "entries")}, ${first} to ${newest}; newest hash ${hash}\n`);
  return broken === null ? 0 : 1;
};

function readLimit(options: Invocation["options"]): number {
  const limit = Number(options["limit"] ?? ROWS_DEFAULT);
  if (Number.isInteger(limit) && limit >= 1 && limit <= ROWS_MAX) return limit;
  throw new UsageError(`--limit: give a whole number from 1 to ${ROWS_MAX}`);
}

async function filterOf({ config, options }: Invocation): Promise<Omit<AuditFilter, "since" | "until">> {
  const text = (name: string) => options[name]?.toString();
  const org = text("org");
  return {
    organizationId: org === undefined ? undefined : await organizationId(config, org),
    ...{ actor: text("actor"), action: text("action"), object: text("object"), outcome: text("outcome") },
  };
}

function readTime(options: Invocation["options"], name: string): number | undefined {
  const given = options[name]?.toString();
  const time = given === undefined ? undefined : readIsoTime(given);
  if (given !== undefined && time === undefined)
    throw new UsageError(`--${name}: give an ISO 8601 time such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  return time;
}

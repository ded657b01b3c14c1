import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { counted } from "../counted.ts";
import { madeKeyPath } from "../credentials/keyring.ts";
import { isDiskFull, placedProblem } from "../file-problem.ts";
import { messageOf } from "../log.ts";
import { mayBeReplaced } from "../maintenance/backup/archive.ts";
import { backUp, type Step } from "../maintenance/backup/backup.ts";
import type { Manifest } from "../maintenance/backup/manifest.ts";
import { restore } from "../maintenance/backup/restore.ts";
import { RestoreError } from "../maintenance/backup/restore-error.ts";
import { databasePlaces } from "../maintenance/database-places.ts";
import { openDataDirectory } from "../serve/data-directory.ts";
import { noted } from "../store/audit/recorded.ts";
import { openStore } from "../store/store.ts";
import { atCommandLine } from "./acting.ts";
import { backupPlan } from "./backup-plan.ts";
import type { Run, Terminal } from "./command.ts";
import { CommandError } from "./usage-error.ts";
import { VERSION } from "./version.ts";

/** Milliseconds between two lines about the same file. */
const LINE_EVERY_MS = 10_000;

export const backupCommand: Run = async ({ args, options, terminal, config }) => {
  if (options["plan"] === true) {
    terminal.out(backupPlan(config));
    return 0;
  }
  const target = resolve(terminal.workingDirectory, args[0]!);
  if (existsSync(target)) {
    if (!mayBeReplaced(target)) throw new CommandError(`${target} exists and is not a backup; choose another name`);
    if (options["force"] !== true) {
      throw new CommandError(`${args[0]} already exists; --force replaces it once the new backup is complete`);
    }
  }
  const missing = databasePlaces(config).find(({ path }) => !existsSync(path));
  if (missing !== undefined) throw new CommandError(`${missing.path} does not exist: there is nothing to back up`);
  const onStep = progress(terminal, options["quiet"] === true);
  const withCredentialsKey = options["with-credentials-key"] === true;
  const manifest = await failingInWords(
    target,
    backUp({ config, target, version: VERSION, onStep, withCredentialsKey }),
  );
  terminal.err(`${summary(manifest)} in ${args[0]}\n`);
  await noteBackup(config, args[0]!).catch((error: unknown) => {
    terminal.err(`the audit log has no entry for it: ${messageOf(error)}\n`);
  });
  for (const line of leftOut(config)) terminal.err(`${line}\n`);
  if (existsSync(madeKeyPath(config)) && !withCredentialsKey) {
    terminal.err(
      `not in it: ${madeKeyPath(config)}, without which no credential can be decrypted; keep it separately\n`,
    );
  }
  return 0;
};

export const restoreCommand: Run = async ({ args, options, terminal, config }) => {
  const source = resolve(terminal.workingDirectory, args[0]!);
  const lock = openDataDirectory(config, { dropIns: false });
  try {
    const onStep = progress(terminal, options["quiet"] === true);
    const force = options["force"] === true;
    const manifest = await failingInWords(config.data_dir, restore({ config, source, force, onStep }));
    terminal.err(`${summary(manifest)}, as of ${manifest.created_at}, verified and restored to ${config.data_dir}\n`);
    const spool = Object.keys(manifest.files).filter((name) => /^(eu\/)?spool\//.test(name)).length;
    if (spool > 0) terminal.err("the spool is recorded at the next start of weir serve\n");
    if (config.bodies_url !== "") {
      terminal.err(
        "bodies are in the object store, and this copy deletes objects there that it no longer needs: never run it beside the original\n",
      );
    }
    if (manifest.database === "server") terminal.err("the records are on a libSQL server, which is not touched\n");
    return 0;
  } finally {
    lock.release();
  }
};

/** Without a migration: a backup before an upgrade leaves the database as it is. */
async function noteBackup(config: Config, name: string): Promise<void> {
  const { records, close } = await openStore(config, "change");
  try {
    const object = { kind: "backup", id: name, name };
    await noted(records, atCommandLine(), { action: "backup.made", organizationId: null, object });
  } finally {
    await close();
  }
}

function summary({ databases, files }: Manifest): string {
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  const records = Object.values(databases).reduce((sum, { rows }) => sum + (rows["requests"] ?? 0), 0);
  const spool = Object.keys(files).filter((name) => /^(eu\/)?spool\//.test(name)).length;
  return `${counted(records, "record")}, ${counted(spool, "spool file")}, ${(bytes / 1e6).toFixed(1)} MB`;
}

/** Data in other places, which must be backed up by other means. */
function leftOut({
  data_dir,
  providers_dir,
  plugins_dir,
  database_url,
  bodies_url,
}: Parameters<Run>[0]["config"]): string[] {
  const outside = [providers_dir, plugins_dir].filter((path) => !path.startsWith(data_dir));
  return [
    ...outside.map((path) => `not in it: ${path}`),
    ...(/^(https?|wss?|libsql):/.test(database_url) ? ["not in it: the records, which are on a libSQL server"] : []),
    ...(bodies_url === "" ? [] : ["not in it: bodies in the object store; see weir backup --plan"]),
  ];
}

/** A line for each file as it begins, and progress lines for large files. */
function progress(terminal: Terminal, quiet: boolean): (step: Step) => void {
  let name = "";
  let saidAtMs = 0;
  return (step) => {
    if (quiet || (step.name === name && performance.now() - saidAtMs < LINE_EVERY_MS)) return;
    const percent = step.name === name && step.total > 0 ? `, ${Math.floor((100 * step.done) / step.total)} %` : "";
    name = step.name;
    saidAtMs = performance.now();
    terminal.err(`${step.name} (${(step.total / 1e6).toFixed(1)} MB${percent})\n`);
  };
}

/** @param written - where it writes: a full disk has no path, or SQLite names the file that is read. */
async function failingInWords<T>(written: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isDiskFull(error)) throw new CommandError(`${written}: no space is left on the disk`, error);
    const code = (error as { code?: unknown })?.code;
    if (error instanceof RestoreError || typeof code === "string") throw new CommandError(placedProblem(error), error);
    throw error;
  }
}

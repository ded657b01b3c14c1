import * as fs from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../../config.ts";
import { networkProblem } from "../../../network-problem.ts";
import { saysForeign } from "../../../store/database/foreign-tables.ts";
import {
  type FileKind,
  type FileReport,
  inspectFile,
  isWritable,
  newestVersion,
  stepsAfter,
} from "../../../store/database/snapshot.ts";
import { openStore } from "../../../store/store.ts";
import { databasePlaces, regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, fail, inBytes, ok, type Surroundings, warn } from "../finding.ts";
import { existing } from "./machine.ts";

/** Larger files are read completely only on request: it takes about a second per gigabyte. */
const SOUNDNESS_BYTES_MAX = 1e9;
const LOG_BYTES_WARN = 512e6;
const SERVER_MS = 5_000;

export const dataDirectoryCheck: Check = {
  name: "data directory",
  run({ config }) {
    const path = config.data_dir;
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      const above = existing(dirname(path));
      return [
        refusalOf(above) === undefined
          ? ok(`${path} is created at the first start`)
          : fail(`${path} is missing and ${above} is not writable`, "create it and give it to the service's user"),
      ];
    }
    const uid = process.getuid?.();
    const outcomes: CheckResult[] = [];
    if (!found.isDirectory()) return [fail(`${path} is not a directory`, "set WEIR_DATA_DIR to another path")];
    const refusal = refusalOf(path);
    if (refusal === "EROFS") {
      outcomes.push(
        fail(`${path} is on a read-only file system`, "mount it for writing: the system's log says why it is not"),
      );
    } else if (refusal !== undefined) {
      outcomes.push(fail(`${path} is not writable by user ${uid}`, `chown -R ${uid} ${path}, or run as its owner`));
    }
    if (uid !== undefined && found.uid !== uid) {
      outcomes.push(
        warn(`${path} belongs to user ${found.uid}, this is user ${uid}`, "run commands as the service's user"),
      );
    }
    if ((found.mode & 0o077) !== 0) {
      outcomes.push(warn(`${path} can be read by others`, `chmod 700 ${path}: bodies and hashes of keys are in it`));
    }
    return outcomes.length > 0 ? outcomes : [ok(`${path}, readable only by its owner`)];
  },
};

/** The system's code if this user may not write there; undefined if it may. */
function refusalOf(path: string): string | undefined {
  try {
    fs.accessSync(path, fs.constants.W_OK | fs.constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

export const databaseCheck: Check = {
  name: "database",
  async run(surroundings) {
    const places = databasePlaces(surroundings.config);
    const servers = regionsOf(surroundings.config).filter(({ databases }) => databases.length === 0);
    const outcomes: CheckResult[] = [];
    for (const { config } of servers) outcomes.push(...(await checkServer(config)));
    if (places.length === 0) return outcomes;
    if (places.every(({ path }) => !fs.existsSync(path))) return [...outcomes, ok("created at the first start")];
    for (const { kind, path, name } of places) {
      const size = fs.statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined) outcomes.push(fail(`${path} is missing`, "restore both files from one backup"));
      else outcomes.push(...(await checkFile({ kind, path, name, size }, surroundings)));
    }
    return outcomes;
  },
};

interface CheckedFile {
  readonly kind: "records" | "bodies";
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

async function checkFile(
  { kind, path, name, size }: CheckedFile,
  { thorough, running }: Surroundings,
): Promise<CheckResult[]> {
  const soundness = thorough || size <= SOUNDNESS_BYTES_MAX;
  const report = await inspectFile(path, kind, { soundness });
  const { version, faults } = report;
  if (faults.length > 0) return [fail(`${name} is damaged: ${faults[0]}`, "stop the service and restore a backup")];
  const outcomes = [versionOf(kind, name, report)];
  if (!(await isWritable(path))) {
    outcomes.push(
      fail(`${name} cannot be locked for writing`, "another program holds it: close it, or find it with `fuser`"),
    );
  }
  const log = fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (log > LOG_BYTES_WARN) {
    outcomes.push(
      warn(`${name} has a log of ${inBytes(log)}`, "a long-running reader keeps it: end long queries and backups"),
    );
  }
  const sound = soundness ? "sound" : "not read through (--thorough does)";
  const used = running ? ", in use by the service" : "";
  return outcomes.every(({ verdict }) => verdict === "ok")
    ? [ok(`${name}: version ${version}, ${inBytes(size)}, ${sound}${used}`)]
    : outcomes.filter(({ verdict }) => verdict !== "ok");
}

/** Whether this program can use a file of this version. */
export function versionOf(kind: FileKind, name: string, { version, foreign }: FileReport): CheckResult {
  if (foreign.length > 0) return fail(saysForeign(name, foreign), "set another database_url or data_dir");
  const newest = newestVersion(kind);
  if (version > newest) {
    return fail(`${name} has version ${version}, this program knows ${newest}`, "use the newer Weir that has used it");
  }
  const steps = stepsAfter(kind, version);
  if (steps.length === 0) return ok(`${name}: version ${version}`);
  return warn(
    `${name} has version ${version} of ${newest}: the next start migrates it (${steps.join(", ")})`,
    "create a backup first: `weir backup`; a migration cannot be undone",
  );
}

async function checkServer(config: Config): Promise<CheckResult[]> {
  const host = hostOf(config.database_url);
  const fix = "check WEIR_DATABASE_URL, WEIR_DATABASE_AUTH_TOKEN and the network; records wait in the spool meanwhile";
  const started = performance.now();
  const store = await openStore(config, "read");
  try {
    await store.records.query({ sql: "select 1 as one", args: [] }, { deadlineMs: SERVER_MS });
    return [ok(`${host} responds, in ${Math.round(performance.now() - started)} ms`)];
  } catch (error) {
    return [fail(`${host} cannot be reached: ${networkProblem(error)}`, fix)];
  } finally {
    await store.close();
  }
}

/** Without parts that may be secret. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "the database server";
}

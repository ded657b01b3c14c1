import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { refuseMissingDatabase } from "../../src/serve/data-directory.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { tipPath } from "../../src/spool/tip-file.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { configIn, pass, spoolIn, startRecorder } from "../recorder/harness.ts";
import { until } from "../until.ts";

const RECORDED = 5;
const WAITING = 24;

/** Files of a data directory that something happens to while nothing runs. */
const FILES: Readonly<Record<string, (directory: string) => string>> = {
  "`weir.db`": (directory) => join(directory, "weir.db"),
  "`bodies.db`": (directory) => join(directory, "bodies.db"),
  "the newest segment": (directory) => segmentAt(directory, -1),
  "an older segment": (directory) => segmentAt(directory, -2),
  "`spool/tip`": (directory) => tipPath(join(directory, "spool")),
};

/** @returns what takes the fault back, where it can be. */
type Fault = (path: string) => (() => void) | undefined;

export const FAULTS: Readonly<Record<string, Fault>> = {
  gone: (path) => void rmSync(path),
  empty: (path) => void truncateSync(path, 0),
  "cut in half": (path) => void truncateSync(path, statSync(path).size >> 1),
  // In the first bytes of a database; in the first body of a segment.
  "a bit flipped": (path) => {
    const file = readFileSync(path);
    file[path.endsWith(".db") ? 3 : Math.max(3, file.indexOf('"model":"m-1"'))]! ^= 1;
    writeFileSync(path, file);
  },
  "garbage in its place": (path) => void writeFileSync(path, Buffer.alloc(statSync(path).size, 0xa5)),
  locked: (path) => {
    if (!path.endsWith(".db")) return undefined;
    const other = new Libsql(path);
    other.exec("begin immediate");
    return () => other.close();
  },
};

function segmentAt(directory: string, place: number): string {
  const spool = join(directory, "spool");
  return segmentPath(spool, listSegments(spool).at(place)!);
}

export interface Template extends Disposable {
  readonly path: string;
  readonly recorded: readonly string[];
  readonly waiting: readonly string[];
}

/** A data directory with records, and with a spool of several segments that waits to be read. */
export async function template(): Promise<Template> {
  const directory = temporaryDirectory("faults");
  const path = join(directory.path, "data");
  const first = spoolIn(join(path, "spool"));
  const recorder = startRecorder(path);
  const recorded = Array.from({ length: RECORDED }, () => pass(first));
  await recorder.barrier();
  await first.close();
  await recorder.stop();
  const second = spoolIn(join(path, "spool"), { segmentBytes: 10_000 });
  const waiting = Array.from({ length: WAITING }, () => pass(second));
  await second.close();
  return { path, recorded, waiting, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** What a start makes of a copy with one fault in it, in the words of the table. */
export async function outcome(made: Template, file: string, fault: string): Promise<string> {
  using directory = temporaryDirectory("fault");
  const path = join(directory.path, "data");
  cpSync(made.path, path, { recursive: true });
  const config = configIn(path);
  const target = FILES[file]!(path);
  if (fault === "locked" && !target.endsWith(".db")) return "–";
  const undo = FAULTS[fault]!(target);
  try {
    refuseMissingDatabase(config);
  } catch {
    return "the start is refused";
  }
  const spool = spoolIn(join(path, "spool"));
  const later = pass(spool);
  const recorder = startRecorder(path);
  const ready = recorder.ready().then(() => true);
  ready.catch(() => undefined);
  try {
    let works = false;
    await until(async () => {
      const status = await recorder.status();
      works = status.databaseError === null && status.lagBytes === 0 && status.position.segment > 0;
      return works || status.databaseError !== null;
    });
    if (!works && undo !== undefined) {
      undo();
      await ready;
      await recorder.barrier();
      return `waits; then ${await counted(made, path, later, recorder)}`;
    }
    if (!works) return WAITS;
    await recorder.barrier();
    return await counted(made, path, later, recorder);
  } finally {
    await spool.close();
    await recorder.stop();
  }
}

async function counted(
  made: Template,
  path: string,
  later: string,
  recorder: ReturnType<typeof startRecorder>,
): Promise<string> {
  const store = await openStore(configIn(path), "read");
  const rows = await store.records.query<{ request_id: string }>({ sql: "select request_id from requests", args: [] });
  await store.close();
  const found = new Set(rows.map(({ request_id }) => request_id));
  if (!found.has(later)) throw new Error("traffic behind the fault has no record");
  const lost = [...made.recorded, ...made.waiting].filter((id) => !found.has(id)).length;
  const { losses } = await recorder.status();
  const isTold = losses.length > 0;
  if (lost === 0) return isTold ? "all recorded; reported" : "all recorded";
  return `what was in it is lost${isTold ? "; reported" : ", and NOT reported"}`;
}

const WAITS = "waits, and says so: nothing more is lost";
const RECORDED_ALL = "all recorded";

/** SQLite notices damage where it reads it: which of the two comes of a damaged database is a matter of its pages. */
function asSeen(file: string, seen: string): string {
  const isEither = file.includes(".db") && (seen === WAITS || seen === RECORDED_ALL);
  return isEither ? `${RECORDED_ALL}, or it ${WAITS}` : seen;
}

export async function matrix(): Promise<string> {
  using made = await template();
  const names = Object.keys(FAULTS);
  const lines = [`| Stopped, then | ${names.join(" | ")} |`, `| --- |${" --- |".repeat(names.length)}`];
  for (const file of Object.keys(FILES)) {
    const cells: string[] = [];
    for (const fault of names) cells.push(asSeen(file, await outcome(made, file, fault)));
    lines.push(`| ${file} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}

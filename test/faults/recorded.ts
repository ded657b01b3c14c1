import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Libsql from "libsql";
import { GatewayError } from "../../src/errors.ts";
import { refuseMissingDatabase } from "../../src/serve/data-directory.ts";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import type { Spool } from "../../src/spool/writer.ts";
import { lockDirectory } from "../../src/store/database/lock.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, configIn, pass, spoolIn, startRecorder } from "../recorder/harness.ts";
import { until } from "../until.ts";
import { FAULTS, fillDisk, freeze, type Place } from "./faults.ts";

const SEGMENT_BYTES = 10_000;
const RECORDED = 5;
const WAITING = 24;
/** Segments that an exchange in flight must outlive to be carried. */
const CARRIED_AFTER = 18;
const PART_BYTES = 50_000;

const spoolOf = (directory: string) => join(directory, "spool");
const segmentAt = (place: number) => (directory: string) =>
  segmentPath(spoolOf(directory), listSegments(spoolOf(directory)).at(place)!);

const CARRY = "a carry file";

/** What records are made of: a row each. */
export const FILES: Readonly<Record<string, (directory: string) => string>> = {
  "`weir.db`": (directory) => join(directory, "weir.db"),
  "`bodies.db`": (directory) => join(directory, "bodies.db"),
  "the newest segment": segmentAt(-1),
  "an older segment": segmentAt(-2),
  [CARRY]: (directory) =>
    join(spoolOf(directory), readdirSync(spoolOf(directory)).find((name) => name.endsWith(".carry"))!),
  "`spool/tip`": (directory) => join(spoolOf(directory), "tip"),
  "`spool/reading`": (directory) => join(spoolOf(directory), "reading"),
};

export type When = "stopped" | "live";
type Recorder = ReturnType<typeof startRecorder>;

interface Template extends Disposable {
  readonly path: string;
  /** Each file as it once was. */
  readonly older: string;
  readonly recorded: readonly string[];
  /** In the spool, and not in the database. */
  readonly waiting: readonly string[];
  /** In flight, and carried. */
  readonly long: string;
}

/** A data directory with records, a carried exchange in flight, and a spool of several segments that waits to be read. */
export async function template(): Promise<Template> {
  const directory = temporaryDirectory("faults");
  const [path, older] = [join(directory.path, "data"), join(directory.path, "older")];
  const recorded: string[] = [];
  const spool = spoolIn(spoolOf(path), { segmentBytes: SEGMENT_BYTES });
  const long = crypto.randomUUID();
  spool.begin(long, begin({ time: 1 }));
  spool.responseChunk(long, Buffer.from("a part of the long answer"));
  let recorder = startRecorder(path);
  for (let i = 0; i < RECORDED; i++) recorded.push(pass(spool));
  await until(async () => (await recorder.status()).recorded === RECORDED);
  await recorder.update({ requestId: long, organizationId: "org-1", properties: {} });
  await recorder.stop();
  cpSync(path, older, { recursive: true });
  recorder = startRecorder(path);
  while (listSegments(spoolOf(path)).length < CARRIED_AFTER || !readdirSync(spoolOf(path)).some(isCarry)) {
    for (let i = 0; i < 10; i++) recorded.push(pass(spool));
    await recorder.barrier();
  }
  const first = listSegments(spoolOf(path))[0];
  await until(async () => {
    recorded.push(pass(spool));
    await recorder.barrier();
    return listSegments(spoolOf(path))[0] !== first;
  });
  await recorder.stop();
  const waiting = Array.from({ length: WAITING }, () => {
    const id = pass(spool);
    for (const name of readdirSync(spoolOf(path))) keepOlder(join(spoolOf(path), name), spoolOf(older));
    return id;
  });
  await spool.close();
  // What is in the files, not in their logs, is damaged.
  for (const name of ["weir.db", "bodies.db"]) {
    const database = new Libsql(join(path, name));
    database.exec("pragma wal_checkpoint(truncate)");
    database.close();
  }
  return { path, older, recorded, waiting, long, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const isCarry = (name: string) => name.endsWith(".carry");

/** The first that a segment was seen with, beside its first frame, and without the zeros ahead of its frames. */
function keepOlder(path: string, into: string): void {
  const target = join(into, basename(path));
  if (existsSync(target)) return;
  const file = readFileSync(path);
  if (file.findLastIndex((byte) => byte !== 0) >= 3_000) copyFileSync(path, target);
}

function placeIn(made: Template, directory: string, file: string): Place {
  const path = FILES[file]!(directory);
  const older = join(made.older, path.slice(directory.length));
  return { root: dirname(directory), path, older: existsSync(older) ? older : undefined };
}

/** What a start makes of a copy with one fault in it. */
async function stopped(made: Template, file: string, fault: string): Promise<string> {
  using directory = temporaryDirectory("fault");
  const path = join(directory.path, "data");
  cpSync(made.path, path, { recursive: true });
  const undo = FAULTS[fault]!(placeIn(made, path, file));
  if (undo === "cannot") return "–";
  try {
    return await started(made, path, [], undo);
  } finally {
    undo?.();
  }
}

/** What comes of one fault while a service runs, and of its next start. */
async function live(made: Template, file: string, fault: string): Promise<string> {
  using directory = temporaryDirectory("fault");
  const path = join(directory.path, "data");
  cpSync(made.path, path, { recursive: true });
  const spool = spoolIn(spoolOf(path), { segmentBytes: SEGMENT_BYTES });
  const recorder = startRecorder(path);
  await recorder.barrier();
  const carried = file === CARRY ? await carriedExchange(path, spool, recorder) : undefined;
  // Records wait in the spool while it is damaged: what is in the database already cannot be lost with it.
  const isSpool = !file.includes(".db");
  const hold = isSpool ? new Libsql(join(path, "weir.db")) : undefined;
  hold?.exec("begin immediate");
  const passed = [pass(spool)];
  // Then it does not read on.
  if (isSpool) await until(async () => (await recorder.status()).databaseError !== null);
  passed.push(...Array.from({ length: WAITING }, () => pass(spool)));
  if (!isSpool) await recorder.barrier();
  const undo = FAULTS[fault]!(placeIn(made, path, file));
  const stop = async () => {
    hold?.close();
    await spool.close();
    await recorder.stop();
  };
  if (undo === "cannot") {
    await stop();
    return "–";
  }
  if (carried !== undefined) passed.push(carried.end());
  passed.push(...Array.from({ length: 3 }, () => pass(spool)));
  hold?.close();
  // The lock was ours: whether the fault makes it wait shows once it reads on.
  if (isSpool) await until(async () => (await recorder.status()).databaseError === null);
  const seen = await settled(recorder, spool);
  const { losses } = await recorder.status();
  undo?.();
  if (undo !== undefined) await settled(recorder, spool);
  await stop();
  const later = await started(made, path, passed, undefined, losses);
  return seen === "works" || later === WAITS ? later : `waits; then ${later}`;
}

/** An exchange of the running service that is in flight for so long that it is carried: those of the template end at the start. */
async function carriedExchange(path: string, spool: Spool, recorder: Recorder): Promise<{ end(): string }> {
  const id = crypto.randomUUID();
  const time = Date.now();
  spool.begin(id, begin({ time }));
  spool.head(id, { time, status: 200, headers: [] });
  // So much that it does not stay in memory: it is read from the file.
  for (let part = 0; part < 3; part++) spool.responseChunk(id, Buffer.alloc(PART_BYTES, `part ${part} `));
  const carryFiles = () => readdirSync(spoolOf(path)).filter(isCarry);
  const earlier = carryFiles();
  await until(async () => {
    for (let i = 0; i < 10; i++) pass(spool);
    await recorder.barrier();
    const found = carryFiles();
    return found.length > 0 && found.every((name) => !earlier.includes(name));
  });
  return {
    end() {
      spool.end(id, {
        time,
        forwardedAt: time,
        firstByteAt: time,
        outcome: "complete",
        requestBytes: 0,
        responseBytes: 3 * PART_BYTES,
      });
      spool.flush();
      return id;
    },
  };
}

/** What comes of a disk that takes nothing, from the start on or while a service runs, until it is over. */
export async function disk(made: Template, fault: "full" | "read-only", when: When): Promise<string> {
  using directory = temporaryDirectory("fault");
  const path = join(directory.path, "data");
  cpSync(made.path, path, { recursive: true });
  const spoil = () => (fault === "full" ? fillDisk() : freeze(directory.path, [path, spoolOf(path)]));
  let undo = when === "stopped" ? spoil() : undefined;
  let spool: Spool | undefined;
  let recorder: Recorder | undefined;
  const passed: string[] = [];
  try {
    try {
      if (fault === "read-only") lockDirectory(path)?.release();
    } catch {
      return REFUSED;
    }
    spool = spoolIn(spoolOf(path), { segmentBytes: SEGMENT_BYTES });
    recorder = startRecorder(path);
    if (undo === undefined) await recorder.barrier();
    undo ??= spoil();
    passed.push(...Array.from({ length: WAITING }, () => pass(spool!)));
    await settled(recorder, spool, fault === "full");
    const dropped = spool.stats.exchangesDropped;
    undo();
    await settled(recorder, spool);
    await recorder.barrier();
    passed.push(pass(spool));
    await recorder.barrier();
    const lost = passed.length - 1 - (await knownOf(recorder, passed.slice(0, -1)));
    const found = await counted(path, [...made.recorded, ...made.waiting, made.long, passed.at(-1)!], []);
    if (lost === 0) return found;
    const isCounted = dropped === lost ? "each is counted and reported" : "NOT all reported";
    return `exchanges that begin then have no record; ${isCounted}; else ${found}`;
  } finally {
    undo?.();
    await spool?.close();
    await recorder?.stop();
  }
}

async function knownOf(recorder: Recorder, ids: readonly string[]): Promise<number> {
  let known = 0;
  for (const id of ids) known += Number(await recorder.isKnownId(id));
  return known;
}

/** Starts on what there is now. @param losses - what an earlier run has reported. */
async function started(
  made: Template,
  path: string,
  passed: readonly string[],
  undo: (() => void) | undefined,
  losses: readonly string[] = [],
): Promise<string> {
  try {
    refuseMissingDatabase(configIn(path));
  } catch {
    return REFUSED;
  }
  const spool = spoolIn(spoolOf(path));
  const later = pass(spool);
  const recorder = startRecorder(path);
  recorder.ready().catch(() => undefined);
  try {
    const seen = await settled(recorder, spool);
    if (seen === "waits" && undo === undefined) return WAITS;
    undo?.();
    await recorder.barrier();
    const all = [...losses, ...(await recorder.status()).losses];
    const ids = [...made.recorded, ...made.waiting, made.long, ...passed, later];
    const found = await counted(path, ids, all);
    return seen === "waits" ? `waits; then ${found}` : found;
  } finally {
    await spool.close();
    await recorder.stop();
  }
}

/** Until all is recorded, or the database refuses. @param isFull - the spool refuses too. */
async function settled(recorder: Recorder, spool: Spool, isFull = false): Promise<"works" | "waits"> {
  let error: string | null = null;
  await until(async () => {
    if (spool.stats.healthy === isFull) return false;
    if (isFull) return true;
    const status = await recorder.status();
    error = status.databaseError;
    return error !== null || (status.lagBytes === 0 && status.position.segment > 0);
  });
  return error === null ? "works" : "waits";
}

/** @param ids - of all that passed, the last one after the fault. */
async function counted(path: string, ids: readonly string[], losses: readonly string[]): Promise<string> {
  const store = await openStore(configIn(path), "read");
  try {
    return await compared(store, ids, losses);
  } catch (error) {
    if (error instanceof GatewayError && /not a sound SQLite|malformed/.test(error.message)) return WAITS;
    throw error;
  } finally {
    await store.close();
  }
}

async function compared(store: Store, ids: readonly string[], losses: readonly string[]): Promise<string> {
  const rows = await store.records.query<{ id: string; status: number | null; truncated: number }>({
    sql: "select request_id as id, response_status as status, truncated from requests",
    args: [],
  });
  const truncated = new Set(rows.filter((row) => row.truncated === 1).map(({ id }) => id));
  const bodies = await store.content.get(ids, ["response", "raw"]);
  const found = new Set(rows.map(({ id }) => id));
  const hasBody = (id: string) => (bodies.get(id)?.response ?? bodies.get(id)?.raw) !== undefined && !truncated.has(id);
  if (!found.has(ids.at(-1)!)) throw new Error("traffic behind the fault has no record");
  if (rows.some(({ status }) => status === null)) throw new Error("a record stays in flight");
  const isReported = losses.length > 0 ? "; reported" : "";
  if (ids.some((id) => !found.has(id))) return `what was in it is lost${isReported || ", and NOT reported"}`;
  if (!ids.every(hasBody)) return `bodies that were in it are lost${isReported || ", and NOT reported"}`;
  return `${RECORDED_ALL}${isReported}`;
}

const WAITS = "waits, and says so: nothing more is lost";
const RECORDED_ALL = "all recorded";

const WAITED = `waits; then ${RECORDED_ALL}`;
const REFUSED = "the start is refused";
const DAMAGES: ReadonlySet<string> = new Set(["cut in half", "a bit flipped", "garbage in its place"]);
/** The same while the database is open: what SQLite still has in memory and in its log counts as well. */
const LIVE_DAMAGES: ReadonlySet<string> = new Set([...DAMAGES, "an older copy"]);

/** SQLite notices damage where it reads it: what comes of a damaged database is a matter of its pages. */
function asSeen(file: string, when: When, fault: string, seen: string): string {
  if (!file.includes(".db")) return seen;
  const isEither = (when === "stopped" ? DAMAGES : LIVE_DAMAGES).has(fault);
  if (isEither && [WAITS, RECORDED_ALL, WAITED].includes(seen)) return `${RECORDED_ALL}, or it ${WAITS}`;
  const isEmptied = when === "live" && fault === "empty";
  if (isEmptied && [WAITS, REFUSED, `waits; then ${REFUSED}`].includes(seen))
    return "waits, or the next start is refused, and says so: nothing more is lost";
  return seen;
}

/** What comes of one fault, in the words of the table. */
export async function outcome(made: Template, file: string, when: When, fault: string): Promise<string> {
  return asSeen(file, when, fault, await (when === "stopped" ? stopped : live)(made, file, fault));
}

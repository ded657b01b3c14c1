import * as fs from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../../config.ts";
import { counted } from "../../../counted.ts";
import { damagedCarryFiles } from "../../../spool/carry-frames.ts";
import { FRAME_HEAD_BYTES, frameKind } from "../../../spool/codec.ts";
import { Continuity, type Shortfall } from "../../../spool/continuity.ts";
import { FRAME, type Position, type StartMeta } from "../../../spool/frame.ts";
import { isBefore } from "../../../spool/position.ts";
import { quarantinePath } from "../../../spool/quarantine.ts";
import { readStart } from "../../../spool/read-meta.ts";
import { type FrameSink, SpoolReader } from "../../../spool/reader.ts";
import { listSegments, segmentPath } from "../../../spool/segments.ts";
import { readTip } from "../../../spool/tip-file.ts";
import { readPosition } from "../../../store/spool-positions.ts";
import { openStore } from "../../../store/store.ts";
import { KEPT_FOLDERS, type RegionPlaces, regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, fail, inBytes, ok, warn } from "../finding.ts";

/** The threshold at which `/readyz` says "degraded". */
const LAG_BYTES_WARN = 256 * 1024 * 1024;
/** Bytes of the spool that are read to look for torn frames. */
const READ_BYTES_MAX = 512 * 1024 * 1024;

export const spoolCheck: Check = {
  name: "spool",
  async run({ config, running }) {
    const outcomes: CheckResult[] = [];
    for (const region of regionsOf(config)) outcomes.push(...(await checkSpool(region, running)));
    return outcomes;
  },
};

async function checkSpool(
  { config, spool: directory, spoolName }: RegionPlaces,
  running: boolean,
): Promise<CheckResult[]> {
  const outcomes = setAside(directory, spoolName);
  const segments = listSegments(directory);
  const from = await positionOf(config);
  if (segments.length === 0 && readTip(directory) === undefined) return [...outcomes, ok(`${spoolName}: empty`)];
  if (from === undefined) return [...outcomes, warn("the read position is unknown", "see the check of the database")];
  const reader = new SpoolReader({ directory, from });
  const lag = reader.lagBytes();
  const { tornBytes, tornPlaces, missing } = examineSegments(directory, from, running);
  if (tornPlaces > 0) {
    const message = `${spoolName}: ${inBytes(tornBytes)} in ${tornPlaces} places are not complete frames`;
    outcomes.push(
      running
        ? fail(message, "the disk may be failing: check the system's log; reading resumes after them")
        : warn(message, "left by a kill, a full or a failing disk: the next start skips them and continues"),
    );
  }
  for (const { segment, state, bytes } of missing) {
    const message = `${spoolName}: ${basename(segmentPath("", segment))} is ${state}: ${inBytes(bytes)} are missing`;
    outcomes.push(
      fail(message, "what was in them has no record: restore the file where there is a copy, before the next start"),
    );
  }
  const message = `${spoolName}: ${counted(segments.length, "segment")}, ${inBytes(lag)} not in the database yet`;
  if (running && lag > LAG_BYTES_WARN) {
    outcomes.push(warn(message, "the recorder lags: check the database, the disk and the CPU load"));
  } else outcomes.push(ok(running || lag === 0 ? message : `${message}: the next start reads them`));
  return outcomes;
}

/** Quarantined frames and carry files, which no run could read. */
function setAside(directory: string, spoolName: string): CheckResult[] {
  const path = quarantinePath(directory);
  const outcomes: CheckResult[] = [];
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) {
    const message = `${spoolName}: frames that could not be read are set aside, ${inBytes(size)}`;
    outcomes.push(warn(message, `the log has the reason, \`unreadable\`; delete ${path} once it is resolved`));
  }
  for (const name of damagedCarryFiles(directory)) {
    const message = `${spoolName}: ${name} was damaged and is set aside; its readable part is recorded`;
    outcomes.push(
      warn(message, `the disk may be failing: check the system's log; then delete ${join(directory, name)}`),
    );
  }
  return outcomes;
}

async function positionOf(config: Config): Promise<Position | undefined> {
  const store = await openStore(config, "read");
  try {
    return (await readPosition(config, store.records)) ?? { segment: 0, offset: 0 };
  } catch {
    return undefined; // the check of the database reports it
  } finally {
    await store.close();
  }
}

interface Examined {
  tornBytes: number;
  tornPlaces: number;
  readonly missing: Shortfall[];
}

/** Reads the unrecorded part of the spool, and compares it with the written length. */
function examineSegments(directory: string, from: Position, running: boolean): Examined {
  const examined: Examined = { tornBytes: 0, tornPlaces: 0, missing: [] };
  const continuity = new Continuity(from);
  const torn = (bytes: number) => {
    if (bytes <= 0) return;
    examined.tornPlaces++;
    examined.tornBytes += bytes;
  };
  const follow = (previous: Position | undefined) => {
    const missing = continuity.follows(previous);
    if (missing !== undefined) examined.missing.push(missing);
  };
  const reader = new SpoolReader({
    directory,
    from,
    onDamage: ({ bytes }) => torn(bytes),
    onLeft: (segment, end, size) => {
      continuity.left(segment, end, size);
      torn(size - end);
    },
  });
  const sink: FrameSink = (buffer, at, end) => {
    if (frameKind(buffer, at) !== FRAME.start) return;
    const start = startOf(buffer, at, end);
    if (start !== undefined) follow(start.previous);
  };
  let read = 0;
  for (let count = 1; count > 0 && read < READ_BYTES_MAX; read += count) count = reader.read(sink, READ_BYTES_MAX);
  const noted = readTip(directory);
  // The newest segment of a running service is still being written.
  if (!running && read < READ_BYTES_MAX) {
    const { segment, offset } = reader.position;
    const size = fs.existsSync(segmentPath(directory, segment)) ? reader.end().offset : -1;
    if (segment > 0) {
      continuity.left(segment, offset, size);
      torn(size - offset);
    }
    if (noted !== undefined && !isBefore(noted, { segment, offset: 0 })) follow(noted);
  }
  reader.close();
  return examined;
}

function startOf(buffer: Buffer, at: number, end: number): StartMeta | undefined {
  try {
    return readStart(buffer, at + FRAME_HEAD_BYTES, end);
  } catch {
    return undefined; // the recorder quarantines it
  }
}

export const stateCheck: Check = {
  name: "plugin state",
  run({ config }) {
    const folder = join(config.data_dir, KEPT_FOLDERS[0]);
    const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
    const outcomes = names.map((name) => {
      const lines = fs.readFileSync(join(folder, name), "utf8").split("\n");
      const torn = lines.filter((line) => line !== "" && !isJson(line)).length;
      return torn === 0
        ? ok(`${name}: ${counted(lines.length - 1, "entry", "entries")}`)
        : warn(`${name}: ${torn} of ${lines.length - 1} lines are torn`, "left by a kill: they are skipped");
    });
    return outcomes.length > 0 ? outcomes : [ok("none yet")];
  },
};

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

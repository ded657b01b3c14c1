import * as fs from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../config.ts";
import { readPosition } from "../../../recorder/write/ledger.ts";
import type { Position } from "../../../spool/frame.ts";
import { SpoolReader } from "../../../spool/reader.ts";
import { listSegments, segmentPath } from "../../../spool/segments.ts";
import { openStore } from "../../../store/store.ts";
import { KEPT_FOLDERS, type RegionPlaces, regionsOf } from "../../places.ts";
import { type Check, fail, inBytes, type Outcome, ok, warn } from "../finding.ts";

/** As `/readyz` says "degraded". */
const LAG_BYTES_WARN = 256 * 1024 * 1024;
/** Bytes of the spool that are read to look for torn frames. */
const READ_BYTES_MAX = 512 * 1024 * 1024;

export const spoolCheck: Check = {
  name: "spool",
  async run({ config, running }) {
    const outcomes: Outcome[] = [];
    for (const region of regionsOf(config)) outcomes.push(...(await checkSpool(region, running)));
    return outcomes;
  },
};

async function checkSpool({ config, spool: directory, spoolName }: RegionPlaces, running: boolean): Promise<Outcome[]> {
  const segments = listSegments(directory);
  if (segments.length === 0) return [ok(`${spoolName}: empty`)];
  const from = await positionOf(config);
  if (from === undefined) return [warn("how far it is read cannot be told", "see what the check of the database says")];
  const reader = new SpoolReader({ directory, from });
  const lag = reader.lagBytes();
  const outcomes: Outcome[] = [];
  const torn = tornBytes(directory, from, running);
  if (torn.unread > 0) {
    const says = `${spoolName}: ${inBytes(torn.bytes)} in ${torn.unread} segments are no whole frames`;
    outcomes.push(
      running
        ? fail(says, "the disk may be failing: look into the system's log; what follows them is not read")
        : warn(says, "left by a kill or a full disk: the next start passes over them and goes on"),
    );
  }
  const says = `${spoolName}: ${segments.length} segments, ${inBytes(lag)} not in the database yet`;
  if (running && lag > LAG_BYTES_WARN) {
    outcomes.push(warn(says, "the recorder lags: look at the database's check, the disk and the processor"));
  } else outcomes.push(ok(running || lag === 0 ? says : `${says}: the next start reads them`));
  return outcomes;
}

async function positionOf(config: Config): Promise<Position | undefined> {
  const store = await openStore(config, "read");
  try {
    return (await readPosition(config, store.records)) ?? { segment: 0, offset: 0 };
  } catch {
    return undefined; // the check of the database says why
  } finally {
    await store.close();
  }
}

/** Segments behind the position whose end is no whole frame; the newest of a running service is still being written. */
function tornBytes(directory: string, from: Position, running: boolean): { unread: number; bytes: number } {
  let unread = 0;
  let bytes = 0;
  const onTorn = (_segment: number, count: number) => {
    unread++;
    bytes += count;
  };
  const reader = new SpoolReader({ directory, from, onTorn });
  let read = 0;
  for (let count = 1; count > 0 && read < READ_BYTES_MAX; read += count) count = reader.read(() => {}, READ_BYTES_MAX);
  const { segment, offset } = reader.position;
  const last = listSegments(directory).at(-1);
  if (!running && read < READ_BYTES_MAX && segment === last) {
    const left = fs.statSync(segmentPath(directory, segment)).size - offset;
    if (left > 0) onTorn(segment, left);
  }
  reader.close();
  return { unread, bytes };
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
        ? ok(`${name}: ${lines.length - 1} entries`)
        : warn(`${name}: ${torn} of ${lines.length - 1} lines are torn`, "left by a kill: they are passed over");
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

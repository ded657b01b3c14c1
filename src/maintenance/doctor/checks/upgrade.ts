import * as fs from "node:fs";
import { FRAME_HEAD_BYTES, frameBytes, isIntact } from "../../../spool/codec.ts";
import { listSegments, segmentPath } from "../../../spool/segments.ts";
import { inspectFile, stepsAfter } from "../../../store/database/snapshot.ts";
import { databasePlaces, regionsOf } from "../../database-places.ts";
import { type Check, fail, inBytes, ok, warn } from "../finding.ts";
import { existing } from "./machine.ts";
import { versionOf } from "./storage.ts";

/** Bytes of a segment that hold its first frame, which names the run that wrote it. */
const FIRST_FRAME_BYTES = 1_024;

export const upgradeDatabaseCheck: Check = {
  name: "database",
  async run({ config }) {
    const places = databasePlaces(config).filter(({ path }) => fs.existsSync(path));
    if (places.length > 0) {
      return Promise.all(
        places.map(async ({ kind, path, name }) => versionOf(kind, name, await inspectFile(path, kind))),
      );
    }
    return databasePlaces(config).length > 0
      ? [ok("created at the first start")]
      : [warn("it is on a server, which is not checked", "`weir doctor` checks it; a start refuses a newer one")];
  },
};

/** A migration may rewrite a table or an index, and frees the old one only at its end. */
export const upgradeRoomCheck: Check = {
  name: "room",
  async run({ config }) {
    let needed = 0;
    for (const { kind, path } of databasePlaces(config).filter((place) => fs.existsSync(place.path))) {
      const { version } = await inspectFile(path, kind);
      if (stepsAfter(kind, version).length > 0) needed += fs.statSync(path).size;
    }
    if (needed === 0) return [ok("no migration, so no space is needed")];
    const stats = fs.statfsSync(existing(config.data_dir));
    const free = stats.bavail * stats.bsize;
    const message = `${inBytes(free)} free, the migration may take ${inBytes(needed)}`;
    return [free > needed ? ok(message) : fail(message, "free space, or move the data directory to a larger disk")];
  },
};

/** Segments of another format would be skipped as torn, and their records lost. */
export const upgradeSpoolCheck: Check = {
  name: "spool",
  run({ config }) {
    const segments = regionsOf(config).flatMap(({ spool }) =>
      listSegments(spool).map((segment) => segmentPath(spool, segment)),
    );
    const strange = segments.filter((path) => !beginsWell(path));
    if (strange.length === 0)
      return [ok(`${segments.length} ${segments.length === 1 ? "segment" : "segments"}, of this program's format`)];
    const fix = "start the Weir that wrote them again and stop it with SIGTERM: it reads its spool to the end";
    return [fail(`${strange.length} of ${segments.length} segments cannot be read`, fix)];
  },
};

function beginsWell(path: string): boolean {
  const bytes = Buffer.alloc(FIRST_FRAME_BYTES);
  const fd = fs.openSync(path, "r");
  try {
    const limit = fs.readSync(fd, bytes, 0, bytes.byteLength, 0);
    if (limit === 0) return true;
    const length = frameBytes(bytes, 0, limit);
    return length >= FRAME_HEAD_BYTES && length <= limit && isIntact(bytes, 0, length);
  } finally {
    fs.closeSync(fd);
  }
}

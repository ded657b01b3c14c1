import * as fs from "node:fs";
import { counted } from "../../../counted.ts";
import { frameAt, resumeBehind } from "../../../spool/resume.ts";
import { listSegments, segmentPath } from "../../../spool/segments.ts";
import { writtenEnd } from "../../../spool/written-end.ts";
import { inspectFile, stepsAfter } from "../../../store/database/snapshot.ts";
import { databasePlaces, regionsOf } from "../../database-places.ts";
import { type Check, fail, inBytes, ok, warn } from "../finding.ts";
import { existing } from "./machine.ts";
import { versionOf } from "./storage.ts";

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

/**
 * Segments of another format would be skipped as torn, and their records lost. A segment that is only damaged, as after a
 * power failure, does not fail: a start reads what is left of it.
 */
export const upgradeSpoolCheck: Check = {
  name: "spool",
  run({ config }) {
    const segments = regionsOf(config).flatMap(({ spool }) =>
      listSegments(spool).map((segment) => segmentPath(spool, segment)),
    );
    const states = segments.map(stateOf);
    const strange = segments.filter((_, at) => states[at] === "strange");
    const damaged = segments.filter((_, at) => states[at] === "damaged");
    const count = counted(segments.length, "segment");
    if (strange.length > 0) {
      const fix =
        "start the Weir that wrote them again and stop it with SIGTERM: it reads its spool to the end; if none did, move them away";
      return [fail(`${strange.length} of ${count} cannot be read: ${strange.join(", ")}`, fix)];
    }
    if (damaged.length === 0) return [ok(`${count}, of this program's format`)];
    const fix = "the start skips the damaged part and reads the rest: `weir doctor` says how much it is";
    return [warn(`${count}, damaged at the beginning: ${damaged.join(", ")}`, fix)];
  },
};

/** By the first frame; zeros alone are what a power failure leaves of a segment that had grown ahead of its frames. */
function stateOf(path: string): "sound" | "damaged" | "strange" {
  const fd = fs.openSync(path, "r");
  try {
    const size = writtenEnd(fd, 0);
    if (size === 0 || frameAt(fd, 0, size) !== undefined) return "sound";
    return resumeBehind(fd, 0, size) === undefined ? "strange" : "damaged";
  } finally {
    fs.closeSync(fd);
  }
}

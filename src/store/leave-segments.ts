import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { SpoolReader } from "../spool/reader.ts";
import { listSegments } from "../spool/segments.ts";
import { readTip } from "../spool/tip-file.ts";
import { openSpool } from "../spool/writer.ts";
import { movePosition, readPosition } from "./spool-positions.ts";
import type { Database } from "./store.ts";

/**
 * Starts the next segment of a spool that no service is writing, and deletes the earlier ones if they are completely
 * recorded, as a service does. If the program is interrupted, the next start reads or deletes the rest.
 *
 * @returns false when some of it is not recorded yet.
 */
export async function leaveSegments(config: Config, records: Database, log: Log): Promise<boolean> {
  const directory = join(config.data_dir, "spool");
  if (listSegments(directory).length === 0) return true;
  const position = await readPosition(config, records);
  if (position === undefined) return false;
  const reader = new SpoolReader({ directory, from: position });
  try {
    const { segment, offset } = reader.end();
    if (segment !== position.segment || offset !== position.offset) return false;
    await openSpool({ directory, sync: "second", log }).close();
    const tip = readTip(directory);
    if (tip === undefined || tip.segment <= segment) return false;
    await movePosition(config, records, tip);
    reader.deleteBelow(tip.segment);
    return true;
  } finally {
    reader.close();
  }
}

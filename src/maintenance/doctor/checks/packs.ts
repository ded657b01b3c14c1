import * as fs from "node:fs";
import { damagedPacks } from "../../../store/packs/check.ts";
import { openStore } from "../../../store/store.ts";
import { regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, ok, warn } from "../finding.ts";

/** Larger files are read completely only on request. */
const BYTES_MAX = 1e9;
/** Number of packs in the finding. */
const NAMED_MAX = 10;

/** Whether every pack of bodies can be read. */
export const packsCheck: Check = {
  name: "packs",
  async run({ config, thorough }) {
    const outcomes: CheckResult[] = [];
    for (const { config: theirs, databases } of regionsOf(config)) {
      const file = databases.find(({ kind }) => kind === "bodies");
      const size = file && fs.statSync(file.path, { throwIfNoEntry: false })?.size;
      if (file === undefined || size === undefined) continue;
      if (size > BYTES_MAX && !thorough) outcomes.push(ok(`${file.name}: not read through (--thorough does)`));
      else outcomes.push(await checkPacks(theirs, file.name));
    }
    return outcomes.length > 0 ? outcomes : [ok("none here")];
  },
};

async function checkPacks(config: Parameters<typeof openStore>[0], name: string): Promise<CheckResult> {
  const store = await openStore(config, "read");
  try {
    const damaged = await damagedPacks(store.bodies);
    if (damaged.length === 0) return ok(`${name}: every pack can be read`);
    const named = damaged.slice(0, NAMED_MAX).join(", ");
    const more = damaged.length > NAMED_MAX ? ` and ${damaged.length - NAMED_MAX} more` : "";
    return warn(
      `${name}: pack ${named}${more} cannot be read; the bodies in it are lost, and no others`,
      "restore a backup if you need them; check the disk",
    );
  } catch {
    return warn(`${name}: the packs cannot be read`, "see the check of the database");
  } finally {
    await store.close();
  }
}

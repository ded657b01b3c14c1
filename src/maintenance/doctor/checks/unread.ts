import * as fs from "node:fs";
import type { Config } from "../../../config.ts";
import { counted } from "../../../counted.ts";
import { engineReader } from "../../../engine/reader.ts";
import { openStore } from "../../../store/store.ts";
import { regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, ok, warn } from "../finding.ts";

/** Whether there are records whose bodies could not be parsed. */
export const unreadCheck: Check = {
  name: "unread records",
  async run({ config }) {
    const outcomes: CheckResult[] = [];
    for (const { config: theirs, databases } of regionsOf(config)) {
      if (databases.every(({ path }) => fs.existsSync(path))) outcomes.push(await checkRegion(theirs));
    }
    return outcomes.length > 0 ? outcomes : [ok("none")];
  },
};

async function checkRegion(config: Config): Promise<CheckResult> {
  const store = await openStore(config, "read");
  try {
    const count = await engineReader(store, config).walk.count({ kind: "unread" });
    if (count === 0) return ok("none");
    return warn(
      `the bodies of ${counted(count, "record")} could not be read`,
      "upgrade Weir, then `weir models reread`",
    );
  } catch {
    return warn("they cannot be counted", "see the check of the database");
  } finally {
    await store.close();
  }
}

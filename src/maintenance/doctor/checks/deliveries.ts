import * as fs from "node:fs";
import type { Config } from "../../../config.ts";
import { type EndpointTrouble, endpointTroubles } from "../../../store/deliveries/delivery-queue.ts";
import { openStore } from "../../../store/store.ts";
import { regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, ok, warn } from "../finding.ts";

const DAY_MS = 86_400_000;
const QUERY_MS = 10_000;

/** Whether webhooks and alert channels accept their deliveries. */
export const deliveriesCheck: Check = {
  name: "deliveries",
  async run({ config }) {
    const outcomes: CheckResult[] = [];
    for (const { config: theirs, databases } of regionsOf(config)) {
      if (databases.every(({ path }) => fs.existsSync(path))) outcomes.push(...(await checkRegion(theirs)));
    }
    return outcomes.length > 0 ? outcomes : [ok("none yet")];
  },
};

async function checkRegion(config: Config): Promise<CheckResult[]> {
  const store = await openStore(config, "read");
  try {
    const troubles = await endpointTroubles(store.records, Date.now() - DAY_MS, QUERY_MS);
    return troubles.length > 0
      ? troubles.map(warningOf)
      : [ok("every webhook and alert channel accepts its deliveries")];
  } catch {
    return [warn("the deliveries cannot be read", "see the check of the database")];
  } finally {
    await store.close();
  }
}

/** Without URLs: they may contain secrets. */
function warningOf({ source_id, endpoint_id, failed, waiting, last_error }: EndpointTrouble): CheckResult {
  const isWebhook = source_id === endpoint_id;
  const what = isWebhook ? `webhook ${source_id}` : `channel ${endpoint_id} of alert ${source_id}`;
  const message = `${what}: ${failed} given up within a day, ${waiting} failed and waiting; ${last_error ?? ""}`;
  return warn(message, `fix the receiver, then \`weir ${isWebhook ? "webhooks" : "alerts"} test ${source_id}\``);
}

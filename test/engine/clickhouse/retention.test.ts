import { expect, test } from "bun:test";
import { Retention } from "../../../src/jobs/retention/retention.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { openStore } from "../../../src/store/store.ts";
import { configIn, pass, silent } from "../../recorder/harness.ts";
import { clickHouseRig } from "./rig.ts";
import { isClickHouseMissing } from "./server.ts";

const DAY_MS = 86_400_000;
const ORGANIZATION = "org-1";

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else
  test("retention removes what is too old with its bodies, as properties say, and nothing else", async () => {
    await using weir = await clickHouseRig();
    const now = Date.now();
    const at = (days: number, gateway: readonly string[] = []) => {
      const time = now - days * DAY_MS;
      return pass(weir.spool, { id: uuidv7(time), begin: { time, gateway } });
    };
    const [old, kept, fresh] = [at(9), at(9, ["gateway-property-keep", "long"]), at(1)];
    const bare = at(6);
    await weir.recorder.barrier();
    const config = configIn(weir.directory, { ...weir.settings, retention_days: 7, body_retention_days: 5 });
    const writer = await openStore(config, "change");
    await writer.records.batch([
      {
        sql: "insert into retention (organization_id, days, body_days, properties, updated_at) values (?, null, null, ?, 0)",
        args: [ORGANIZATION, JSON.stringify([{ property: "Keep", value: "long", days: 0, body_days: 0 }])],
      },
    ]);
    await new Retention({
      config,
      log: silent,
      reader: weir.store,
      writer: async () => writer,
      remove: (removal) => weir.recorder.remove(removal),
      maintain: (task) => weir.recorder.maintain(task),
    }).run();
    await writer.close();
    expect(await weir.finished(old)).toBeUndefined();
    expect(await weir.body(old, "request")).toBeUndefined();
    expect(await weir.finished(bare)).toMatchObject({ request_id: bare, output: null });
    expect(await weir.body(bare, "request")).toBeUndefined();
    for (const id of [kept, fresh]) {
      expect(await weir.finished(id)).toMatchObject({ request_id: id });
      expect(await weir.body(id, "request")).toBeDefined();
    }
  }, 120_000);

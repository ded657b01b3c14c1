import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../../../src/config.ts";
import type { Mapping } from "../../../src/mapping/mapping.ts";
import { SYSTEM } from "../../../src/people/actor.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { approveNewest, putMapping, rollBack } from "../../../src/store/models/mapping-steps.ts";
import { addMapping, mappingHistory } from "../../../src/store/models/mappings.ts";
import { openStore } from "../../../src/store/store.ts";

const NAME = { organizationId: "org-1", provider: "CUSTOM", model: "zeta" };
const MAPPING = { format: 1 } as Mapping;
const INFERRED = { state: "active", origin: "inferred", mapping: MAPPING, confidence: 0.9, samples: 5 } as const;

test.each([
  ["inferred", "as in force", async () => {}, "active"],
  ["inferred and approved", "as approved", approveNewest, "approved"],
  ["an admin's", "as approved", (records, name) => putMapping(records, name, MAPPING, SYSTEM), "approved"],
] as const satisfies [string, string, (...args: Parameters<typeof approveNewest>) => Promise<unknown>, string][])(
  "a version that was %s is restored %s",
  async (_name, _how, before, state) => {
    const directory = mkdtempSync(join(tmpdir(), "weir-mappings-"));
    const store = await openStore({ ...Value.Create(CONFIG_SCHEMA), data_dir: directory }, "write");
    await migrate(store);
    const { records } = store;
    await addMapping(records, NAME, INFERRED, SYSTEM);
    await before(records, NAME, SYSTEM);
    const version = (await mappingHistory(records, NAME))[0]?.version;
    await addMapping(records, NAME, INFERRED, SYSTEM);
    expect((await mappingHistory(records, NAME))[1]?.state).toBe("replaced");
    expect(await rollBack(records, NAME, SYSTEM)).toMatchObject({ version, state });
    expect((await mappingHistory(records, NAME))[0]?.state).toBe("rolled back");
    await store.close();
    rmSync(directory, { recursive: true });
  },
);

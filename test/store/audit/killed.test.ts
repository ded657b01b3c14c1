import { expect, test } from "bun:test";
import { join } from "node:path";
import { allEntries, verifyAudit } from "../../../src/store/audit/verify.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore } from "../../../src/store/store.ts";
import { ownDirectory } from "../open.ts";

const WRITER = join(import.meta.dir, "killed-writer.ts");
const ROUNDS = 3;

test("after kill -9 each change has its entry, each entry its change, and the chain holds", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  for (let round = 0; round < ROUNDS; round++) {
    // Two at once: they also take each other's numbers.
    const writers = ["a", "b"].map((who) =>
      Bun.spawn([process.execPath, WRITER, directory.path, `${who}${round}`], { stdout: "pipe", stderr: "inherit" }),
    );
    for (const { stdout } of writers) await stdout.getReader().read();
    for (const writer of writers) writer.kill("SIGKILL");
    await Promise.all(writers.map(({ exited }) => exited));
  }
  const changed = await store.records.query<{ name: string }>({
    sql: "select name from settings where value = 'killed' order by name",
    args: [],
  });
  const noted = await Array.fromAsync(allEntries(store.records), ({ object }) => object.id);
  expect(noted.sort()).toEqual(changed.map(({ name }) => name).sort());
  expect(noted.length).toBeGreaterThanOrEqual(2 * ROUNDS);
  expect(await verifyAudit(store.records)).toMatchObject({ broken: null, entries: noted.length });
  await store.close();
}, 300_000);

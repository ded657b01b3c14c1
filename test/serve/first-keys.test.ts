import { expect, test } from "bun:test";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { startThread } from "../../src/runtime/thread.ts";
import { firstKeys } from "../../src/serve/first-keys.ts";
import { Region } from "../../src/serve/region.ts";
import { Supervised } from "../../src/serve/supervise.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { openStore } from "../../src/store/store.ts";
import type { RecorderFunctions } from "../../src/threads.ts";
import { temporaryDirectory } from "../directory.ts";
import { keptLog } from "../plugin-host/folder.ts";
import { configIn } from "../recorder/harness.ts";
import { until } from "../until.ts";

function settings() {
  const directory = temporaryDirectory();
  mkdirSync(join(directory.path, "plugins"));
  const none = join(directory.path, "none");
  const config = configIn(directory.path, { log_level: "error", providers_dir: none, plugins_dir: none });
  return { directory, config, ...keptLog() };
}
const warnings = (lines: readonly string[]) => lines.filter((line) => line.includes('"level":"warn"'));

test("a first start waits for a database that cannot be opened, says so once, and then makes its key", async () => {
  const { directory, config, log, lines } = settings();
  using _ = directory;
  const inItsPlace = join(directory.path, "weir.db");
  mkdirSync(inItsPlace);
  const region = new Region({ config, home: undefined, log });
  const known = firstKeys({ config, log }, region.recorder, 20);
  await until(() => warnings(lines).length > 0);
  await Bun.sleep(200); // ten further waits
  rmdirSync(inItsPlace);
  expect(await known).toMatchObject({ keys: [{}], isWritable: true, made: expect.stringMatching(/^sk-weir-/) });
  expect(warnings(lines)).toEqual([
    expect.stringContaining("waiting for the database: there are no keys to serve with"),
  ]);
  await region.takeDown();
});

test("a start says that it migrates a database of an earlier version, once for each file", async () => {
  const { directory, config, log, lines } = settings();
  using _ = directory;
  const store = await openStore(config, "write");
  await migrate(
    store,
    MIGRATIONS.filter(({ target, version }) => version <= (target === "records" ? 37 : 5)),
  );
  await store.close();
  const infos = () => lines.filter((line) => line.includes("is migrated")).map((line) => JSON.parse(line));
  // A recorder migrates too, and may be the first.
  const other = new Supervised<RecorderFunctions>({
    name: "recorder",
    start: () => startThread("test/serve/dying-thread.ts", { number: 1, fails: false }),
    onStarted: async () => {},
    log,
  });
  await firstKeys({ config, log }, other);
  expect(infos()).toEqual([
    expect.objectContaining({ database: "bodies", from: 5, to: 7 }),
    expect.objectContaining({ database: "records", from: 37, to: expect.any(Number) }),
  ]);
  await firstKeys({ config, log }, other);
  expect(infos()).toHaveLength(2);
  await other.stop("stop", 30_000);
});

test("a start whose recorder is late continues with a warning, and without one where it comes in time", async () => {
  for (const [patienceMs, expected] of [
    [0, [expect.stringContaining("the recorder does not write yet: what passes waits in the spool")]],
    [30_000, []],
  ] as const) {
    const { directory, config, log, lines } = settings();
    using _ = directory;
    const region = new Region({ config, home: undefined, log });
    await region.recorderStarts(patienceMs);
    expect(warnings(lines)).toEqual([...expected]);
    await until(() => region.recorder.trouble === undefined);
    await region.takeDown();
  }
});

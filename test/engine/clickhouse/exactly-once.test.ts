import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Config } from "../../../src/config.ts";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { ClickHouseSink } from "../../../src/engine/clickhouse/sink.ts";
import { BatchFile } from "../../../src/engine/clickhouse/write/batch-file.ts";
import type { Storable } from "../../../src/engine/storable.ts";
import { SYSTEM } from "../../../src/people/actor.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { temporaryDirectory } from "../../directory.ts";
import { configIn, pass, spoolIn, startRecorder } from "../../recorder/harness.ts";
import { until } from "../../until.ts";
import { clickHouseRig, patient, recordsAt } from "./rig.ts";
import { isClickHouseMissing, sharedClickHouse, startClickHouse } from "./server.ts";

const ROUNDS = 4;
const SERVER_ROUNDS = 3;
const LAGGING = 2_500;

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else exactlyOnce();

function exactlyOnce(): void {
  test("a node that is killed again and again stores each request once", async () => {
    using directory = temporaryDirectory();
    const settings = recordsAt(await sharedClickHouse());
    const client = new ClickHouse({ urls: [settings.records_url], database: settings.records_database });
    const begun: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      begun.push(...(await killedAfter(directory.path, settings, round * 40)));
    }
    const config = configIn(directory.path, settings);
    // The next run says that the one before it has ended.
    const spool = spoolIn(join(directory.path, "spool"));
    const recorder = patient(startRecorder(directory.path, { config }));
    await recorder.ready();
    await recorder.barrier();
    await spool.close();
    await recorder.stop();
    const rows = await client.query<{ id: string; n: number; status: number | null }>(
      "select request_id as id, count() as n, min(response_status) as status from requests group by id",
    );
    expect(rows.filter(({ n, status }) => n !== 1 || status === null)).toEqual([]);
    const there = new Set(rows.map(({ id }) => id));
    expect(begun.filter((id) => !there.has(id))).toEqual([]);
    expect(await client.query("select count() as n from open final where is_ended = 0")).toEqual([{ n: 0 }]);
  }, 300_000);

  // Bodies, the note and the rows each come before the step that fails; after the last one only the response is lost.
  test.each([["bodies"], ["note"], ["rows"], ["rows in flight"], ["all"]] as const)(
    "a batch that is cut off after its %s is stored once by the next start",
    async (step) => {
      using directory = temporaryDirectory();
      const config = configIn(directory.path, recordsAt(await sharedClickHouse()));
      const client = new ClickHouse({ urls: [config.records_url], database: config.records_database });
      const [open, done] = [uuidv7(), uuidv7()];
      await using first = await sinkOf(config);
      const [key] = await first.sink.commit(batch({ fresh: [record(open, null)] }));
      first.fails = step;
      const completed = [{ record: record(open, 200), key: key!, relabelled: false }];
      const positions = { resume: { segment: 7, offset: 1 }, read: { segment: 7, offset: 2 } };
      const cut = first.sink.commit(batch({ fresh: [record(done, 200)], completed, positions }));
      await expect(cut).rejects.toThrow("cut off");

      await using second = await sinkOf(config);
      const known = await second.sink.known([open, done]);
      if (step === "bodies") expect([...known.values()].filter(({ isFinal }) => isFinal)).toEqual([]);
      else {
        expect([...known.values()].map(({ isFinal }) => isFinal)).toEqual([true, true]);
        expect(await second.sink.positions()).toMatchObject(positions);
        const count = { sql: "select count from models", args: [] };
        expect(await second.store.records.query<unknown>(count)).toEqual([{ count: 2 }]);
        expect(await second.sink.recover()).toEqual([]);
        expect(await client.query("select count() as n from requests")).toEqual([{ n: 2 }]);
        expect(await client.query("select count() as n from open final where is_ended = 0")).toEqual([{ n: 0 }]);
      }
    },
    300_000,
  );

  test("a batch whose token is forgotten by now is stored once regardless", async () => {
    using directory = temporaryDirectory();
    const config = configIn(directory.path, recordsAt(await sharedClickHouse()));
    const client = new ClickHouse({ urls: [config.records_url], database: config.records_database });
    await using first = await sinkOf(config);
    first.fails = "rows";
    const [done, lost] = [uuidv7(), uuidv7()];
    const cut = first.sink.commit(batch({ fresh: [record(done, 200), record(lost, 200)] }));
    expect(await cut.then(String, String)).toContain("cut off");
    // One of its rows is gone, so that the batch is not all there.
    await client.command(`delete from requests where request_id = '${lost}'`, {
      settings: { lightweight_delete_mode: "lightweight_update_force" },
    });
    await client.command("alter table requests modify setting non_replicated_deduplication_window = 1");
    const noted = new BatchFile(directory.path).read()!;
    const other = (id: string, token: string) =>
      client.insert("requests", [{ ...noted.requests[0], request_id: id }], {
        settings: { insert_deduplication_token: token },
      });
    await other("later", "a later token");
    await other("again", noted.token);
    expect(await client.query("select count() as n from requests where request_id = 'again'")).toEqual([{ n: 1 }]);
    await other("later", "another later token");

    await using second = await sinkOf(config);
    expect([...(await second.sink.known([done, lost])).keys()].sort()).toEqual([done, lost].sort());
    const ids = `('${done}', '${lost}')`;
    expect(await client.query(`select count() as n from requests where request_id in ${ids}`)).toEqual([{ n: 2 }]);
  }, 300_000);

  // The row goes first; what follows it is done by the next start.
  test.each([["deletion"], ["all"], ["removal"]] as const)(
    "a removal that is cut off after its %s is ended by the next start",
    async (step) => {
      using directory = temporaryDirectory();
      const config = configIn(directory.path, recordsAt(await sharedClickHouse()));
      const [gone, stays] = [uuidv7(), uuidv7()];
      await using first = await sinkOf(config);
      await first.sink.commit(batch({ fresh: [record(gone, 200), record(stays, 200)] }));
      first.fails = step;
      expect(await first.sink.remove("org-1", [gone], { by: SYSTEM }).then(String, String)).toContain("cut off");

      await using second = await sinkOf(config);
      expect([...(await second.sink.known([gone, stays])).keys()]).toEqual([stays]);
      expect([...(await second.store.content.having([gone, stays]))]).toEqual([stays]);
      const acts = "select count(*) as n from audit where action = 'records.deleted'";
      expect(await second.store.records.query<unknown>({ sql: acts, args: [] })).toEqual([{ n: 1 }]);
      expect(await second.sink.remove("org-1", [gone])).toBe(0);
    },
    300_000,
  );

  test("a recorder that lags stores more records with one insert than libSQL takes", async () => {
    using directory = temporaryDirectory();
    const config = configIn(directory.path, recordsAt(await sharedClickHouse()));
    const spool = spoolIn(join(directory.path, "spool"));
    for (let n = 0; n < LAGGING; n++) pass(spool);
    const recorder = patient(startRecorder(directory.path, { config }));
    await recorder.ready();
    await recorder.barrier();
    await recorder.stop();
    await spool.close();
    const client = new ClickHouse({ urls: [config.records_url], database: config.records_database });
    expect(await client.query("select count() as n, uniqExact(request_id) as ids from requests")).toEqual([
      { n: LAGGING, ids: LAGGING },
    ]);
    // What was noted last stays.
    expect(new BatchFile(directory.path).read()?.requests.length).toBe(LAGGING);
  }, 300_000);

  test("while ClickHouse is away traffic is spooled, and all of it comes in later", async () => {
    await using server = await startClickHouse();
    await using weir = await clickHouseRig({ settings: recordsAt(server.url) });
    const before = pass(weir.spool);
    await weir.recorder.barrier();
    await server.kill();
    const ids = Array.from({ length: 30 }, () => pass(weir.spool));
    await until(async () => (await weir.recorder.status()).databaseError !== null);
    expect(weir.spool.stats.healthy).toBe(true);
    await server.start();
    await until(async () => (await weir.recorder.status()).recorded === 31, 180_000);
    expect((await weir.recorder.status()).databaseError).toBeNull();
    for (const id of [before, ...ids]) expect(await weir.finished(id)).toMatchObject({ response_status: 200 });
    expect(await weir.client.query("select count() as n from requests")).toEqual([{ n: 31 }]);
  }, 300_000);

  test("a ClickHouse that is killed again and again while it stores holds each request once", async () => {
    await using server = await startClickHouse();
    await using weir = await clickHouseRig({ settings: recordsAt(server.url) });
    const ids: string[] = [];
    const recorded = async () => (await weir.recorder.status()).recorded;
    for (let round = 1; round <= SERVER_ROUNDS; round++) {
      const before = ids.length;
      // Each turn of the recorder finds more of them: the kill meets an insert, or comes between two.
      for (let n = 0; n < 20; n++) {
        ids.push(pass(weir.spool));
        await setImmediate();
      }
      await until(async () => (await recorded()) > before, 180_000);
      for (let n = 0; n < 20; n++) ids.push(pass(weir.spool));
      await server.kill();
      await server.start();
      await weir.recorder.barrier();
    }
    const rows = "select count() as n, uniqExact(request_id) as ids from requests";
    expect(await weir.client.query(rows)).toEqual([{ n: ids.length, ids: ids.length }]);
    const there = await weir.client.query<{ id: string }>("select request_id as id from requests order by id");
    expect(there.map(({ id }) => id)).toEqual(ids.toSorted());
    expect(await weir.client.query("select count() as n from open final where is_ended = 0")).toEqual([{ n: 0 }]);
  }, 300_000);
}

/** Runs a program that passes and records requests, and kills it once it has begun so many. @returns their ids. */
async function killedAfter(directory: string, settings: Partial<Config>, ids: number): Promise<string[]> {
  const program = join(import.meta.dir, "../../recorder/killed.ts");
  const child = spawn(process.execPath, [program, directory, "record", JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  const enough = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    if (text.split("\n").length > ids) enough.resolve();
  });
  const ended = once(child, "exit");
  await Promise.race([enough.promise, ended]);
  child.kill("SIGKILL");
  await ended;
  return text.split("\n").slice(0, -1);
}

function record(id: string, status: number | null): Storable {
  return {
    row: {
      request_id: id,
      organization_id: "org-1",
      key_id: "key-1",
      method: "POST",
      provider: "OPENAI",
      model: "m-1",
      request_created_at: Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16),
      updated_at: 1,
      response_status: status,
    },
    labels: { properties: {}, promptInputs: {}, erasedProperties: new Set(), erasedInputs: new Set() },
    parts: status === null ? [] : [{ part: "request", form: "json", bytes: Buffer.from("{}"), contentType: null }],
    texts: { prompt: null, completion: null, said: null },
    assets: [],
  };
}

const batch = (some: object) => ({
  ...{ fresh: [], completed: [], newIds: new Set<string>(), deliveries: [], positions: undefined, now: Date.now() },
  ...some,
});

type Step = "bodies" | "note" | "rows" | "rows in flight" | "all" | "deletion" | "removal";

/** A sink on its own connection that can be cut off after a step. */
async function sinkOf(config: Config) {
  const store = await openStore(config, "write");
  await migrate(store);
  const cuts: { fails: Step | undefined } = { fails: undefined };
  const cut = async (step: Step, work: Promise<void>) => {
    await work;
    if (cuts.fails === step) throw new Error("cut off");
  };
  const client = new ClickHouse({ urls: [config.records_url], database: config.records_database });
  const cutClient = replaced(client, {
    command: (sql, options) =>
      sql.startsWith("delete") ? cut("deletion", client.command(sql, options)) : client.command(sql, options),
    insert: (table, rows, options) => {
      if (table === "open") return cut("rows in flight", client.insert(table, rows, options));
      return cut("note", Promise.resolve()).then(() => cut("rows", client.insert(table, rows, options)));
    },
  });
  const cutStore: Store = {
    ...store,
    records: replaced(store.records, { batch: (statements) => cut("all", store.records.batch(statements)) }),
    content: replaced(store.content, {
      put: (contents, beside) => cut("bodies", store.content.put(contents, beside)),
      remove: (ids) => cut("removal", store.content.remove(ids)),
    }),
  };
  const sink = new ClickHouseSink({ store: cutStore, config, ofProviders: async () => ({}) }, cutClient);
  await sink.recover();
  return Object.assign(cuts, { sink, store, [Symbol.asyncDispose]: () => store.close() });
}

/** An object with some methods of its own; the others are called as they were. */
function replaced<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(object, name) {
      const own: unknown = Reflect.get(methods, name);
      const value: unknown = own ?? Reflect.get(object, name, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Config } from "../../../src/config.ts";
import { agedDays } from "../../../src/engine/clickhouse/aged-days.ts";
import { SINGLE } from "../../../src/engine/clickhouse/tables.ts";
import { Pace } from "../../../src/jobs/retention/pace.ts";
import { Retention } from "../../../src/jobs/retention/retention.ts";
import { WholeDays } from "../../../src/jobs/retention/whole-days.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import type { Maintenance } from "../../../src/threads.ts";
import { configIn, pass, silent } from "../../recorder/harness.ts";
import { until } from "../../until.ts";
import { type ClickHouseRig, clickHouseRig } from "./rig.ts";
import { isClickHouseMissing } from "./server.ts";

// A busy server takes its time; nothing here is about that.
setDefaultTimeout(300_000);

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS);
const [ONE, TWO] = ["org-1", "org-2"];

let weir: ClickHouseRig;
let writer: Store;

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else retention();

function retention(): void {
  beforeAll(async () => {
    weir = await clickHouseRig();
    writer = await openStore(configIn(weir.directory, weir.settings), "change");
  });
  afterAll(async () => {
    await writer.close();
    await weir[Symbol.asyncDispose]();
  });

  test("retention removes what is too old with its bodies, as properties say, and nothing else", async () => {
    const long = ["gateway-property-keep", "long"];
    const [old, kept, fresh, bare] = [at(9), at(9, { gateway: long }), at(1), at(6)];
    await weir.recorder.barrier();
    await keepFor(ONE, null, [{ property: "Keep", value: "long", days: 0, body_days: 0 }]);
    await run({ retention_days: 7, body_retention_days: 5 });
    expect(await weir.finished(old)).toBeUndefined();
    expect(await weir.body(old, "request")).toBeUndefined();
    expect(await weir.finished(bare)).toMatchObject({ request_id: bare, output: null });
    expect(await weir.body(bare, "request")).toBeUndefined();
    for (const id of [kept, fresh]) {
      expect(await weir.finished(id)).toMatchObject({ request_id: id });
      expect(await weir.body(id, "request")).toBeDefined();
    }
    await keepFor(ONE, 0);
  });

  test("a day goes as a whole once no organization keeps any of it, with all that belongs to its records", async () => {
    const time = (TODAY - 20) * DAY_MS + 1;
    const [own, other] = [at(20), at(20, { organization: TWO })];
    const chosen = pass(weir.spool, { id: crypto.randomUUID(), begin: { time } });
    await weir.recorder.barrier();
    expect(await weir.client.query(`select 1 as one from ids where request_id = '${chosen}'`)).not.toEqual([]);
    await comment(own);
    await keepFor(ONE, 10);
    await keepFor(TWO, 10, [{ property: "Keep", value: null, days: 30, body_days: null }]);
    // Kept by the property of one record alone: the rest of that day goes row by row.
    const held = at(21, { organization: TWO, gateway: ["gateway-property-Keep", "x"] });
    const beside = at(21);
    await weir.recorder.barrier();
    await run({});
    expect(await partition(20)).toEqual([]);
    for (const id of [own, other, chosen, beside]) {
      expect(await weir.finished(id)).toBeUndefined();
      expect(await weir.body(id, "request")).toBeUndefined();
    }
    expect(await weir.finished(held)).toMatchObject({ request_id: held });
    expect(await weir.body(held, "request")).toBeDefined();
    expect(await partition(21)).not.toEqual([]);
    expect(await comments(own)).toBe(0);
    expect(await runOf(ONE)).toMatchObject({ records_removed: 3, error: null });
    expect(await runOf(TWO)).toMatchObject({ records_removed: 1, error: null });
    expect(await weir.client.query("select 1 as one from removed")).toEqual([]);
    // Forgotten in the background.
    const noted = () => weir.client.query(`select 1 as one from ids where request_id = '${chosen}'`);
    await until(async () => (await noted()).length === 0, 180_000);
    await keepFor(ONE, 0);
    await keepFor(TWO, 0);
  });

  test("a record goes once its whole day is too old, not sooner", async () => {
    const [last, before] = [at(10), at(11)];
    await weir.recorder.barrier();
    await keepFor(ONE, 10);
    await run({});
    expect(await weir.finished(last)).toBeDefined();
    expect(await weir.finished(before)).toBeUndefined();
    await keepFor(ONE, 0);
  });

  test("a day in which another organization has records by now is not dropped", async () => {
    const [mine, theirs, alone] = [at(30), at(30, { organization: TWO }), at(31)];
    const one = (age: number) => ({ day: TODAY - age, organizationIds: [ONE] });
    await weir.recorder.barrier();
    expect(await weir.recorder.maintain({ kind: "days", days: [one(30), one(31)] })).toBe(1);
    for (const id of [mine, theirs]) expect(await weir.finished(id)).toBeDefined();
    expect(await weir.finished(alone)).toBeUndefined();
  });

  // Where a run is cut off, the next one ends what it has begun.
  test.each([
    ["before the drop", 40, "days", false],
    ["after the drop", 41, "days", true],
    ["before bodies go", 42, "beside", false],
    ["after bodies went", 43, "beside", true],
  ] as const)("a run that is killed %s is ended by the next one", async (_name, age, kind, isDone) => {
    const [first, second] = [at(age), at(age + 5)];
    await weir.recorder.barrier();
    await comment(first);
    await keepFor(ONE, age - 1);
    const cut = wholeDays(async (task) => {
      if (task.kind !== kind) return weir.recorder.maintain(task);
      if (isDone) await weir.recorder.maintain(task);
      throw new Error("killed");
    });
    expect(await cut.drop(TODAY * DAY_MS).then(String, String)).toContain("killed");
    if (kind === "days" && !isDone) expect(await weir.finished(first)).toBeDefined();
    await wholeDays((task) => weir.recorder.maintain(task)).drop(TODAY * DAY_MS);
    for (const id of [first, second]) {
      expect(await weir.finished(id)).toBeUndefined();
      expect(await weir.body(id, "request")).toBeUndefined();
    }
    expect(await comments(first)).toBe(0);
    expect(await weir.client.query("select 1 as one from removed")).toEqual([]);
    await keepFor(ONE, 0);
  });

  test("many days go in a few steps, and those between them that a rule keeps stay", async () => {
    const ages = Array.from({ length: 70 }, (_, n) => 100 + n);
    const gone = ages.map((age) => at(age));
    const held = [110, 150].map((age) => at(age, { gateway: ["gateway-property-Keep", "x"] }));
    const theirs = at(120, { organization: TWO });
    await weir.recorder.barrier();
    await keepFor(ONE, 60, [{ property: "Keep", value: "x", days: 0, body_days: 0 }]);
    await keepFor(TWO, 0);
    const steps: Maintenance[] = [];
    const removed = await wholeDays((task) => {
      steps.push(task);
      return weir.recorder.maintain(task);
    }).drop(TODAY * DAY_MS);
    expect(removed).toEqual(new Map([[ONE, 67]]));
    // At most 30 days each.
    expect(steps.map(({ kind }) => kind)).toEqual(["days", "beside", "days", "beside", "days", "beside"]);
    const stay = new Set([...held, theirs, ...[110, 120, 150].map((age) => gone[age - 100]!)]);
    const rows = await weir.client.query<{ id: string }>(
      `select request_id as id from requests where request_id in (${quoted([...gone, ...stay])})`,
    );
    expect(new Set(rows.map(({ id }) => id))).toEqual(stay);
    expect(await weir.client.query("select 1 as one from removed")).toEqual([]);
    await keepFor(ONE, 0);
  });

  test("days are dropped and rows deleted while writing continues, and nothing new is lost", async () => {
    await keepFor(ONE, 50);
    const held = { gateway: ["gateway-property-Keep", "x"] };
    await keepFor(TWO, 50, [{ property: "Keep", value: null, days: 0, body_days: null }]);
    const kept = [at(53, { ...held, organization: TWO })];
    const old: string[] = [];
    for (let age = 51; age < 55; age++) for (let n = 0; n < 20; n++) old.push(at(age));
    await weir.recorder.barrier();
    let isOver = false;
    const fresh: string[] = [];
    const writing = (async () => {
      while (!isOver) {
        fresh.push(at(0), at(0, { organization: TWO }));
        await weir.recorder.barrier();
      }
    })();
    await run({});
    isOver = true;
    await writing;
    expect(fresh.length).toBeGreaterThan(0);
    const [found] = await weir.client.query<{ n: number; ids: number }>(
      `select count() as n, uniqExact(request_id) as ids from requests where request_id in (${quoted([...fresh, ...kept])})`,
    );
    expect(found).toEqual({ n: fresh.length + 1, ids: fresh.length + 1 });
    expect(await weir.client.query(`select 1 as one from requests where request_id in (${quoted(old)})`)).toEqual([]);
    for (const id of [...fresh.slice(0, 5), ...kept]) expect(await weir.body(id, "request")).toBeDefined();
  });
}

const quoted = (ids: readonly string[]) => ids.map((id) => `'${id}'`).join(", ");

interface Written {
  readonly organization?: string;
  readonly gateway?: readonly string[];
}

/** Passes a request on a day, counted backwards from today: at its beginning. */
function at(days: number, { organization = ONE, gateway = [] }: Written = {}): string {
  const time = (TODAY - days) * DAY_MS + 1;
  return pass(weir.spool, { id: uuidv7(time), begin: { time, organization, gateway } });
}

async function run(settings: Partial<Config>): Promise<void> {
  const config = configIn(weir.directory, {
    ...{ retention_days: 0, body_retention_days: 0 },
    ...weir.settings,
    ...settings,
  });
  await new Retention({
    config,
    log: silent,
    reader: weir.store,
    writer: async () => writer,
    remove: (removal) => weir.recorder.remove(removal),
    maintain: (task) => weir.recorder.maintain(task),
  }).run();
}

function wholeDays(maintain: (task: Maintenance) => Promise<number>): WholeDays {
  const config = configIn(weir.directory, { ...weir.settings, retention_days: 0, body_retention_days: 0 });
  const days = agedDays(weir.client, SINGLE);
  return new WholeDays({ config, reader: weir.store, days, maintain, pace: new Pace() });
}

async function keepFor(organization: string, days: number | null, properties: readonly object[] = []): Promise<void> {
  const sql = `insert or replace into retention (organization_id, days, body_days, properties, updated_at)
    values (?, ?, null, ?, 0)`;
  await writer.records.batch([{ sql, args: [organization, days, JSON.stringify(properties)] }]);
}

async function comment(id: string): Promise<void> {
  const sql = `insert into comments (request_id, id, organization_id, author_id, author_name, text, created_at)
    values (?, 'c', ?, 'a', 'a', 'b', 0)`;
  await writer.records.batch([{ sql, args: [id, ONE] }]);
}

async function comments(id: string): Promise<number> {
  const sql = "select 1 from comments where request_id = ?";
  return (await weir.store.records.query<object>({ sql, args: [id] })).length;
}

async function runOf(organization: string): Promise<object | undefined> {
  const sql = "select records_removed, error from retention_runs where organization_id = ?";
  return (await weir.store.records.query<object>({ sql, args: [organization] }))[0];
}

/** Parts of `requests` that hold a day. */
function partition(days: number): Promise<object[]> {
  const name = new Date((TODAY - days) * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
  return weir.client.query<object>(
    `select name from system.parts where database = currentDatabase() and table = 'requests' and active
      and partition = '${name}'`,
  );
}

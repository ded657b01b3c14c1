import { expect, test } from "bun:test";
import { join } from "node:path";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { SINGLE } from "../../../src/engine/clickhouse/tables.ts";
import { EndedRows } from "../../../src/engine/clickhouse/write/ended-rows.ts";
import { uuidv7 } from "../../../src/runtime/uuid.ts";
import { temporaryDirectory } from "../../directory.ts";
import { begin, configIn, pass, spoolIn, startRecorder } from "../../recorder/harness.ts";
import { clickHouseRig, patient, recordsAt } from "./rig.ts";
import { isClickHouseMissing, sharedClickHouse } from "./server.ts";

const ORGANIZATION = "org-1";

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else sink();

function sink(): void {
  test("a record is there at once, with its body, and once", async () => {
    await using weir = await clickHouseRig();
    const ids = Array.from({ length: 20 }, () =>
      pass(weir.spool, {
        id: uuidv7(),
        request: '{"model":"m-1","prompt":"hello"}',
        begin: { gateway: ["Gateway-Property-App", "a"] },
      }),
    );
    await weir.recorder.barrier();
    for (const id of ids) {
      expect(await weir.finished(id)).toMatchObject({
        organization_id: ORGANIZATION,
        response_status: 200,
        properties: { App: "a" },
        prompt_text: "hello",
      });
      expect((await weir.body(id, "request"))!.content.toString()).toBe('{"model":"m-1","prompt":"hello"}');
    }
    expect(await weir.client.query("select count() as n from requests")).toEqual([{ n: 20 }]);
    expect(await weir.store.records.query({ sql: "select count(*) as n from requests", args: [] })).toEqual([{ n: 0 }]);
    expect(await weir.store.records.query({ sql: "select model, count from models", args: [] })).toEqual([
      { model: "m-1-long", count: 20 },
    ]);
  });

  test("records of any number of days are stored at once: ClickHouse takes 100 by default", async () => {
    await using weir = await clickHouseRig();
    const days = 150;
    for (let day = 0; day < days; day++)
      pass(weir.spool, { id: uuidv7(), begin: { time: Date.UTC(2025, 0, 1) + day * 86_400_000 } });
    await weir.recorder.barrier();
    expect(await weir.client.query("select count() as n from requests")).toEqual([{ n: days }]);
  }, 300_000);

  test("the input and output are in the row, masked, and not stored with the bodies", async () => {
    await using weir = await clickHouseRig();
    const key = `sk-proj-${"aB3dE5gH7jK9".repeat(4)}`;
    const id = pass(weir.spool, {
      id: uuidv7(),
      request: JSON.stringify({ model: "m-1", prompt: `use ${key}` }),
      response: JSON.stringify({ model: "m-1", text: `used ${key}` }),
    });
    await weir.recorder.barrier();
    expect(await weir.finished(id)).toMatchObject({ input: "use ***", output: "used ***" });
    const stored = (await weir.store.content.whole([id])).get(id)!;
    expect(stored.excerpts).toEqual({ input: null, output: null });
  });

  test("a change is merged, null removes, and the response is what the record holds", async () => {
    await using weir = await clickHouseRig();
    const id = pass(weir.spool, { begin: { gateway: ["gateway-property-env", "dev", "Gateway-Property-Team", "a"] } });
    const change = (rest: object) => weir.recorder.update({ requestId: id, organizationId: ORGANIZATION, ...rest });
    const result = await change({ properties: { env: "it's \\ ☃", Team: null, New: "1" }, scores: { quality: 0.1 } });
    expect(result).toEqual({
      requestId: id,
      properties: { env: "it's \\ ☃", New: "1" },
      scores: { quality: 0.1 },
      feedback: null,
    });
    expect(await change({ feedbackRating: true })).toMatchObject({
      scores: { quality: 0.1, "gateway-score-feedback": 1 },
      feedback: { rating: true },
    });
    expect(await weir.finished(id)).toMatchObject({ properties: { env: "it's \\ ☃", New: "1" }, case_erased: [] });
    expect(await weir.recorder.update({ requestId: id, organizationId: "org-2", properties: { a: "b" } })).toBeNull();
  });

  test("changes of a request in flight are seen at once and outlive its end", async () => {
    await using weir = await clickHouseRig();
    const id = openRequest(weir, ["Gateway-Property-App", "a", "Gateway-Property-Gone", "x"]);
    const change = (rest: object) => weir.recorder.update({ requestId: id, organizationId: ORGANIZATION, ...rest });
    expect(await change({ properties: { App: "b", Gone: null }, scores: { quality: 0.5 } })).toMatchObject({
      properties: { App: "b" },
    });
    await change({ properties: { App: "c" }, scores: { speed: 2 }, feedbackRating: false });
    expect(await weir.finished(id)).toBeUndefined();
    expect(await openIds(weir)).toEqual([id]);
    await close(weir, id);
    expect(await weir.finished(id)).toMatchObject({
      response_status: 200,
      properties: { App: "c" },
      scores: { quality: 0.5, speed: 2, "gateway-score-feedback": 0 },
      feedback_rating: 0,
    });
    expect(await openIds(weir)).toEqual([]);
  });

  test("changes of one record through two nodes are all kept, also while it is in flight", async () => {
    await using one = await clickHouseRig();
    await using other = await clickHouseRig({ settings: recordsAt(await sharedClickHouse(), one.client.database) });
    const done = pass(one.spool);
    const open = openRequest(one, ["Gateway-Property-App", "a"]);
    await one.recorder.barrier();
    const change = (at: number, requestId: string) => {
      const { recorder } = at % 2 === 0 ? one : other;
      return recorder.update({ requestId, organizationId: ORGANIZATION, properties: { [`name-${at}`]: String(at) } });
    };
    // The node that passes it on gives it its row.
    await change(0, open);
    const changes = Array.from({ length: 20 }, (_, at) => at).flatMap((at) => [change(at, done), change(at, open)]);
    for (const result of await Promise.all(changes)) expect(result).not.toBeNull();
    await close(one, open);
    const names = Array.from({ length: 20 }, (_, at) => `name-${at}`);
    const propertiesOf = async (id: string) => (await one.finished(id))!["properties"] as object;
    expect(Object.keys(await propertiesOf(done)).sort()).toEqual(names.toSorted());
    expect(Object.keys(await propertiesOf(open)).sort()).toEqual(["App", ...names].sort());
  });

  test("a change of a request in flight survives a restart", async () => {
    const settings = recordsAt(await sharedClickHouse());
    using directory = temporaryDirectory();
    const config = configIn(directory.path, settings);
    const spool = spoolIn(join(directory.path, "spool"));
    const id = uuidv7();
    const first = patient(startRecorder(directory.path, { config }));
    await first.ready();
    spool.begin(id, begin({ time: Date.now(), gateway: ["Gateway-Property-App", "a"] }));
    spool.flush();
    await first.update({
      requestId: id,
      organizationId: ORGANIZATION,
      properties: { App: "b" },
      scores: { quality: 1 },
    });
    await first.stop();
    const second = patient(startRecorder(directory.path, { config }));
    await second.ready();
    spool.head(id, { time: Date.now(), status: 200, headers: [] });
    spool.end(id, { time: Date.now(), outcome: "complete", requestBytes: 0, responseBytes: 0 });
    spool.flush();
    await second.barrier();
    const client = new ClickHouse({ urls: [settings.records_url], database: settings.records_database });
    expect(await client.query("select properties, scores, response_status from requests")).toEqual([
      { properties: { App: "b" }, scores: { quality: 1 }, response_status: 200 },
    ]);
    await spool.close();
    await second.stop();
  });

  test("records are removed with their bodies, comments and scores", async () => {
    await using weir = await clickHouseRig();
    const [gone, stays] = [pass(weir.spool), pass(weir.spool)];
    await weir.recorder.barrier();
    const removal = { organizationId: ORGANIZATION, requestIds: [gone, stays] };
    expect(await weir.recorder.remove({ ...removal, organizationId: "org-2" })).toBe(0);
    expect(await weir.recorder.remove({ ...removal, requestIds: [gone] })).toBe(1);
    expect(await weir.finished(gone)).toBeUndefined();
    expect(await weir.body(gone, "request")).toBeUndefined();
    expect(await weir.finished(stays)).toBeDefined();
    const maintain = { kind: "bodies", organizationId: ORGANIZATION, requestIds: [stays] } as const;
    expect(await weir.recorder.maintain(maintain)).toBe(1);
    expect(await weir.body(stays, "request")).toBeUndefined();
    expect(await weir.finished(stays)).toMatchObject({ output: null, prompt_text: null });
  });

  test("of a removed record whose id was the client's choice, no noted time stays", async () => {
    await using weir = await clickHouseRig();
    const [gone, stays] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const id of [gone, stays]) pass(weir.spool, { id });
    await weir.recorder.barrier();
    const noted = async () =>
      (await weir.client.query<{ id: string }>("select request_id as id from ids order by id")).map(({ id }) => id);
    expect(await noted()).toEqual([gone, stays].sort());
    expect(await weir.recorder.remove({ organizationId: ORGANIZATION, requestIds: [gone] })).toBe(1);
    expect(await noted()).toEqual([stays]);
    expect(await weir.finished(stays)).toBeDefined();
  });

  test("rows of requests that have ended are removed from the table of those in flight", async () => {
    await using weir = await clickHouseRig();
    const id = openRequest(weir, ["Gateway-Property-App", "a"]);
    await weir.recorder.update({ requestId: id, organizationId: ORGANIZATION, scores: { quality: 1 } });
    const row = { organization_id: ORGANIZATION, request_created_at: 1, updated_at: 1 };
    const ended = ["a", "b", "c"].map((each) => ({ ...row, request_id: each, version: 1, is_ended: 0 }));
    await weir.client.insert("open", ended);
    await weir.client.insert("open", [...ended.map((each) => ({ ...each, version: 2, is_ended: 1 })), ended[0]!]);
    const all = () => weir.client.query("select request_id, is_ended from open order by request_id");
    const few = new EndedRows(weir.client, SINGLE, ended.length + 1);
    few.add(ended.length);
    await few.removal;
    expect((await all()).length).toBeGreaterThan(1);
    const many = new EndedRows(weir.client, SINGLE, ended.length);
    many.add(1);
    await many.removal;
    expect(await all()).toEqual([{ request_id: id, is_ended: 0 }]);
    await close(weir, id);
    expect(await weir.finished(id)).toMatchObject({ response_status: 200, scores: { quality: 1 } });
  });

  test("a new reading replaces the stored one", async () => {
    await using weir = await clickHouseRig();
    const ids = [pass(weir.spool), pass(weir.spool)];
    const [first, second] = ids as [string, string];
    await weir.recorder.barrier();
    const changed = await weir.recorder.rewrite([
      { requestId: first, columns: { cost: 0.25, model: "m'2", finish_reason: "stop" } },
      { requestId: second, columns: { input: null }, texts: { prompt: "p", completion: null, said: "s" } },
      { requestId: crypto.randomUUID(), columns: { cost: 1 } },
    ]);
    expect(changed).toBe(2);
    expect(await weir.finished(first)).toMatchObject({ cost: 0.25, model: "m'2", finish_reason: "stop" });
    expect(await weir.finished(second)).toMatchObject({ cost: null, prompt_text: "p" });
    expect((await weir.body(second, "request"))!.content.toString()).toBe('{"model":"m-1"}');
    expect(await weir.recorder.usageOf(ids)).toEqual(
      expect.arrayContaining([{ requestId: first, cost: 0.25, totalTokens: 7 }]),
    );
  });
}

type Weir = Awaited<ReturnType<typeof clickHouseRig>>;

const openIds = async (weir: Weir) =>
  (await weir.client.query<{ id: string }>("select request_id as id from open final where is_ended = 0")).map(
    ({ id }) => id,
  );

function openRequest(weir: Weir, gateway: readonly string[]): string {
  const id = uuidv7();
  weir.spool.begin(id, begin({ time: Date.now(), gateway }));
  weir.spool.flush();
  return id;
}

function close(weir: Weir, id: string): Promise<void> {
  weir.spool.head(id, { time: Date.now(), status: 200, headers: [] });
  weir.spool.end(id, { time: Date.now(), outcome: "complete", requestBytes: 0, responseBytes: 0 });
  weir.spool.flush();
  return weir.recorder.barrier();
}

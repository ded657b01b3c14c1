import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { listSegments, segmentPath } from "../../src/spool/segments.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { spoolIn } from "../spool/journal.ts";
import { until } from "../until.ts";
import { begin, configIn, pass, type Row, readRow, startRecorder } from "./harness.ts";

async function allRows(directory: string): Promise<Row[]> {
  const store = await openStore(configIn(directory), "read");
  const rows = await store.records.query<Row>({ sql: "select * from whole_requests", args: [] });
  await store.close();
  return rows;
}

test("a program that is killed again and again has exactly one record of every id that it returned", async () => {
  using directory = temporaryDirectory();
  const logged: string[] = [];
  for (let kill = 0; kill < 4; kill++) {
    // At every second kill a recorder dies in the middle of its work too.
    const recorder = kill % 2 === 0 ? startRecorder(directory.path) : undefined;
    const program = [process.execPath, join(import.meta.dir, "killed.ts"), directory.path];
    const child = Bun.spawn(recorder === undefined ? [...program, "record"] : program, { stdout: "pipe" });
    let output = "";
    const reading = (async () => {
      for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
    })();
    await recorder?.ready();
    await until(
      () => output.length > 4_000 * (kill + 1),
      180_000,
      () => "the program has told some ids",
    );
    child.kill("SIGKILL");
    await child.exited;
    await reading;
    logged.push(...output.split("\n").filter((line) => line.length === 36));
    await recorder?.stop();
  }
  const last = startRecorder(directory.path);
  await spoolIn(join(directory.path, "spool")).close(); // the next run: what was open is cut off
  await last.barrier();
  await last.stop();

  const rows = await allRows(directory.path);
  const ids = rows.map((row) => row["request_id"] as string);
  expect(new Set(ids).size).toBe(ids.length);
  expect(logged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(logged.length).toBeGreaterThan(400);
  const cutOff = rows.filter((row) => row["outcome"] === "cut_off");
  expect(cutOff.length).toBeGreaterThan(100);
  for (const row of rows) {
    expect(row["response_status"]).toBe(row["outcome"] === "cut_off" ? 500 : 200);
    expect(row["delay_ms"] === null).toBe(row["outcome"] === "cut_off");
  }
  const [models] = await countModels(directory.path);
  expect(models?.["count"]).toBe(rows.filter((row) => row["response_status"] === 200).length);
}, 300_000);

async function countModels(directory: string): Promise<Row[]> {
  const store = await openStore(configIn(directory), "read");
  const rows = await store.records.query<Row>({ sql: "select sum(count) as count from models", args: [] });
  await store.close();
  return rows;
}

test("a recorder that starts again continues where it was, with what is in flight", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(join(directory.path, "spool"));
  const open = crypto.randomUUID();
  spool.begin(open, begin({ time: 5, gateway: ["Gateway-Property-A", "1"] }));
  spool.requestChunk(open, Buffer.from('{"model":"long"}'));
  const ids = Array.from({ length: 20 }, () => pass(spool));
  const first = startRecorder(directory.path);
  const change = { requestId: open, organizationId: "org-1", properties: { B: "2" }, scores: { s: 1 } };
  await first.update(change);
  await first.stop();

  ids.push(pass(spool));
  spool.head(open, { time: 6, status: 200, headers: [] });
  spool.end(open, { time: 7, outcome: "complete", requestBytes: 16, responseBytes: 0 });
  await spool.close();
  const second = startRecorder(directory.path);
  await second.barrier();
  expect((await second.status()).recorded).toBe(2);
  await second.stop();

  const rows = await allRows(directory.path);
  expect(rows.map((row) => row["request_id"]).sort()).toEqual([...ids, open].sort());
  const store = await openStore(configIn(directory.path), "read");
  expect(await readRow(store, open)).toMatchObject({
    response_status: 200,
    request_model: "long",
    properties: '{"A":"1","B":"2"}',
    scores: '{"s":1}',
  });
  await store.close();
});

test("segments go when all of them is recorded, and a torn end is passed over", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  const spool = spoolIn(path, { segmentBytes: 20_000 });
  for (let i = 0; i < 200; i++) pass(spool);
  await spool.close();
  const before = listSegments(path);
  expect(before.length).toBeGreaterThan(5);
  appendFileSync(segmentPath(path, before.at(-1)!), Buffer.from([9, 9, 9]));
  const next = spoolIn(path);
  const id = pass(next);
  const recorder = startRecorder(directory.path);
  await recorder.barrier();
  expect(await recorder.status()).toMatchObject({ recorded: 201, lagBytes: 0, inFlight: 0, databaseError: null });
  expect(await recorder.isKnownId(id)).toBe(true);
  expect(listSegments(path)).toHaveLength(1);
  expect(await recorder.metrics()).toContain("weir_spool_torn_bytes_total 3");
  await next.close();
  await recorder.stop();
});

test("an exchange that outlives many segments keeps none of them, and is recorded whole after a restart", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "spool");
  const spool = spoolIn(path, { segmentBytes: 4_000 });
  const long = crypto.randomUUID();
  spool.begin(long, begin({ time: 1 }));
  spool.head(long, { time: 2, status: 200, headers: ["Content-Type", "text/plain"] });
  const expected: string[] = [];
  let recorder = startRecorder(directory.path);
  for (let i = 0; i < 60; i++) {
    expected.push(`chunk ${i};`.padEnd(2_000, "."));
    spool.responseChunk(long, Buffer.from(expected.at(-1)!));
    for (let n = 0; n < 4; n++) pass(spool);
    await recorder.barrier();
    if (i % 25 === 24) {
      await recorder.stop();
      recorder = startRecorder(directory.path);
    }
  }
  expect(listSegments(path).length).toBeLessThan(20);
  spool.end(long, { time: 3, outcome: "complete", requestBytes: 0, responseBytes: 1 });
  pass(spool);
  await recorder.barrier();
  await recorder.stop();
  await spool.close();

  const store = await openStore(configIn(directory.path), "read");
  expect(await readRow(store, long)).toMatchObject({ response_status: 200, truncated: 0 });
  const body = (await store.content.get([long], ["response"], "sent")).get(long)!.response!;
  expect(Buffer.from(body.content).toString()).toBe(expected.join(""));
  const rows = await store.records.query({ sql: "select request_id from requests", args: [] });
  expect(rows).toHaveLength(60 * 4 + 2);
  await store.close();
}, 300_000);

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startThread } from "../../src/runtime/thread.ts";
import { watchReading } from "../../src/serve/reading-watch.ts";
import { Supervised } from "../../src/serve/supervise.ts";
import { ReadingNote, readNote, type Step } from "../../src/spool/reading-note.ts";
import { openStore } from "../../src/store/store.ts";
import type { RecorderFunctions, ThreadOptions } from "../../src/threads.ts";
import { temporaryDirectory } from "../directory.ts";
import { keptLog } from "../plugin-host/folder.ts";
import { spoolIn } from "../spool/journal.ts";
import { until } from "../until.ts";
import { configIn, pass, type Rig, readRow, rig, startRecorder } from "./harness.ts";

const ID = "0190a0a0-0000-7000-8000-000000000001";
const OTHER = "0190a0a0-0000-7000-8000-000000000002";

/** As a process leaves the file that ends in this step. */
function endIn(directory: string, id: string, step: Step, ended?: string) {
  new ReadingNote(directory, ended).begin(id, step);
}

test("an exchange is at fault once the process has ended in it twice, or its thread once", () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  endIn(path, ID, "read");
  expect(readNote(path)).toMatchObject({ ids: [ID], step: "read", tries: 1 });
  expect(new ReadingNote(path).faultOf(ID)).toBeUndefined();
  endIn(path, ID, "read");
  expect(readNote(path)).toMatchObject({ tries: 2 });
  const note = new ReadingNote(path);
  expect(note.faultOf(ID)).toEqual({ step: "read", reason: "crash: the process ended while it was read" });
  note.begin(OTHER, "plugins");
  const after = new ReadingNote(path, "the thread ended");
  expect(after.faultOf(OTHER)).toEqual({ step: "plugins", reason: "crash: the thread ended while plugins saw it" });
  // The first one is known until it is in the database.
  expect(after.faultOf(ID)?.step).toBe("read");
  after.settle([ID, OTHER]);
  after.close();
  expect(existsSync(join(path, "crashed.json"))).toBe(false);
  expect(readNote(path)).toBeUndefined();
  expect(new ReadingNote(path).faultOf(ID)).toBeUndefined();
});

test("of exchanges that were read together none is at fault: each is read by itself until one ends the thread again", () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const others = Array.from({ length: 14 }, () => crypto.randomUUID());
  new ReadingNote(path).beginTogether([ID, ...others, OTHER]);
  expect(readNote(path)?.ids).toEqual([ID, ...others, OTHER]);
  const note = new ReadingNote(path, "the thread ended");
  expect([ID, OTHER, crypto.randomUUID()].map((id) => note.isSuspect(id))).toEqual([true, true, false]);
  expect(note.faultOf(ID)).toBeUndefined();
  note.begin(OTHER, "read");
  expect(readNote(path)).toMatchObject({ ids: [OTHER], tries: 1 });
  const after = new ReadingNote(path, "the thread ended");
  expect([ID, OTHER].map((id) => after.faultOf(id)?.step)).toEqual([undefined, "read"]);
});

test("short exchanges are read together, and one that cannot be is read alone", async () => {
  await using there = await rig();
  await there.recorder.stop();
  const seen: string[] = [];
  const ids = ["a", "b", "bad", "c", "d"].map((model) => pass(there.spool, { request: `{"model":"${model}"}` }));
  const recorder = startRecorder(there.directory, {
    bodyKey: there.spool.bodyKey,
    readExchange: (input) => {
      seen.push(readNote(join(there.directory, "spool"))?.ids.length === 1 ? "alone" : "together");
      if (input.requestBody?.model === "bad") {
        const until = performance.now() + 60_000;
        while (performance.now() < until); // as an endless loop
      }
      return { requestModel: input.requestBody?.model };
    },
  });
  await recorder.barrier();
  const rows = await Promise.all(ids.map((id) => there.row(id)));
  expect(rows.map((row) => row.request_model)).toEqual(["a", "b", null, "c", "d"]);
  expect(rows.map((row) => row.unread)).toEqual([null, null, expect.stringContaining("timeout"), null, null]);
  expect(seen.slice(0, 3)).toEqual(["together", "together", "together"]);
  await recorder.stop();
});

test("files that cannot be read, or not be made, change nothing", () => {
  using directory = temporaryDirectory();
  const { path } = directory;
  for (const damaged of ["", "x", '{"a":1}', "null", "[[]]"]) {
    writeFileSync(join(path, "reading"), damaged);
    writeFileSync(join(path, "crashed.json"), damaged);
    const note = new ReadingNote(path, "the thread ended");
    expect(note.faultOf(ID)).toBeUndefined();
    note.close();
  }
  const nowhere = new ReadingNote(join(path, "nowhere"));
  nowhere.begin(ID, "read");
  nowhere.clear();
  nowhere.close();
  expect(readNote(join(path, "nowhere"))).toBeUndefined();
});

test("what is noted is gone once nothing is prepared", async () => {
  await using there = await rig();
  const id = pass(there.spool);
  await there.recorder.barrier();
  expect(await there.row(id)).toMatchObject({ unread: null, request_model: "m-1" });
  expect(readNote(join(there.directory, "spool"))).toBeUndefined();
});

/** Starts a recorder over what a crash left: a spool with an exchange that the one before did not survive. */
async function afterCrash(there: Rig, step: Step, options: Parameters<typeof startRecorder>[1]) {
  await there.recorder.stop();
  const id = pass(there.spool, { request: '{"model":"bad"}' });
  endIn(join(there.directory, "spool"), id, step);
  const recorder = startRecorder(there.directory, {
    bodyKey: there.spool.bodyKey,
    ended: "the thread ended",
    ...options,
  });
  await recorder.barrier();
  return { id, recorder };
}

for (const [step, request] of [
  ["read", '{"model":"bad"}'],
  ["plugins", '{"model":"bad"}'],
  ["raw", undefined],
] as const)
  test(`an exchange that ended the thread at the step ${step} is passed over, and the others are read`, async () => {
    await using there = await rig();
    const read: unknown[] = [];
    const { id, recorder } = await afterCrash(there, step, {
      readExchange: (input) => {
        read.push(input.requestBody?.model);
        return {};
      },
    });
    const beside = pass(there.spool, { request: '{"model":"good"}' });
    await recorder.barrier();
    const doing = step === "plugins" ? "while plugins saw it" : "while it was read";
    expect(await there.row(id)).toMatchObject({
      unread: `crash: the thread ended ${doing}`,
      response_status: 200,
      request_model: null,
    });
    expect((await there.body(id, "request"))?.content.toString()).toBe(request as string);
    expect((await there.row(beside)).unread).toBeNull();
    expect(read).toEqual(["good"]);
    expect(await recorder.metrics()).toContain('weir_records_unread_total{reason="crash"} 1');
    expect(existsSync(join(there.directory, "spool", "crashed.json"))).toBe(false);
    await recorder.stop();
  });

const provider = (end: string) => `export default {
  apiVersion: 1, name: "ACME", hosts: ["api.acme.test"], wireSchemas: [{ path: /./, schema: "chat-completions" }],
  readRequest: (body) => { if (body?.model === "bad") { ${end} } return {}; },
};`;

for (const [what, end, reason] of [
  ["ends its thread", "process.exit(3)", "the thread ended"],
  ["is stuck in native code", '/(x*)*(x*)*y/.test("x".repeat(3e5))', "more than 0.5 s of CPU time were used"],
] as const)
  test(`a provider that ${what} stops no recording`, async () => {
    using directory = temporaryDirectory();
    const spoolDirectory = join(directory.path, "spool");
    const spool = spoolIn(spoolDirectory);
    const folders = { providers_dir: join(directory.path, "providers"), plugins_dir: join(directory.path, "plugins") };
    const config = configIn(directory.path, { log_level: "error", ...folders });
    await mkdir(folders.providers_dir);
    await writeFile(join(folders.providers_dir, "acme.ts"), provider(end));
    const recorder = new Supervised<RecorderFunctions>({
      name: "recorder",
      start: (ended) =>
        startThread("src/recorder/worker.ts", { config, ...(ended && { ended }) } satisfies ThreadOptions),
      onStarted: (remote) => remote.ready(),
      log: keptLog().log,
    });
    const stopWatching = watchReading({
      directory: spoolDirectory,
      onStuck: (stuck) => recorder.end(stuck),
      limitMs: 500,
      lookMs: 50,
    });
    await recorder.started();
    const begin = { provider: "ACME", target: "https://api.acme.test" };
    const good = '{"model":"good","messages":[]}';
    const ids = [good, '{"model":"bad","messages":[]}', good].map((request) => pass(spool, { begin, request }));
    const { barrier } = recorder.forward(["barrier"]);
    const isThrough = () =>
      barrier().then(
        () => true,
        () => false,
      );
    await until(isThrough);
    const store = await openStore(config, "read");
    const rows = await Promise.all(ids.map((id) => readRow(store, id)));
    expect(rows.map(({ unread }) => unread)).toEqual([null, `crash: ${reason} while it was read`, null]);
    await store.close();
    stopWatching();
    await recorder.stop("stop", 60_000);
    await spool.close();
  });

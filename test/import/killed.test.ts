import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { checkpointPath } from "../../src/import/checkpoint.ts";
import { KEY, startWeir, type Weir } from "../e2e/weir.ts";
import { type Folder, makeFolder, run } from "../export/run-in-test.ts";
import { importInto } from "./run-import.ts";

const RECORDS = 3_000;

let folder: Folder;
let file: string;
let expected: string;

beforeAll(async () => {
  folder = await makeFolder();
  file = folder.file("history.jsonl");
  const lines = Array.from({ length: RECORDS }, (_, index) => JSON.stringify(makeRecord(index)));
  await writeFile(file, `${lines.join("\n")}\nbroken\n`);
  await using unbroken = await startWeir();
  expect(await importInto(unbroken.api, [file])).toMatchObject({ status: 1 });
  expected = await exportAll(unbroken);
  expect(expected.split("\n").length).toBe(RECORDS + 1);
}, 300_000);
afterAll(() => folder[Symbol.asyncDispose]());

function makeRecord(index: number) {
  const content = `text ${index} ${"x".repeat(index % 50 === 0 ? 5_000 : 50)}`;
  return {
    request_id: `00000000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`,
    request_created_at: new Date(Date.UTC(2026, 9, 1) + index * 1_000).toISOString(),
    request_path: "/v1/chat/completions",
    model: "gpt-4o",
    provider: "OPENAI",
    response_status: 200,
    cost: index / 1e6,
    properties: { Team: index % 2 === 0 ? "night" : "day" },
    request_body: { model: "gpt-4o", messages: [{ role: "user", content }] },
    response_body: { object: "chat.completion", choices: [{ message: { role: "assistant", content } }] },
  };
}

async function exportAll(weir: Weir): Promise<string> {
  const argv = ["--include-body", "--output", "-", "--start-date", "2026-09-01"];
  const { status, stdout, stderr } = await run(weir.api, argv, {}, { WEIR_API_KEY: KEY });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout.toString();
}

/** Stands between an import and its service, to be there when a call is on its way. */
function startDoor(weir: Weir) {
  let callsLeft = Number.POSITIVE_INFINITY;
  let onItsWay = Promise.withResolvers<void>();
  let struck = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { method, headers, url } = request;
      const body = await request.bytes();
      const passed = fetch(weir.api + new URL(url).pathname, { method, headers, body }).catch(
        () => new Response(null, { status: 502 }),
      );
      if (callsLeft > 0) {
        const response = await passed;
        // A busy service may refuse a call, which is sent again.
        if (response.ok) callsLeft--;
        return response;
      }
      onItsWay.resolve();
      await struck.promise;
      return passed;
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Runs an import in a process of its own and calls `strike` while the service works on the call after `calls` others. */
    async interrupt(calls: number, strike: (pid: number) => Promise<unknown> | unknown) {
      callsLeft = calls;
      onItsWay = Promise.withResolvers<void>();
      struck = Promise.withResolvers<void>();
      const env = { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: this.url };
      const child = spawn(process.execPath, [new URL("child.ts", import.meta.url).pathname, file], { env });
      const ended = once(child, "exit");
      await onItsWay.promise;
      await strike(child.pid!);
      struck.resolve();
      await ended;
      callsLeft = Number.POSITIVE_INFINITY;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function callsMade(): Promise<number> {
  return (JSON.parse(await readFile(checkpointPath(file), "utf8")) as { number: number }).number / 500;
}

test("an import that is killed, and killed again, continues and ends with the same records", async () => {
  await using weir = await startWeir();
  await using door = startDoor(weir);
  for (const calls of [1, 4]) {
    await door.interrupt(calls, (pid) => process.kill(pid, "SIGKILL"));
    expect(await callsMade()).toBe(calls);
  }
  const { status, stderr } = await importInto(door.url, [file, "--resume"]);
  expect(status).toBe(1); // the broken line is still broken
  expect(stderr).toContain("1 not taken");
  const [, imported = "", existing = ""] = /([\d,]+) records imported, ([\d,]+) existed/.exec(stderr) ?? [];
  const seen = Number(imported.replace(",", "")) + Number(existing.replace(",", ""));
  expect(seen).toBe(RECORDS - 4 * 500);
  expect(await exportAll(weir)).toBe(expected);
  expect(await Bun.file(checkpointPath(file)).exists()).toBe(false);
}, 300_000);

test("a service that is killed in the middle has whole records, and the import again brings the rest", async () => {
  await mkdir(folder.file("data"));
  const weir = await startWeir({ dataDirectory: folder.file("data") });
  await using door = startDoor(weir);
  await door.interrupt(2, () => weir.kill());
  await using again = await startWeir({ dataDirectory: folder.file("data") });
  const part = (await exportAll(again)).split("\n").slice(0, -1);
  const whole = new Set(expected.split("\n"));
  expect(part.length).toBeGreaterThanOrEqual(1_000);
  expect(part.filter((line) => !whole.has(line))).toEqual([]);
  const { stderr } = await importInto(again.api, [file]);
  expect(stderr).toContain(`${(RECORDS - part.length).toLocaleString("en-US")} records imported`);
  expect(await exportAll(again)).toBe(expected);
}, 300_000);

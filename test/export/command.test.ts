import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { OPTIONS } from "../../src/export/options.ts";
import { commandLine } from "../cli/terminal.ts";
import { type Fault, KEY, startApi } from "./api-server.ts";
import { makeRecord } from "./records.ts";
import { makeFolder } from "./run-in-test.ts";

const RECORDS = Array.from({ length: 3000 }, (_, index) => makeRecord(index));
const MAIN = `${import.meta.dir}/../../src/main.ts`;

test("help explains every option", async () => {
  const { run } = commandLine();
  const help = await run("help", "export");
  for (const name of Object.keys(OPTIONS)) expect(help.out).toContain(`--${name}`);
  expect(help.out).not.toContain("--config");
  expect(await run("export", "--help")).toEqual(help);
  expect((await run("help")).out).toContain("  export ");
});

test("without a key it is bad usage, whatever the service's own configuration says", async () => {
  const { run } = commandLine({ WEIR_NONSENSE: "1" });
  expect(await run("export")).toMatchObject({ status: 2, out: "", err: expect.stringContaining("WEIR_API_KEY") });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends the program with %i, and --resume finishes the file", async (signal, status) => {
  await using folder = await makeFolder();
  const output = folder.file("out.jsonl");
  const stuck = (number: number): Fault | undefined => (number > 3 && !released ? { kind: "hang" } : undefined);
  let released = false;
  await using api = await startApi({ records: RECORDS, fault: stuck });
  const start = (...more: string[]) =>
    Bun.spawn(
      [process.execPath, MAIN, "export", "--quiet", "--start-date", "2026-01-01", "--output", output, ...more],
      {
        env: { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: api.url },
        stderr: "pipe",
      },
    );
  const child = start();
  while (api.calls.length < 5 && child.exitCode === null) await Bun.sleep(2);
  child.kill(signal);
  expect(await child.exited).toBe(status);
  expect(await new Response(child.stderr).text()).toBe(`weir export: stopped by ${signal}; continue with --resume\n`);

  released = true;
  expect(await start("--resume").exited).toBe(0);
  expect((await readFile(output, "utf8")).split("\n").length - 1).toBe(RECORDS.length);
});

test("a reader of stdout that leaves early, as head does, ends it without a word", async () => {
  await using api = await startApi({ records: RECORDS });
  const child = Bun.spawn(
    ["sh", "-c", `"$0" "$1" export --start-date 2026-01-01 --quiet --output - | head -n 2`, process.execPath, MAIN],
    { env: { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: api.url }, stdout: "pipe", stderr: "pipe" },
  );
  expect((await new Response(child.stdout).text()).split("\n").length).toBe(3);
  expect(await new Response(child.stderr).text()).toBe("");
});

test("an import from stdin ends with a signal, though nothing more comes from there", async () => {
  const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
  await using api = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      onCall();
      return Response.json({ data: { imported: 500, existing: 0, rejected: [] }, error: null });
    },
  });
  const child = Bun.spawn([process.execPath, MAIN, "import", "-", "--quiet"], {
    env: { ...process.env, WEIR_API_KEY: KEY, WEIR_API_URL: api.url.href },
    stdin: "pipe",
    stderr: "pipe",
  });
  child.stdin.write("{}\n".repeat(500));
  await child.stdin.flush();
  await called;
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
  expect(await new Response(child.stderr).text()).toBe("weir import: stopped by SIGTERM; run it again\n");
});

test("a key that stdout does not take is a failure", async () => {
  await using folder = await makeFolder();
  const child = Bun.spawn(["sh", "-c", '"$0" "$1" keys create --name lost > /dev/full', process.execPath, MAIN], {
    env: { WEIR_DATA_DIR: folder.file("data") }, // not the variables of tests, which the program refuses
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toMatch(/\nweir: stdout cannot be written: ENOSPC.*\n$/);
  expect(await child.exited).toBe(1);
});

import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { configIn } from "../recorder/harness.ts";

/** Without the settings of the run of tests, which the program does not know. */
const ENVIRONMENT = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");

test("without a service deleted bytes are erased and files are compacted by commands, and what is kept stays", async () => {
  using home = temporaryDirectory();
  const directory = join(home.path, "weir-data");
  const run = async (...words: string[]) => {
    const child = Bun.spawn([process.execPath, ...words], {
      cwd: home.path,
      env: ENVIRONMENT,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { status: await child.exited, out, err };
  };
  const keptFile = join(home.path, "kept");
  expect((await run(MAIN, "keys", "create", "--name", "first")).status).toBe(0);
  const filled = await run(join(import.meta.dir, "fill-storage.ts"), directory, keptFile);
  expect(filled.status).toBe(0);
  const kept = filled.out.trim().split("\n").at(-1)!;

  const erased = await run(MAIN, "storage", "erase");
  expect(erased).toMatchObject({
    status: 0,
    err: "no deleted bytes are left in the database's files and the journal\n",
  });
  const file = join(directory, "bodies.db");
  const before = statSync(file);
  const compacted = await run(MAIN, "compact");
  expect(compacted.err).toMatch(/^weir\.db: .* now\nbodies\.db: 3\.\d MB before, 0\.\d MB now\n$/);
  expect(compacted.status).toBe(0);
  expect(statSync(file).size).toBeLessThan(before.size / 5);
  expect(statSync(file).mode).toBe(before.mode);

  const again = await openStore(configIn(directory), "change");
  const { request } = (await again.content.get([kept], ["request"])).get(kept)!;
  expect(Buffer.compare(request!.content, readFileSync(keptFile))).toBe(0);
  const [page] = await again.bodies.query({
    sql: "select page_size, auto_vacuum from pragma_page_size, pragma_auto_vacuum",
    args: [],
  });
  expect(page).toEqual({ page_size: 4_096, auto_vacuum: 2 });
  await again.close();
});

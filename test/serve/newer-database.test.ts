import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { runCommand, startWeir, type Weir } from "../e2e/weir.ts";

/** Says in the database file that a Weir of the future has been here. */
function age(path: string, target: string): void {
  const database = new Libsql(path);
  database.exec(`insert into migrations values ('${target}', 999, 'of the future', 0)`);
  database.close();
}

const PAIR = { WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" };

/** What a service leaves that has run once, with the European pair beside it. */
const left = mkdtempSync(join(tmpdir(), "weir-newer-"));
let env: Weir["env"];
beforeAll(async () => {
  const weir = await startWeir({ dataDirectory: left, env: PAIR });
  const { WEIR_EU_GATEWAY_PORT, WEIR_EU_API_PORT, ...alone } = weir.env;
  env = alone;
  await weir.stop();
}, 300_000);
afterAll(() => rmSync(left, { recursive: true, force: true }));

/** A copy of it, and the variables of a service there. */
function copied() {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-newer-"));
  cpSync(left, dataDirectory, { recursive: true });
  return { dataDirectory, env: { ...env, WEIR_DATA_DIR: dataDirectory } };
}

test.concurrent.each([
  ["records", "weir.db", false],
  ["bodies", "bodies.db", false],
  ["records", "weir.db", true],
  ["bodies", "bodies.db", true],
])(
  "a database (%s) of a newer Weir stops a start that has keys; %s, locked: %p",
  async (target, file, locked) => {
    const { dataDirectory, env } = copied();
    age(join(dataDirectory, file), target);
    // Where nothing can be written the service would start with the keys that it can read.
    const holder = locked ? new Libsql(join(dataDirectory, "bodies.db")) : undefined;
    holder?.exec("begin immediate");
    const start = await runCommand(env, "serve");
    expect(start).toMatchObject({ status: 1, stdout: "" });
    expect(start.stderr).toContain(`weir: the database (${target}) has version 999, this program knows `);
    expect(start.stderr).not.toContain("weir is serving");
    if (!locked) expect(start.stderr.trimEnd()).not.toContain("\n");
    const listed = await runCommand(env, "keys", "list");
    if (!locked) expect(listed).toMatchObject({ status: 1, stderr: expect.stringContaining("start the newer Weir") });
    holder?.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  },
  300_000,
);

test.concurrent("a newer database of the European pair stops the start too", async () => {
  const { dataDirectory, env } = copied();
  age(join(dataDirectory, "eu", "weir.db"), "records");
  const start = await runCommand({ ...env, ...PAIR }, "serve");
  expect(start).toMatchObject({ status: 1, stdout: "" });
  expect(start.stderr).toContain("weir: the database (records) has version 999");
  rmSync(dataDirectory, { recursive: true, force: true });
}, 300_000);

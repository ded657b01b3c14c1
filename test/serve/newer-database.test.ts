import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { runCommand, startWeir } from "../e2e/weir.ts";

/** Says in the database file that a Weir of the future has been here. */
function age(path: string, target: string): void {
  const database = new Libsql(path);
  database.exec(`insert into migrations values ('${target}', 999, 'of the future', 0)`);
  database.close();
}

test.each([
  ["records", "weir.db", false],
  ["bodies", "bodies.db", false],
  ["records", "weir.db", true],
  ["bodies", "bodies.db", true],
])(
  "a database (%s) of a newer Weir stops a start that has keys; %s, locked: %p",
  async (target, file, locked) => {
    const dataDirectory = mkdtempSync(join(tmpdir(), "weir-newer-"));
    const weir = await startWeir({ dataDirectory });
    await weir.stop();
    age(join(dataDirectory, file), target);
    // Where nothing can be written the service would start with the keys that it can read.
    const holder = locked ? new Libsql(join(dataDirectory, "bodies.db")) : undefined;
    holder?.exec("begin immediate");
    const start = await runCommand(weir.env, "serve");
    expect(start).toMatchObject({ status: 1, stdout: "" });
    expect(start.stderr).toContain(`weir: the database (${target}) has version 999, this program knows `);
    expect(start.stderr).not.toContain("weir is serving");
    const listed = await runCommand(weir.env, "keys", "list");
    if (!locked) expect(listed).toMatchObject({ status: 1, stderr: expect.stringContaining("start the newer Weir") });
    holder?.close();
    rmSync(dataDirectory, { recursive: true, force: true });
  },
  300_000,
);

test("a newer database of the European pair stops the start too", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-newer-"));
  const weir = await startWeir({ dataDirectory, env: { WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" } });
  await weir.stop();
  age(join(dataDirectory, "eu", "weir.db"), "records");
  const start = await runCommand(weir.env, "serve");
  expect(start).toMatchObject({ status: 1, stdout: "" });
  expect(start.stderr).toContain("weir: the database (records) has version 999");
  rmSync(dataDirectory, { recursive: true, force: true });
}, 300_000);

import { expect, test } from "bun:test";
import { join } from "node:path";
import Libsql from "libsql";
import { snapshotKeys } from "../../src/store/keys.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { runCommand } from "../e2e/weir.ts";
import { configIn } from "../recorder/harness.ts";
import { commandLine, openedCommandLine } from "./terminal.ts";

test.each(["weir.db", "bodies.db"])(
  "a command waits while another writer holds %s",
  async (file) => {
    const cli = await openedCommandLine();
    const holder = new Libsql(join(cli.directory, "weir-data", file));
    holder.exec("begin exclusive");
    const made = cli.run("keys", "create", "--name", "waits");
    const listed = cli.run("keys", "list", "--json");
    // Longer than a statement waits for a lock by itself.
    const done = await Promise.race([made, Bun.sleep(700)]);
    expect(done).toBe(undefined as never);
    holder.exec("commit");
    holder.close();
    expect(await made).toMatchObject({ status: 0, out: expect.stringMatching(/^sk-weir-us-\w+\n$/) });
    expect(await listed).toMatchObject({ status: 0 });
  },
  300_000,
);

test("six commands that begin at once make six keys in one database", async () => {
  const cli = commandLine();
  const made = await Promise.all(Array.from({ length: 6 }, (_, n) => cli.run("keys", "create", "--name", `n${n}`)));
  expect(made.map(({ status, err }) => [status, status === 0 ? "" : err])).toEqual(Array(6).fill([0, ""]));
  const { out } = await cli.run("keys", "list", "--json");
  expect(JSON.parse(out)).toHaveLength(6);
}, 300_000);

test("so do six processes, and each prints its own key", async () => {
  using directory = temporaryDirectory();
  const env = { PATH: process.env["PATH"] ?? "", WEIR_DATA_DIR: join(directory.path, "data") };
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, n) => runCommand(env, "keys", "create", "--name", `n${n}`)),
  );
  expect(made.map(({ status, stderr }) => [status, status === 0 ? "" : stderr])).toEqual(Array(6).fill([0, ""]));
  expect(new Set(made.map(({ stdout }) => /^sk-weir-us-\w+\n$/.exec(stdout)?.[0])).size).toBe(6);
  const store = await openStore(configIn(env.WEIR_DATA_DIR), "read");
  const names = (await snapshotKeys(store.records)).map(({ name }) => name);
  await store.close();
  expect(names.sort()).toEqual(["n0", "n1", "n2", "n3", "n4", "n5"]);
}, 300_000);

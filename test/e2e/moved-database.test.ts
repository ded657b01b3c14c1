import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLoad } from "./load.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { recordsOf, runCommand, startWeir, until } from "./weir.ts";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream?.close());

/** Far longer than anything here takes on a machine that does something else as well. */
const LIMIT_MS = 180_000;

/** Ends the recorder's thread with an error that is not caught, once a file with this name is there. */
const KILLER = `
import { existsSync, rmSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
export default { apiVersion: 1, name: "killer", setup: () => {
  const order = process.env.WEIR_DATA_DIR + "/kill-the-recorder";
  const look = () => {
    if (!existsSync(order)) return;
    rmSync(order);
    throw new Error("killed by order");
  };
  if (!isMainThread) setInterval(look, 10);
  return {};
} };`;

test("a recorder killed while the database is moved away waits for its return, and nothing is missing", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-moved-"));
  mkdirSync(join(dataDirectory, "plugins"));
  writeFileSync(join(dataDirectory, "plugins", "killer.ts"), KILLER);
  const away = join(dataDirectory, "away");
  mkdirSync(away);
  const databases = () => readdirSync(dataDirectory).filter((name) => /^(weir|bodies)\.db/.test(name));
  try {
    await using weir = await startWeir({ dataDirectory });
    const degraded = async () =>
      ((await (await fetch(`${weir.api}/readyz`)).json()) as { degraded: string[] }).degraded;
    const says = (line: string) =>
      until(
        async () => `\n${await (await fetch(`${weir.api}/metrics`)).text()}`.includes(`\n${line}\n`),
        LIMIT_MS,
        () => `/metrics does not say ${line}`,
      );
    const load = startLoad(weir.gatewayPort, upstream.origin, 8);
    const complete = () => load.seen.filter((each) => each.complete);
    const passed = async (more: number) => {
      const before = complete().length;
      await until(
        () => complete().length >= before + more,
        LIMIT_MS,
        () => "no traffic passes",
      );
    };
    await passed(40);
    await says("weir_database_usable 1");

    const files = databases();
    for (const name of files) renameSync(join(dataDirectory, name), join(away, name));
    await passed(40);
    await until(
      async () => (await degraded()).some((each) => /^recorder: .*is missing$/.test(each)),
      LIMIT_MS,
      () => `nothing says that the database is missing; log: ${weir.log().slice(-2_000)}`,
    );
    const order = join(dataDirectory, "kill-the-recorder");
    writeFileSync(order, "");
    const started = /the recorder thread ended and is restarted[\s\S]*records cannot be written[^\n]*is missing/;
    await until(
      () => !existsSync(order) && started.test(weir.log()),
      LIMIT_MS,
      () => `the recorder was not started again; log: ${weir.log().slice(-2_000)}`,
    );
    await passed(40);
    expect(databases()).toEqual([]);
    await until(
      async () => (await degraded()).includes("the recorder thread does not serve yet"),
      LIMIT_MS,
      () => "nothing says that the recorder does not serve",
    );
    await says("weir_database_usable 0");
    const command = await runCommand(weir.env, "keys", "list");
    expect(command.stderr).toContain("is missing");
    expect(databases()).toEqual([]);

    for (const name of files) renameSync(join(away, name), join(dataDirectory, name));
    await passed(40);
    await load.stop();
    const ids = load.seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await recordsOf(weir, ids, LIMIT_MS);
    await until(
      async () => (await degraded()).length === 0,
      LIMIT_MS,
      () => "it still says that something is wrong",
    );
    await says("weir_database_usable 1");
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);

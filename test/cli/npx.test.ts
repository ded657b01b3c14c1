import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, startWeir } from "../e2e/weir.ts";

const program = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const bin = join(ROOT, program.bin.weir);

test("the package's command runs on Node, passes on arguments, output and the exit status", () => {
  const version = spawnSync("node", [bin, "--version"], { encoding: "utf8" });
  expect(version).toMatchObject({ status: 0, stdout: `weir ${program.version}\n` });
  const wrong = spawnSync("node", [bin, "sreve"], { encoding: "utf8" });
  expect(wrong).toMatchObject({ status: 2, stdout: "" });
  expect(wrong.stderr).toContain("serve");
});

test("a service that it started ends well on SIGTERM", async () => {
  const weir = await startWeir({ command: ["node", bin] });
  expect((await fetch(`${weir.api}/healthz`)).status).toBe(200);
  expect(await weir.stop()).toBe(0);
});

test("the package holds what the program reads at run time", () => {
  const folders = program.files.filter((name: string) => !name.includes("*") && name !== "dist/web");
  expect(folders.filter((name: string) => !existsSync(join(ROOT, name)))).toEqual([]);
  expect(program.files).toEqual(expect.arrayContaining(["bin", "src", "providers", "plugins", "dist/web"]));
});

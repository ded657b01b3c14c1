import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./directory.ts";
import { allTests, fastTests, LONG_TESTS, processStarter, sharingTests } from "./sets.ts";

test.each([
  ["none", `import { join } from "node:path"; join("a");`, undefined],
  ["child_process", `import { spawn } from "node:child_process"; spawn("true");`, ["test/a.test.ts"]],
  ["Bun.spawn", `Bun.spawn(["true"]);`, ["test/a.test.ts"]],
  ["Bun.spawnSync", `Bun.spawnSync(["true"]);`, ["test/a.test.ts"]],
  ["Bun's shell", `import { $ } from "bun"; await $\`true\`;`, ["test/a.test.ts"]],
  ["a helper", `import { start } from "./b.ts"; start();`, ["test/a.test.ts", "test/b.ts"]],
  ["a helper's helper", `import { x } from "./c.ts"; x();`, ["test/a.test.ts", "test/c.ts", "test/b.ts"]],
  ["a helper that is imported later", `await import("./b.ts");`, ["test/a.test.ts", "test/b.ts"]],
  ["a script of build/", `import { x } from "../build/d.ts"; x();`, ["test/a.test.ts", "build/d.ts"]],
  ["a helper's types alone", `import type { T } from "./b.ts"; let t: T;`, undefined],
  ["the program itself", `import { x } from "../src/e.ts"; x();`, undefined],
])("a test starts a process by: %s", (_name, text, chain) => {
  using root = temporaryDirectory("sets");
  const files = {
    "test/a.test.ts": text,
    "test/b.ts": `import { spawn } from "node:child_process"; export type T = 1; export const start = () => spawn("true");`,
    "test/c.ts": `import { start } from "./b.ts"; import { x } from "./c.ts"; export { start, x };`,
    "build/d.ts": `export const x = () => Bun.spawnSync(["true"]);`,
    "src/e.ts": `import { spawn } from "node:child_process"; export const x = () => spawn("true");`,
  };
  for (const folder of ["test", "build", "src"]) mkdirSync(join(root.path, folder));
  for (const [path, content] of Object.entries(files)) writeFileSync(join(root.path, path), content);
  expect(processStarter("test/a.test.ts", root.path)).toEqual(chain);
  expect(fastTests(root.path)).toEqual(chain === undefined ? ["test/a.test.ts"] : []);
});

test("the fast tests are most of the tests, and none of those that start the service", () => {
  const fast = new Set(fastTests());
  const slow = allTests().filter((file) => !fast.has(file));
  expect(fast.size).toBeGreaterThan(slow.length);
  expect([...fast].filter((file) => file.startsWith("test/e2e/"))).toEqual([]);
  for (const file of ["test/filter/written.test.ts", "test/api/errors.test.ts", "test/web/path.test.ts"])
    expect(fast).toContain(file);
  expect(LONG_TESTS.filter((file) => !slow.includes(file) || processStarter(file) !== undefined)).toEqual([]);
});

test.each([
  ["nothing but its own", `expect(1).toBe(1);`, true],
  ["the clock", `setSystemTime(new Date(0));`, false],
  ["a module", `mock.module("./a.ts", () => ({}));`, false],
  ["a method", `spyOn(console, "log");`, false],
  ["the environment", `process.env["A"] = "1";`, false],
  ["the environment, by a name", `process.env.A = "1";`, false],
  ["the environment it only reads", `if (process.env["A"] === "1") run();`, true],
  ["a global", `globalThis.fetch = async () => new Response();`, false],
  ["the working directory", `process.chdir("/tmp");`, false],
  ["what is reported of errors", `process.on("unhandledRejection", listen);`, false],
  ["the memory it measures", `process.memoryUsage();`, false],
  ["the clock, by a helper", `import { later } from "./b.ts"; later();`, false],
  ["a process it starts", `Bun.spawn(["true"]);`, false],
])("a test shares its process unless it changes or measures: %s", (_name, text, shares) => {
  using root = temporaryDirectory("sets");
  mkdirSync(join(root.path, "test"));
  writeFileSync(join(root.path, "test/a.test.ts"), text);
  writeFileSync(join(root.path, "test/b.ts"), `export const later = () => setSystemTime(new Date(0));`);
  expect(sharingTests(root.path)).toEqual(shares ? ["test/a.test.ts"] : []);
});

test("most of the fast tests and some of the long ones share a process", () => {
  const fast = fastTests();
  const sharing = sharingTests();
  expect(sharing.filter((file) => !fast.includes(file) && !LONG_TESTS.includes(file))).toEqual([]);
  expect(sharing.length).toBeGreaterThan(fast.length * 0.9);
  expect(sharing).toContain("test/gateway/unified/matrix/matrix.test.ts");
});

test("an expected rejection is awaited: otherwise it sometimes counts as unhandled, and fails the test", () => {
  const files = [...new Bun.Glob("**/*.ts").scanSync(import.meta.dir)];
  const left = files.filter((file) =>
    /^\s*expect\(.*\)\.(?:rejects|resolves)\./m.test(readFileSync(join(import.meta.dir, file), "utf8")),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(left).toEqual([]);
});

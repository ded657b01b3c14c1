import { expect, test } from "bun:test";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../../src/config.ts";
import { openHooks, openRegistry } from "../../src/plugin-host/live.ts";
import { until } from "../until.ts";
import { dropInFolder, keptLog } from "./folder.ts";

const configOf = (path: string) =>
  ({ ...(Value.Create(CONFIG_SCHEMA) as Config), plugins_dir: path, providers_dir: path }) as Config;

test("a drop-in provider is shown along with the built-in that it replaces", async () => {
  await using there = await dropInFolder();
  const file = await there.write(
    "mine.ts",
    `export default { apiVersion: 1, name: "OPENAI", extends: "OPENAI", hosts: ["one.test"], dedicatedDomain: "mine",
      cost: () => 1 };`,
  );
  const registry = await openRegistry({ config: configOf(there.path), log: keptLog().log });
  const rows = registry.view().filter(({ name }) => name === "OPENAI");
  expect(rows).toMatchObject([
    { state: "replaced", source: "built-in", reason: null, hasCostRule: false },
    {
      state: "loaded",
      source: "drop-in",
      file,
      hosts: ["one.test"],
      dedicatedDomain: "mine",
      extends: "OPENAI",
      hasCostRule: true,
    },
  ]);
  registry.close();
});

test("a new file that does not load has failed, a changed one is loaded as it was; both say why and come first", async () => {
  await using there = await dropInFolder();
  const changed = await there.write(
    "changed.ts",
    `export default { apiVersion: 1, name: "ZZZ", hosts: ["one.test"] };`,
  );
  const registry = await openRegistry({ config: configOf(there.path), log: keptLog().log });
  await there.write("changed.ts", "export default {");
  await there.write("new.ts", "throw new Error('<img src=x onerror=alert(1)>');");
  await until(() => registry.degraded().length === 2);
  const [second, first, third] = registry.view();
  expect(first).toMatchObject({ name: "ZZZ", file: changed, state: "loaded", hosts: ["one.test"] });
  expect(first!.reason).toStartWith("line 1");
  expect(second).toMatchObject({ name: null, file: join(there.path, "new.ts"), state: "failed", hosts: [] });
  expect(second!.reason).toContain("<img src=x onerror=alert(1)>");
  expect(third!.reason).toBeNull();
  registry.close();
});

test("a file that does not fit the others says what it collides with", async () => {
  await using there = await dropInFolder();
  const registry = await openRegistry({ config: configOf(there.path), log: keptLog().log });
  await there.write("lost.ts", `export default { apiVersion: 1, name: "LOST", extends: "NOBODY" };`);
  await until(() => registry.degraded().length === 1);
  const [row] = registry.view();
  expect(row).toMatchObject({ name: null, state: "failed" });
  expect(row!.reason).toContain('"NOBODY", which no provider has');
  registry.close();
});

test("a plugin is shown with its hooks and endpoints, the version in use where the newest fails", async () => {
  await using there = await dropInFolder();
  const text = (setup: string) => `export default { apiVersion: 1, name: "door", setup: () => { ${setup} } };`;
  await there.write(
    "door.ts",
    text(`return { onRequest() {}, onRecord() {}, dispose() {},
      routes: [{ method: "GET", path: "/v1/doors", scope: "read", summary: "Doors", handle: () => ({ data: [] }) }] };`),
  );
  const live = await openHooks({ config: configOf(there.path), log: keptLog().log });
  const door = () => live.view().find(({ name }) => name === "door");
  const hooks = { hooks: ["onRequest", "onRecord"], routes: ["GET /v1/doors"] };
  expect(door()).toMatchObject({ state: "loaded", source: "drop-in", reason: null, ...hooks });
  expect(live.view().find(({ name }) => name === "rate-limits")).toMatchObject({ source: "built-in", state: "loaded" });
  await there.write("door.ts", text("throw new Error('not today');"));
  await until(() => live.degraded().length > 0);
  expect(door()).toMatchObject({ state: "loaded", ...hooks });
  expect(door()!.reason).toContain("not today");
  await live.close();
});

import { expect, test } from "bun:test";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../../src/config.ts";
import type { GatewayRequest } from "../../src/plugin-host/contract.ts";
import { openHooks, openRegistry } from "../../src/plugin-host/live.ts";
import { until } from "../until.ts";
import { dropInFolder, keptLog } from "./folder.ts";

const provider = (name: string, more = "") => `export default { apiVersion: 1, name: "${name}", ${more} };`;
const request = {} as GatewayRequest;

async function registryOf(path: string) {
  const { log, lines } = keptLog();
  const registry = await openRegistry({ config: { providers_dir: path, plugins_dir: "" } as Config, log });
  return { registry, lines, [Symbol.dispose]: () => registry.close() };
}

test("a provider that is dropped in, changed and removed is followed without a restart", async () => {
  await using there = await dropInFolder();
  using live = await registryOf(there.path);
  const { registry } = live;
  await there.write("a.ts", provider("ACME", "hosts: ['one.test']"));
  await until(() => registry.current().providerByHost("one.test") !== undefined);
  await there.write("next", provider("ACME", "hosts: ['two.test']"));
  await rename(join(there.path, "next"), join(there.path, "a.ts"));
  await until(() => registry.current().providerByHost("two.test") !== undefined);
  expect(registry.current().providerByHost("one.test")).toBeUndefined();
  await rm(join(there.path, "a.ts"));
  await until(() => registry.current().providerByName("ACME") === undefined);
  expect(registry.degraded()).toEqual([]);
});

test.each([
  ["does not parse", "export default {"],
  ["does not fit", provider("acme")],
  ["loops for ever while loading", "for (;;);"],
  ["ends its thread", "process.exit(7);"],
])("a change that %s leaves the previous version in use, and is reported until it is fixed", async (_name, text) => {
  await using there = await dropInFolder();
  const path = await there.write("a.ts", provider("ACME", "hosts: ['one.test']"));
  using live = await registryOf(there.path);
  const { registry, lines } = live;
  await there.write("a.ts", text);
  await until(() => registry.degraded().length > 0);
  expect(registry.degraded()[0]).toContain(path);
  expect(registry.current().providerByHost("one.test")?.name).toBe("ACME");
  expect(lines.join("")).toContain("broken");
  await there.write("a.ts", provider("ACME", "hosts: ['three.test']"));
  await until(() => registry.current().providerByHost("three.test") !== undefined);
  expect(registry.degraded()).toEqual([]);
});

test("a change that only loads slowly, as on a machine with much to do, is retried with more time", async () => {
  await using there = await dropInFolder();
  using live = await registryOf(there.path);
  await there.write("a.ts", `while (Date.now() < ${Date.now() + 5_000}); ${provider("ACME")}`);
  await until(() => live.registry.current().providerByName("ACME") !== undefined);
  expect(live.registry.degraded()).toEqual([]);
});

test("files that only fit together once both are there are used then", async () => {
  await using there = await dropInFolder();
  using live = await registryOf(there.path);
  const { registry } = live;
  await there.write("a.ts", provider("ACME", "extends: 'LATER'"));
  await until(() => registry.degraded().length > 0);
  await there.write("b.ts", provider("LATER"));
  await until(() => registry.current().providerByName("ACME") !== undefined);
  expect(registry.degraded()).toEqual([]);
});

test("a clash of two files holds up no other file, and is over when one of them is gone", async () => {
  await using there = await dropInFolder();
  await there.write("a.ts", provider("ACME"));
  using live = await registryOf(there.path);
  const { registry } = live;
  await there.write("b.ts", provider("ACME"));
  await until(() => registry.degraded().length > 0);
  await there.write("c.ts", provider("GOOD"));
  await until(() => registry.current().providerByName("GOOD") !== undefined);
  await there.write("a.ts", provider("ACME", "aliases: ['newer']"));
  await until(() => registry.current().providerByName("newer") !== undefined);
  expect(registry.degraded()).toEqual([expect.stringContaining('the name "ACME" is taken by')]);
  await rm(join(there.path, "b.ts"));
  await until(() => registry.degraded().length === 0);
});

test("a file that another one builds on is used until that one is gone too", async () => {
  await using there = await dropInFolder();
  await there.write("a.ts", provider("ACME", "extends: 'BASE'"));
  await there.write("b.ts", provider("BASE"));
  using live = await registryOf(there.path);
  const { registry } = live;
  await rm(join(there.path, "b.ts"));
  await until(() => registry.degraded().length > 0);
  await there.write("c.ts", provider("GOOD"));
  await until(() => registry.current().providerByName("GOOD") !== undefined);
  expect(registry.current().providerByName("BASE")).toBeDefined();
  await rm(join(there.path, "a.ts"));
  await until(() => registry.current().providerByName("BASE") === undefined);
  await until(() => registry.degraded().length === 0);
});

test("a folder that appears later is followed", async () => {
  await using there = await dropInFolder();
  const path = join(there.path, "not-yet");
  using live = await registryOf(path);
  await (await import("node:fs/promises")).mkdir(path);
  await there.write("not-yet/a.ts", provider("ACME"));
  await until(() => live.registry.current().providerByName("ACME") !== undefined);
});

test("a broken drop-in stops the start", async () => {
  await using there = await dropInFolder();
  await there.write("a.ts", provider("ACME", "hots: []"));
  await expect(registryOf(there.path)).rejects.toThrow('a provider has no member "hots"; did you mean "hosts"?');
});

const plugin = (schema: string, setup: string) =>
  `export default { apiVersion: 1, name: "door", optionsSchema: ${schema}, setup: ({ options, log }) => { ${setup} } };`;

async function hooksOf(path: string, plugins: Config["plugins"] = {}) {
  const { log, lines } = keptLog();
  return {
    live: await openHooks({ config: { ...(Value.Create(CONFIG_SCHEMA) as Config), plugins_dir: path, plugins }, log }),
    lines,
  };
}

test("a plugin gets its options, is replaced when its file changes, and disposed of", async () => {
  await using there = await dropInFolder();
  const schema = `{ type: "object", properties: { code: { type: "string" }, status: { type: "integer", default: 403 } } }`;
  const setup = (mark: string) =>
    `log.info("in ${mark}"); return { onRequest: () => ({ status: options.status, code: options.code, message: "${mark}" }), dispose: () => log.info("out ${mark}") };`;
  await there.write("door.ts", plugin(schema, setup("one")));
  const { live, lines } = await hooksOf(there.path, { door: { code: "shut" } });
  expect(await live.hooks.onRequest(request)).toEqual({ status: 403, code: "shut", message: "one" });
  await there.write("door.ts", plugin(schema, setup("two")));
  await until(() => lines.some((line) => line.includes("out one")));
  expect(await live.hooks.onRequest(request)).toMatchObject({ message: "two" });
  await there.write("door.ts", plugin(schema, "throw new Error('not today');"));
  await until(() => live.degraded().length > 0);
  expect(live.degraded()[0]).toContain('the member "setup" failed: not today');
  expect(await live.hooks.onRequest(request)).toMatchObject({ message: "two" });
  await live.close();
  expect(lines.some((line) => line.includes("out two"))).toBe(true);
});

test.each([
  [{ door: { code: 3 } }, /\[plugins\.door\] code: give text/],
  [{ dor: {} }, /^configuration: \[plugins\.dor\] has options for a plugin that is not loaded; loaded: .*door/],
])("options that do not fit stop the start: %#", async (plugins, message) => {
  await using there = await dropInFolder();
  await there.write("door.ts", plugin(`{ properties: { code: { type: "string" } } }`, "return {};"));
  await expect(hooksOf(there.path, plugins)).rejects.toThrow(message);
});

import { expect, test } from "bun:test";
import { join } from "node:path";
import { loadFile, loadFolders, pluginFiles } from "../../src/plugin-host/files/load.ts";
import { dropInFolder } from "./folder.ts";

test("files of every module ending are found, by name, and nothing else", async () => {
  await using there = await dropInFolder();
  for (const name of ["b.ts", "a.js", "c.mts", "d.mjs", "e.d.ts", "f.json", "_g.ts", ".h.ts", "i.test.ts", "j.cjs"]) {
    await there.write(name, "");
  }
  const found = await pluginFiles(there.folder);
  expect(found.map(({ path }) => path.slice(there.path.length + 1))).toEqual(["a.js", "b.ts", "c.mts", "d.mjs"]);
});

test("a folder that is not there holds nothing", async () => {
  expect(await pluginFiles({ path: "/nowhere/at/all", builtIn: false })).toEqual([]);
});

test("a TypeScript provider with a type-only import loads from outside the repository", async () => {
  await using there = await dropInFolder();
  const path = await there.write(
    "acme provider.ts",
    `import type { ProviderPlugin, Usage } from "weir/plugin";
     enum Rate { in = 1 }
     export default { apiVersion: 1, name: "ACME", cost: (usage: Usage) => (usage.prompt_tokens ?? 0) * Rate.in } satisfies ProviderPlugin;`,
  );
  const { value } = await loadFile("provider", path, false);
  expect(value.cost?.({ prompt_tokens: 3 }, "m", undefined as never)).toBe(3);
});

test.each(["acme#1.ts", "acme%20.ts", "100%.ts", "ä&=+.mjs"])(
  "a file called %s loads, and again once it has changed",
  async (name) => {
    await using there = await dropInFolder();
    for (const provider of ["A", "B"]) {
      const path = await there.write(name, `export default { apiVersion: 1, name: "${provider}" };`);
      expect((await loadFile("provider", path, false)).value.name).toBe(provider);
    }
  },
);

test.each([
  ["a syntax error", "export default {\n  apiVersion: 1,,\n};", /bad\.ts: line 2, column \d+: /],
  ["an error while loading", "\n\nthrow new Error('no luck');", /bad\.ts: line 3, column \d+: no luck/],
  ["no default export", "export const name = 'ACME';", /bad\.ts: it has no default export/],
  ["a value imported from the host", "import { x } from 'weir/plugin';\nexport default x;", /import only types/],
  ["a thrown text", "throw 'nothing'", /bad\.ts: .*nothing/],
])("%s is reported with file, place and reason", async (_name, text, message) => {
  await using there = await dropInFolder();
  const path = await there.write("bad.ts", text);
  await expect(loadFile("provider", path, false)).rejects.toThrow(message);
});

test("a file that never gets done with loading is reported, instead of waited for", async () => {
  await using there = await dropInFolder();
  const path = await there.write("bad.ts", "await new Promise(() => {});\nexport default {};");
  await expect(loadFile("provider", path, false, 50)).rejects.toThrow("bad.ts: loading it took longer than 50 ms");
});

test("a name with a question mark, which no address of a file can hold here, is reported", async () => {
  await using there = await dropInFolder();
  const path = await there.write("what?.ts", "export default { apiVersion: 1, name: 'ACME' };");
  await expect(loadFile("provider", path, false)).rejects.toThrow("question mark in its path: name it otherwise");
});

test("every broken file of a start is reported", async () => {
  await using there = await dropInFolder();
  await there.write("one.ts", "export default { apiVersion: 1 };");
  await there.write("two.ts", "export default { name: 'B' };");
  const failure: Error = await loadFolders("provider", [there.folder]).then(
    () => new Error("loaded"),
    (error) => error,
  );
  expect(failure.message.split("\n")).toEqual([
    `${join(there.path, "one.ts")}: the member "name" is missing`,
    `${join(there.path, "two.ts")}: the member "apiVersion" is missing`,
  ]);
});

test("a fixed file loads, and an unchanged one is the same module", async () => {
  await using there = await dropInFolder();
  const path = await there.write("a.ts", "export default { apiVersion: 1, name: 'A' ");
  await expect(loadFile("provider", path, false)).rejects.toThrow(/a\.ts: line 1/);
  await there.write("a.ts", "export default { apiVersion: 1, name: 'A' };");
  const first = await loadFile("provider", path, false);
  expect((await loadFile("provider", path, false)).value).toBe(first.value);
  await there.write("a.ts", "export default { apiVersion: 1, name: 'B' };");
  expect((await loadFile("provider", path, false)).value.name).toBe("B");
});

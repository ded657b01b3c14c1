import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLog } from "../../src/log.ts";
import { loadRegistry } from "../../src/plugin-host/providers/registry.ts";
import { ModelCatalog } from "../../src/unified/model-catalog.ts";

test.each([
  ["gpt-4o", ["AZURE", "OPENAI"]],
  ["gpt-5-mini-2099-01-01", ["AZURE", "OPENAI"]],
  ["claude-sonnet-4-5", ["ANTHROPIC", "AZURE", "GOOGLE"]],
  ["llama-3.3-70b-versatile", ["GROQ"]],
  ["no-such-model", []],
])("%s is a model of %p, not of those that only extend one of them", async (model, expected) => {
  const registry = await loadRegistry({
    directories: [{ path: join(import.meta.dir, "../../providers"), builtIn: true }],
    log: createLog({ level: "error", format: "text", write: () => {} }),
  });
  const catalog = new ModelCatalog(
    () => registry.providers,
    (name) => registry.providerByName(name),
  );
  const names = catalog.providersOf(model).map(({ name }) => name);
  expect(names.sort()).toEqual(expected);
});

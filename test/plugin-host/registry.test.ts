import { describe, expect, test } from "bun:test";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type { LoadedProvider } from "../../src/plugin-host/files/load.ts";
import { buildRegistry, loadRegistry } from "../../src/plugin-host/providers/registry.ts";
import { dropInFolder, keptLog } from "./folder.ts";

const built = (value: Omit<ProviderPlugin, "apiVersion">, builtIn = true): LoadedProvider => ({
  value: { apiVersion: 1, ...value },
  file: `${builtIn ? "built-in" : "drop-in"}/${value.name.toLowerCase()}.ts`,
  builtIn,
  hash: value.name,
});
const dropped = (value: Omit<ProviderPlugin, "apiVersion">) => built(value, false);

describe("a provider is found", () => {
  const registry = buildRegistry([
    built({ name: "OPENAI", hosts: ["api.openai.com"], dedicatedDomain: "openai", aliases: ["oai"] }),
    built({ name: "AZURE", hosts: ["*.openai.azure.com"] }),
    built({ name: "AWS", hosts: ["bedrock-runtime.*.amazonaws.com"], aliases: ["bedrock"] }),
    built({ name: "GOOGLE", hosts: ["*-aiplatform.googleapis.com", "*.google.test"] }),
    dropped({ name: "NEAR", hosts: ["near.google.test", "*.far.google.test"] }),
  ]);

  test.each([
    ["api.openai.com", "OPENAI"],
    ["api.openai.com.", "OPENAI"],
    ["api.openai.com.evil.test", undefined],
    ["xapi.openai.com", undefined],
    ["openai.azure.com", undefined],
    ["me.openai.azure.com", "AZURE"],
    ["a.b.openai.azure.com", "AZURE"],
    [".openai.azure.com", undefined],
    ["meopenai.azure.com", undefined],
    ["bedrock-runtime.eu-west-1.amazonaws.com", "AWS"],
    ["bedrock-runtime.a.b.amazonaws.com", undefined],
    ["bedrock-runtimexeu.amazonaws.com", undefined],
    ["s3.amazonaws.com", undefined],
    ["us-central1-aiplatform.googleapis.com", "GOOGLE"],
    ["near.google.test", "NEAR"],
    ["other.google.test", "GOOGLE"],
    ["x.far.google.test", "NEAR"],
    ["constructor", undefined],
  ])("by the host %p: %p", (host, name) => {
    expect(registry.providerByHost(host)?.name).toBe(name as string);
  });

  test("by name and alias in any case and spelling, and by label", () => {
    expect(registry.providerByName("OpenAI")?.name).toBe("OPENAI");
    expect(registry.providerByName("OAI")?.name).toBe("OPENAI");
    expect(registry.providerByName("bedrock")?.name).toBe("AWS");
    expect(registry.providerByName("Open AI")?.name).toBe("OPENAI");
    expect(registry.providerByName("bed_rock")?.name).toBe("AWS");
    expect(registry.providerByName("__proto__")).toBeUndefined();
    expect(registry.providerByLabel("openai")?.name).toBe("OPENAI");
    expect(registry.providerByLabel("azure")).toBeUndefined();
  });
});

describe("extends", () => {
  const cost = () => 1;
  const readEvent = () => ({});

  test("takes over reading, prices and masks, and not identity", () => {
    const registry = buildRegistry([
      built({ name: "A", cost, readEvent, mask: { headers: ["x-a"] }, hosts: ["a.test"], target: "https://a.test" }),
      built({ name: "B", extends: "A" }),
      dropped({ name: "C", extends: "B", cost: () => 2, mask: { query: ["c"] } }),
    ]);
    const c = registry.providerByName("c")!;
    expect(c.readEvent).toBe(readEvent);
    expect(c.cost?.({}, "m", undefined as never)).toBe(2);
    expect(c.mask).toEqual({ headers: ["x-a"], query: ["c"] });
    expect([c.hosts, c.target]).toEqual([undefined, undefined]);
  });

  test("tries a provider's own paths before those of the one it extends", () => {
    const [chat, all, own] = [/chat$/, /./, /own$/];
    const registry = buildRegistry([
      built({ name: "A", wireSchemas: [{ path: chat, schema: "chat-completions" }] }),
      built({ name: "B", extends: "A", wireSchemas: [{ path: all, schema: "completions" }] }),
      dropped({ name: "C", extends: "B", wireSchemas: [{ path: own, schema: "messages" }] }),
      dropped({ name: "D", extends: "B" }),
    ]);
    const paths = (name: string) => registry.providerByName(name)?.wireSchemas?.map(({ path }) => path);
    expect(paths("C")).toEqual([own, all, chat]);
    expect(paths("D")).toEqual([all, chat]);
  });

  test("of its own name extends the built-in that a drop-in replaces", () => {
    const registry = buildRegistry([
      built({ name: "A", cost }),
      dropped({ name: "A", extends: "A", hosts: ["a.test"] }),
    ]);
    expect(registry.providerByHost("a.test")?.cost).toBe(cost);
  });

  test.each([
    [[dropped({ name: "C", extends: "OPENIA" }), built({ name: "OPENAI" })], 'did you mean "OPENAI"?'],
    [[dropped({ name: "C", extends: "C" })], 'names "C", which no provider has'],
    [
      [dropped({ name: "A", extends: "B" }), dropped({ name: "B", extends: "A" })],
      'drop-in/a.ts: the member "extends" goes round: A → B → A',
    ],
  ])("that leads nowhere is refused: %#", (loaded, message) => {
    expect(() => buildRegistry(loaded)).toThrow(message);
  });
});

test("a drop-in takes over the name, hosts and label of a built-in", () => {
  const registry = buildRegistry([
    built({ name: "A", hosts: ["a.test", "*.a.test"], dedicatedDomain: "a", aliases: ["x"] }),
    built({ name: "B", hosts: ["b.test"] }),
    dropped({ name: "A", hosts: ["new.test"] }),
    dropped({ name: "C", hosts: ["b.test"] }),
  ]);
  expect(registry.providerByHost("a.test")).toBeUndefined();
  expect(registry.providerByHost("new.test")?.name).toBe("A");
  expect(registry.providerByHost("b.test")?.name).toBe("C");
  expect(registry.providers.map(({ name }) => name).sort()).toEqual(["A", "B", "C"]);
});

test.each([
  [[dropped({ name: "A" }), dropped({ name: "A" })], 'the name "A" is taken by'],
  [
    [dropped({ name: "A", hosts: ["a.test"] }), dropped({ name: "B", hosts: ["a.test"] })],
    'the host "a.test" is claimed by A',
  ],
  [[built({ name: "A", aliases: ["b"] }), built({ name: "B" })], 'the name "b" is claimed by A'],
  [[built({ name: "A", dedicatedDomain: "z" }), built({ name: "B", dedicatedDomain: "z" })], 'dedicated domain "z"'],
])("two of one kind that claim the same are refused: %#", (loaded, message) => {
  expect(() => buildRegistry(loaded)).toThrow(message);
});

test("the start logs which built-in a drop-in replaces", async () => {
  await using shipped = await dropInFolder(true);
  await using there = await dropInFolder();
  await shipped.write("a.ts", "export default { apiVersion: 1, name: 'A', hosts: ['a.test'] };");
  await there.write("mine.ts", "export default { apiVersion: 1, name: 'A', hosts: ['mine.test'] };");
  const { log, lines } = keptLog();
  const registry = await loadRegistry({ directories: [shipped.folder, there.folder], log });
  expect(registry.providerByHost("mine.test")?.name).toBe("A");
  expect(lines.join("")).toContain("a drop-in replaces a built-in");
});

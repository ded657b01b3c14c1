import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { knownProviders } from "../../src/credentials/form.ts";
import { readCredential } from "../../src/credentials/read-credential.ts";
import { createLog } from "../../src/log.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type { RoutingTables } from "../../src/routing/tables.ts";
import { Vault } from "../../src/serve/vault.ts";
import { listCredentials } from "../../src/store/credentials/credentials.ts";
import { keepCredential } from "../../src/store/credentials/keep.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { chance } from "../chance.ts";
import { ownDirectory } from "../store/open.ts";
import { until } from "../until.ts";

const CHANCE = chance("vault");
const SECRET = "sk-planted-0123456789abcdef";
const providers: readonly ProviderPlugin[] = [{ apiVersion: 1, name: "OPENAI" }];

interface Settings {
  readonly config?: Parameters<typeof ownDirectory>[0];
  readonly env?: Record<string, string>;
}

async function opened({ config = {}, env = {} }: Settings = {}) {
  const directory = ownDirectory(config);
  const sent: RoutingTables[] = [];
  const log: string[] = [];
  const vault = new Vault({
    config: directory.config,
    env,
    log: createLog({ level: "debug", format: "json", write: (line) => void log.push(line) }),
    providers,
    ownPorts: [],
    onChange: async (tables) => sent.push(tables),
  });
  return {
    directory,
    vault,
    told: sent,
    log,
    [Symbol.dispose]() {
      vault.close();
      directory[Symbol.dispose]();
    },
  };
}

async function storedIn(config: ReturnType<typeof ownDirectory>["config"]) {
  const store = await openStore(config, "write");
  await migrate(store);
  const rules = { providers: knownProviders(providers), operator: true, refuseUrl: () => undefined };
  const order = readCredential({ provider: "openai", api_key: SECRET }, rules);
  await keepCredential({ config, records: store.records, by: SYSTEM }, "o", order);
  const stored = await listCredentials(store.records);
  await store.close();
  return stored;
}

const PRICE = { organizationId: "o", provider: "OPENAI", model: "m", price: { input: 1, output: 2 } };

test("the gateway has those of weir.toml first, with what they point at, then the stored ones, opened", async () => {
  const credentials = { main: { provider: "openai", api_key: "env:MAIN" } };
  const routes = { fast: { targets: ["openai/gpt-5-mini"] } };
  using it = await opened({ config: { credentials, routes }, env: { MAIN: "sk-main" } });
  expect(it.vault.tables.credentials).toMatchObject([
    { name: "main", organizationId: "", secrets: { api_key: "sk-main" } },
  ]);
  await it.vault.setCredentials(await storedIn(it.directory.config));
  await it.vault.setRouting({
    routes: [{ ...it.vault.tables.routes[0]!, name: "own", organizationId: "o", source: "stored" }],
    prices: [PRICE],
  });
  expect(it.told.at(-1)).toBe(it.vault.tables);
  expect(it.vault.tables.credentials).toMatchObject([
    { name: "main" },
    { name: "openai", organizationId: "o", secrets: { api_key: SECRET } },
  ]);
  expect(it.vault.tables.routes.map(({ name, source }) => [name, source])).toEqual([
    ["fast", "file"],
    ["own", "stored"],
  ]);
  expect(it.vault.tables.prices).toEqual([PRICE]);
  expect(it.vault.degraded).toEqual([]);
});

test("a secret that no key decrypts is locked and reported without its name, until a key decrypts it", async () => {
  using it = await opened();
  const stored = await storedIn(it.directory.config);
  const path = join(it.directory.path, "credentials.key");
  const key = await Bun.file(path).text();
  rmSync(path);
  await it.vault.setCredentials(stored);
  expect(it.vault.tables.credentials[0]?.secrets).toBeUndefined();
  expect(it.vault.lockedIds()).toEqual([stored[0]!.id]);
  expect(it.vault.degraded).toEqual([expect.stringMatching(/^credentials: 1 is locked.* [0-9a-f]{8}$/)]);
  writeFileSync(path, `${CHANCE.bytes(32).toString("base64")}\n${key}`);
  await until(() => it.vault.lockedIds().length === 0);
  expect(it.told.at(-1)?.credentials[0]?.secrets).toEqual({ api_key: SECRET });
  writeFileSync(path, "broken");
  await until(() => it.vault.degraded.length === 2);
  expect(it.vault.degraded[0]).toContain("not 32 bytes");
});

test("a secret in a file is followed; one that cannot be read keeps its value", async () => {
  using files = ownDirectory();
  const path = join(files.path, "secret");
  writeFileSync(path, "sk-first\n");
  using it = await opened({ config: { credentials: { main: { provider: "openai", api_key: `file:${path}` } } } });
  const secret = () => it.vault.tables.credentials[0]?.secrets?.["api_key"];
  expect(secret()).toBe("sk-first");
  writeFileSync(path, "sk-second");
  await until(() => secret() === "sk-second");
  rmSync(path);
  await until(() => it.log.some((line) => line.includes("cannot be read again")));
  expect(secret()).toBe("sk-second");
  expect(it.log.join("")).not.toContain("sk-");
});

test.each([
  [
    { credentials: { main: { provider: "openai", api_key: SECRET } } },
    "[credentials.main] api_key: a secret must not be in the configuration file",
  ],
  [
    { credentials: { main: { provider: "openai", api_key: "env:NOWHERE" } } },
    "[credentials.main] api_key: the variable NOWHERE is not set",
  ],
  [
    { credentials: { main: { provider: "openai", api_key: "file:/nowhere/at/all" } } },
    "/nowhere/at/all: there is no such file or folder",
  ],
  [{ credentials: { main: { provider: "opnai", api_key: "env:A" } } }, "did you mean openai?"],
  [{ credentials: { main: { provider: "openai", api_key: "env:A", shared: true } } }, "shared"],
  [{ credentials: { client: { provider: "openai", api_key: "env:A" } } }, "name"],
  [{ routes: { fast: { targets: [] } } }, '[routes."fast"] targets'],
  [{ routes: { a: { targets: ["b"] }, b: { targets: ["a"] } } }, "form a cycle"],
  [{ routes: { a: { targets: ["x/y"], organization: "default" } } }, "organization"],
  [{ credentials_key_file: "/nowhere/keys" }, "/nowhere/keys, cannot be read: there is no such file or folder"],
])("%p stops the start", async (config, says) => {
  const start = opened({ config: config as Parameters<typeof ownDirectory>[0] & object });
  await expect(start).rejects.toMatchObject({ code: "config_invalid", message: expect.stringContaining(says) });
  await expect(start).rejects.not.toThrow(SECRET);
});

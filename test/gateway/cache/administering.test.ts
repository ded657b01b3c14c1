import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { exchangeRaw } from "../../raw-http.ts";
import { KEY, keySnapshot } from "../harness.ts";
import { ask, countingProvider, handProvider, ownHome, requestText } from "./asking.ts";

const OTHER = "sk-weir-us-other";
const keys = [keySnapshot(KEY), keySnapshot(OTHER, { organizationId: "org-2" })];

/** Four responses of one organization and one of another. */
async function filled(home: ReturnType<typeof ownHome>) {
  const provider = await countingProvider();
  const gateway = await home.gateway({ keys });
  const requests = {
    a: { path: "/a", body: '{"model":"m-1"}', headers: { "Gateway-Property-App": "x" } },
    b: { path: "/b", body: '{"model":"m-2"}', headers: { "Gateway-Property-App": "y" } },
    c: { path: "/v1beta/models/m-2:generate", body: "{}" },
    d: { path: "/d", body: "no JSON" },
  };
  for (const request of Object.values(requests)) await ask(gateway, provider.origin, request);
  await ask(gateway, provider.origin, { key: OTHER });
  /** Which of them are still there. Asking with Read alone stores nothing. */
  const left = async () => {
    const found: string[] = [];
    for (const [name, request] of Object.entries(requests)) {
      const headers = { ...("headers" in request ? request.headers : {}), "Gateway-Cache-Enabled": "false" };
      const asking = { ...request, headers: { ...headers, "Gateway-Cache-Read": "true" } };
      if ((await ask(gateway, provider.origin, asking)).cache === "HIT") found.push(name);
    }
    return found.join("");
  };
  return {
    gateway,
    provider,
    left,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ["all", {}, 4, ""],
  ["a model, from the body or the path", { model: "m-2" }, 2, "ad"],
  ["a property", { property: { name: "App" } }, 2, "cd"],
  ["a property's value", { property: { name: "App", value: "y" } }, 1, "acd"],
  ["a model and a property", { model: "m-2", property: { name: "App" } }, 1, "acd"],
  ["an unknown name", { model: "m-9" }, 0, "abcd"],
])("a purge of %s removes the matching entries of one organization", async (_name, purge, removed, left) => {
  using home = ownHome();
  await using world = await filled(home);
  expect(await world.gateway.purgeCache("org-1", purge)).toBe(removed);
  expect(await world.left()).toBe(left);
  expect(world.gateway.cacheStatus("org-2").entries).toBe(1);
  const files = readdirSync(join(home.path, "cache"), { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => name.includes("/")).length).toBe(4 - removed + 1);
});

test("entries are listed with what they are, and can be removed by key and by request, also after a restart", async () => {
  using home = ownHome();
  {
    await using world = await filled(home);
    const entries = await world.gateway.cacheEntries("org-1", { limit: 10, offset: 0 });
    expect(entries.map(({ model }) => model).sort()).toEqual(["m-1", "m-2", "m-2", null]);
    expect(await world.gateway.cacheEntries("org-1", { limit: 1, offset: 1 })).toEqual([entries[1]!]);
  }
  await using gateway = await home.gateway({ keys });
  const [first, second] = await gateway.cacheEntries("org-1", { limit: 10, offset: 0 });
  expect(await gateway.purgeCache("org-2", { key: first!.key })).toBe(0);
  expect(await gateway.purgeCache("org-1", { key: first!.key })).toBe(1);
  expect(await gateway.purgeCache("org-1", { requestId: second!.requestId })).toBe(1);
  expect(gateway.cacheStatus("org-1").entries).toBe(2);
  expect(gateway.cacheStatus("org-3")).toEqual({ entries: 0, bytes: 0, bytesMax: 1_073_741_824 });
});

test("a response in flight is not stored if a purge covers it", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const pending = exchangeRaw(gateway.port, requestText(provider.origin));
  const socket = await provider.socketAt(1);
  expect(await gateway.purgeCache("org-1", { model: "m-1" })).toBe(0);
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  await pending;
  expect(gateway.cacheStatus("org-1").entries).toBe(0);
});

test("the metrics count the cache's hits, misses and entries", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  for (let turn = 0; turn < 3; turn++) await ask(gateway, provider.origin);
  const text = await gateway.metrics();
  expect(text).toContain('weir_cache_requests_total{result="hit"} 2');
  expect(text).toContain('weir_cache_requests_total{result="miss"} 1');
  expect(text).toContain("weir_cache_entries 1");
  expect(text).toMatch(/weir_cache_bytes [1-9]/);
  expect(text).toContain("weir_cache_failures_total 0");
});

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { eventually } from "../../eventually.ts";
import { exchangeRaw } from "../../raw-http.ts";
import { until } from "../../until.ts";
import { gatewayHeaders } from "../harness.ts";
import { ask, countingProvider, type Home, handProvider, ownHome, parseResponse, requestText } from "./asking.ts";

/** The cache's files, once there are so many and none is unfinished. */
async function filesOf(home: Home, count: number): Promise<string[]> {
  const directory = join(home.path, "cache");
  let files: string[] = [];
  await until(
    () => {
      const made = existsSync(directory);
      files = !made
        ? []
        : readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("/"));
      return files.length === count && !files.some((name) => name.includes("unfinished"));
    },
    180_000,
    () => `the cache never had ${count} files`,
  );
  return files.map((name) => join(directory, name));
}

test("stored responses survive a restart, bodies of every size byte for byte", async () => {
  using home = ownHome();
  await using provider = await handProvider();
  const bodies = ["", "small", "m".repeat(300_000), "l".repeat(2_500_000)];
  const path = (at: number) => ({ path: `/v1/${at}` });
  {
    await using gateway = await home.gateway();
    for (const [at, body] of bodies.entries()) {
      const response = exchangeRaw(gateway.port, requestText(provider.origin, path(at)));
      const socket = await provider.socketAt(at + 1);
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      expect(parseResponse(await response).cache).toBe("MISS");
    }
  }
  await using gateway = await home.gateway();
  for (const [at, body] of bodies.entries()) {
    const response = await ask(gateway, provider.origin, path(at));
    expect(response.cache).toBe("HIT");
    expect(response.body === body).toBe(true);
    expect((await gateway.spool.ended(response.id)).head?.cacheReferenceId).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("files are readable by their owner alone and hold no credential", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider("200 OK", "Set-Cookie: s3cret-cookie\r\n");
  await ask(gateway, provider.origin, {
    path: "/v1/a?key=s3cret-query",
    headers: { Authorization: "Bearer s3cret-bearer", "Gateway-Property-App": "x" },
  });
  const [file] = await filesOf(home, 1);
  expect(statSync(file!).mode & 0o777).toBe(0o600);
  expect(readFileSync(file!, "latin1")).not.toContain("s3cret");
});

test.each([
  ["cut short", (file: string) => truncateSync(file, 40)],
  ["overwritten", (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
])("a file that was %s is a miss, and is replaced", async (_name, damage) => {
  using home = ownHome();
  await using provider = await countingProvider();
  {
    await using gateway = await home.gateway();
    await ask(gateway, provider.origin);
  }
  damage((await filesOf(home, 1))[0]!);
  await using gateway = await home.gateway();
  expect((await ask(gateway, provider.origin)).cache).toBe("MISS");
  expect(await ask(gateway, provider.origin)).toMatchObject({ cache: "HIT", body: '{"answer":2}' });
});

test("unfinished files of a crash are removed, and files that are not entries stay", async () => {
  using home = ownHome();
  await using provider = await countingProvider();
  {
    await using gateway = await home.gateway();
    await ask(gateway, provider.origin);
  }
  const [file] = await filesOf(home, 1);
  writeFileSync(join(file!, "../unfinished-1"), "half");
  writeFileSync(join(file!, "../notes.txt"), "mine");
  await using gateway = await home.gateway();
  expect((await ask(gateway, provider.origin)).cache).toBe("HIT");
  expect(readdirSync(join(file!, "..")).sort()).toEqual([file!.split("/").at(-1)!, "notes.txt"].sort());
});

test("a response is kept for max-age, counted from its storing", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const short = { headers: { "Cache-Control": "max-age=3" } };
  const startedAt = Date.now();
  await ask(gateway, provider.origin, short);
  const { cache } = await ask(gateway, provider.origin);
  // A machine that takes longer for two requests shows nothing.
  if (Date.now() - startedAt < 3_000) expect(cache).toBe("HIT");
  await eventually(async () => (await ask(gateway, provider.origin)).cache).toBe("MISS");
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(3_000);
  expect((await ask(gateway, provider.origin, { headers: { "Cache-Control": "max-age=0" } })).cache).toBe("MISS");
});

test.each([
  ["7 days without a word", undefined, 7],
  ["what was requested", "max-age=86400", 1],
  ["365 days at most", "max-age=99999999999", 365],
])("a response is kept for %s", async (_name, cacheControl, days) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  await ask(gateway, provider.origin, cacheControl === undefined ? {} : { headers: { "Cache-Control": cacheControl } });
  const [, , created, expires] = (await filesOf(home, 1))[0]!.split("/").at(-1)!.split("-");
  expect(Number.parseInt(expires!, 36) - Number.parseInt(created!, 36)).toBe(days * 86_400_000);
});

test("a cache that is full removes the entries that were not used for longest", async () => {
  using home = ownHome();
  await using provider = await countingProvider("200 OK", `X-Padding: ${"p".repeat(3_000)}\r\n`);
  await using gateway = await home.gateway({ config: { cache_max_bytes: 10_500 } });
  const path = (name: string) => ({ path: `/${name}` });
  for (const name of ["a", "b", "c"]) await ask(gateway, provider.origin, path(name));
  expect((await ask(gateway, provider.origin, path("a"))).cache).toBe("HIT");
  await ask(gateway, provider.origin, path("d"));
  await filesOf(home, 3);
  const seen: Record<string, string> = {};
  for (const name of ["a", "c", "d", "b"]) seen[name] = (await ask(gateway, provider.origin, path(name))).cache;
  expect(seen).toEqual({ a: "HIT", c: "HIT", d: "HIT", b: "MISS" });
});

test("beyond its number of entries as well", async () => {
  using home = ownHome();
  await using provider = await countingProvider();
  await using gateway = await home.gateway({ config: { cache_max_entries: 2 } });
  for (const name of ["a", "b", "c"]) await ask(gateway, provider.origin, { path: `/${name}` });
  await filesOf(home, 2);
  expect((await ask(gateway, provider.origin, { path: "/a" })).cache).toBe("MISS");
});

test("with cache_max_bytes = 0 the cache is off", async () => {
  using home = ownHome();
  await using provider = await countingProvider();
  await using gateway = await home.gateway({ config: { cache_max_bytes: 0 } });
  expect((await ask(gateway, provider.origin)).cache).toBe("MISS");
  expect((await ask(gateway, provider.origin)).cache).toBe("MISS");
});

test("a disk that takes nothing costs the cache and not the request", async () => {
  using home = ownHome();
  await using provider = await countingProvider();
  writeFileSync(join(home.path, "cache"), "a file where the directory should be");
  await using gateway = await home.gateway();
  expect((await ask(gateway, provider.origin)).status).toBe(200);
  await gateway.spool.until(() => gateway.logLines.find((line) => line.includes("could not be stored in the cache")));
  expect((await ask(gateway, provider.origin)).cache).toBe("MISS");
});

test.each([
  ["with its length", 5_000_000, "length"],
  ["in chunks", 5_000_000, "chunked"],
  ["in chunks, small enough", 1_000, "chunked"],
])("a request body %s of %d bytes passes whole", async (_name, bytes, framing) => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await handProvider();
  const body = "b".repeat(bytes);
  const framed = framing === "length" ? body : `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const header = framing === "length" ? `Content-Length: ${bytes}` : "Transfer-Encoding: chunked";
  const head = gatewayHeaders(provider.origin, `Gateway-Cache-Enabled: true\r\n${header}\r\nConnection: close\r\n`);
  const send = () => exchangeRaw(gateway.port, `POST / HTTP/1.1\r\n${head}\r\n${framed}`);
  const pending = send();
  (await provider.socketAt(1)).write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const response = parseResponse(await pending);
  expect([response.status, response.cache]).toEqual([200, "MISS"]);
  const recorded = await gateway.spool.ended(response.id);
  expect(recorded.requestBody.toString() === body).toBe(true);
  if (bytes > 1_000) return;
  expect(parseResponse(await send()).cache).toBe("HIT");
});

test("a client that leaves before its body is whole is recorded as gone, and nothing is called", async () => {
  using home = ownHome();
  await using gateway = await home.gateway();
  await using provider = await countingProvider();
  const client = net.connect(gateway.port, "127.0.0.1");
  client.write(requestText(provider.origin, { body: "x".repeat(100) }).slice(0, -50));
  const exchanges = () => [...gateway.spool.exchanges.values()];
  const gone = await gateway.spool.until(() => exchanges().find((one) => one.requestBody.length === 50));
  client.destroy();
  expect((await gateway.spool.ended(gone.id)).end).toMatchObject({ outcome: "client_gone", status: 499 });
  expect(provider.calls).toBe(0);
});

test("entries that expired while the program was stopped are removed at the start", async () => {
  using home = ownHome();
  await using provider = await countingProvider();
  {
    await using gateway = await home.gateway();
    await ask(gateway, provider.origin, { path: "/short", headers: { "Cache-Control": "max-age=1" } });
    await ask(gateway, provider.origin, { path: "/long" });
  }
  await new Promise((wake) => setTimeout(wake, 1_050));
  await using gateway = await home.gateway();
  expect((await ask(gateway, provider.origin, { path: "/long" })).cache).toBe("HIT");
  expect(gateway.cacheStatus("org-1").entries).toBe(1);
  await filesOf(home, 1);
});

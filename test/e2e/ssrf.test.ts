import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import { type NameServer, startNameServer } from "../name-server.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, recordOf, startWeir, type Weir } from "./weir.ts";

let upstream: Upstream;
/** Opens nothing private. */
let closed: Weir;
/** Opens all of loopback, and one name. */
let opened: Weir;
/** Opens one loopback address only. */
let narrow: Weir;
let names: NameServer;
/** Listens on 127.0.0.2, at the port at which the upstream listens on 127.0.0.1. */
let second: Server;

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "private.test": ["10.1.2.3"],
  "loopback.test": ["127.0.0.1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "six.test": ["::1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "mixed.test": ["127.0.0.2", "10.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "named.test": ["127.0.0.1"],
};
let rebound = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  second = createServer((_request, response) => response.end("second"));
  await new Promise<void>((resolve) => second.listen(upstream.port, "127.0.0.2", resolve));
  names = await startNameServer((name) => {
    if (name === "rebind.test") return [rebound++ === 0 ? "127.0.0.2" : "127.0.0.1"];
    return ADDRESSES[name] ?? [];
  });
  const dns = { WEIR_DNS_SERVERS: names.address };
  [closed, opened, narrow] = await Promise.all([
    startWeir({ env: { ...dns, WEIR_ALLOW_PRIVATE_TARGETS: "" } }),
    startWeir({
      env: {
        ...dns,
        WEIR_HOST: "0.0.0.0",
        WEIR_ALLOW_PRIVATE_TARGETS: "127.0.0.0/8,0.0.0.0/8,::/96,::ffff:0:0/96,localhost",
      },
    }),
    startWeir({ env: { ...dns, WEIR_ALLOW_PRIVATE_TARGETS: "127.0.0.2,named.test" } }),
  ]);
});
afterAll(async () => {
  await Promise.all([closed, opened, narrow].map((weir) => weir?.stop()));
  upstream?.close();
  second?.close();
  names?.[Symbol.dispose]();
});

async function ask(weir: Weir, target: string): Promise<{ status: number; code: string | undefined; id: string }> {
  const response = await fetch(`${weir.gateway}/v1/x`, { method: "POST", body: "{}", headers: gatewayHeaders(target) });
  const text = await response.text();
  const code = response.headers.get("content-type")?.includes("json") ? JSON.parse(text).error?.code : undefined;
  return { status: response.status, code, id: response.headers.get("gateway-id") ?? "" };
}

const FORBIDDEN = { status: 403, code: "target_forbidden" };

const NUMBERS = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.255.255.254 0.0.0.0 0 0.1.2.3
  [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:0001] [::127.0.0.1] [64:ff9b::127.0.0.1]
  [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:a00:1::1] [2001:0:a00:1::] [fe80::1] [fc00::1] [fd00:ec2::254]
  [ff02::1] [fec0::1] 10.0.0.1 10.255.255.255 0xa.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254
  169.254.1.1 2852039166 0xa9fea9fe 100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.192 198.18.0.1 224.0.0.1
  239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16`
  .trim()
  .split(/\s+/);

const NAMES = `
  localhost LOCALHOST localhost. sub.localhost metadata.google.internal metadata private.test loopback.test
  mapped.test six.test nat64.test mixed.test metadata.test loopback.test. ①②⑦.⓪.⓪.① 127。0。0。1`
  .trim()
  .split(/\s+/);

describe("with nothing opened", () => {
  test.each(NUMBERS)("%s is refused", async (host) => {
    const before = upstream.seen.length;
    expect(await ask(closed, `http://${host}:${upstream.port}`)).toMatchObject(FORBIDDEN);
    expect(upstream.seen.length).toBe(before);
  });

  test.each(NAMES)("%s is refused", async (host) => {
    const before = upstream.seen.length;
    // Header values are bytes: a name outside ASCII crosses as UTF-8.
    const target = Buffer.from(`http://${host}:${upstream.port}`).toString("latin1");
    const { status, code } = await ask(closed, target);
    expect([400, 403]).toContain(status);
    expect(["target_forbidden", "invalid_target"]).toContain(code!);
    expect(upstream.seen.length).toBe(before);
  });

  test("a name that does not exist is a 502, and a refusal is recorded", async () => {
    expect(await ask(closed, "http://nowhere.test")).toMatchObject({ status: 502, code: "upstream_unreachable" });
    const { id } = await ask(closed, `http://private.test:${upstream.port}`);
    expect((await recordOf(closed, id))["response_status"]).toBe(403);
  });
});

describe("the gateway's own listeners stay closed when all of loopback is open", () => {
  const OWN = [
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "localhost",
    "0.0.0.0",
    "0",
    "[::ffff:127.0.0.1]",
    "loopback.test",
    "[::ffff:7f00:1]",
  ];
  test.each(OWN.flatMap((host) => [[host, "gatewayPort"] as const, [host, "apiPort"] as const]))(
    "%s, %s",
    async (host, port) => {
      expect(await ask(opened, `http://${host}:${opened[port]}`)).toMatchObject(FORBIDDEN);
    },
  );

  test.each(["127.0.0.1", "localhost", "127.1", "loopback.test", "2130706433"])(
    "other ports of %s are open",
    async (host) => {
      expect(await ask(opened, `http://${host}:${upstream.port}`)).toMatchObject({ status: 200 });
    },
  );
});

describe("with one address and one name opened", () => {
  test("the connection goes to the address that was checked", async () => {
    const response = await fetch(`${narrow.gateway}/v1/x`, {
      headers: gatewayHeaders(`http://rebind.test:${upstream.port}`),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("second");
  });

  test("an opened name may lead to a private address, another name of it may not", async () => {
    expect(await ask(narrow, `http://named.test:${upstream.port}`)).toMatchObject({ status: 200 });
    expect(await ask(narrow, `http://loopback.test:${upstream.port}`)).toMatchObject(FORBIDDEN);
    expect(await ask(narrow, `http://127.0.0.1:${upstream.port}`)).toMatchObject(FORBIDDEN);
  });

  test("a name with one open and one private address is refused", async () => {
    expect(await ask(narrow, `http://mixed.test:${upstream.port}`)).toMatchObject(FORBIDDEN);
  });
});

test.each([
  "https://u:p@example.com",
  "http://127.0.0.1:1/path",
  "http://127.0.0.1:1?x=1",
  "http://127.0.0.1:1/#x",
  "ftp://127.0.0.1",
  "file:///etc/passwd",
  "127.0.0.1:80",
  "//127.0.0.1",
  "http://",
  "http:///x",
  "http://a b",
  "http://127.0.0.1:99999",
  "http://%31%32%37.0.0.1:1\\@x",
  "javascript:alert(1)",
  "http:127.0.0.1",
])("%s is no target", async (target) => {
  expect(await ask(opened, target)).toMatchObject({ status: 400, code: "invalid_target" });
});

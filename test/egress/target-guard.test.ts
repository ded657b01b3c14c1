import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { PrivateGuard } from "../../src/egress/private-guard.ts";
import { createResolve } from "../../src/egress/resolve.ts";
import { TargetGuard } from "../../src/egress/target-guard.ts";
import { parseTarget } from "../../src/gateway/target.ts";

const closed = new TargetGuard([], () => new Set([8787, 8788]));
const refuses = (guard: TargetGuard, url: string) => {
  const { upstream } = parseTarget(url);
  return guard.refuseHost(upstream.host, upstream.port) !== undefined;
};

test.each([
  "127.0.0.1",
  "127.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "0",
  "0.0.0.0",
  "0.1.2.3",
  "127.0.0.1.",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "foo.localhost",
  "localhost.localdomain",
  "ip6-localhost",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "3232235521",
  "0xc0a80001",
  "169.254.169.254",
  "169.254.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "192.0.0.192",
  "168.63.129.16",
  "198.18.0.1",
  "192.0.2.1",
  "203.0.113.9",
  "224.0.0.1",
  "239.1.1.1",
  "240.0.0.1",
  "255.255.255.255",
  "metadata.google.internal",
  "metadata.google.internal.",
  "metadata",
  "instance-data",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:169.254.169.254]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a9fe:a9fe]",
  "[64:ff9b:1::1]",
  "[2002:7f00:1::]",
  "[2002:a9fe:a9fe::1]",
  "[2002:a00:1::1]",
  "[2001:0:1::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[100::1]",
  "[4000::1]",
  "[2606:4700::5efe:10.0.0.1]",
])("%s is refused", (host) => {
  expect(refuses(closed, `http://${host}`)).toBe(true);
});

test.each([
  "api.openai.com",
  "1.1.1.1",
  "8.8.8.8",
  "172.15.0.1",
  "172.32.0.1",
  "100.63.255.255",
  "100.128.0.1",
  "192.167.1.1",
  "192.169.1.1",
  "11.0.0.1",
  "[2606:4700::1]",
  "[64:ff9b::808:808]",
  "[::ffff:8.8.8.8]",
  "[2002:808:808::1]",
  "localhost.example.com",
  "mylocalhost",
  "metadata.example.com",
])("%s is open", (host) => {
  expect(refuses(closed, `http://${host}`)).toBe(false);
});

describe("what is allowed", () => {
  const open = new TargetGuard(
    [
      "127.0.0.1:11434",
      "10.1.0.0/16",
      "[fd00::5]",
      "[fd00::6]:81",
      "fd01::/16",
      "Ollama.internal",
      "box.lan:9000",
      "192.168.1.1",
      "localhost:5000",
    ],
    () => new Set([8787]),
  );

  test.each([
    ["http://127.0.0.1:11434", false],
    ["http://2130706433:11434", false],
    ["http://[::ffff:127.0.0.1]:11434", false],
    ["http://localhost:11434", false],
    ["http://127.0.0.1:11435", true],
    ["http://127.0.0.2:11434", true],
    ["http://localhost:11435", true],
    ["http://10.1.255.1", false],
    ["http://10.2.0.1", true],
    ["http://[fd00::5]:9", false],
    ["http://[fd00::6]:81", false],
    ["http://[fd00::6]:82", true],
    ["http://[fd01:2::1]", false],
    ["http://192.168.1.1:1", false],
    ["http://192.168.1.2:1", true],
    ["http://localhost:5000", false],
  ])("%s is refused: %p", (url, refused) => {
    expect(refuses(open, url)).toBe(refused);
  });

  test.each([
    ["10.9.9.9", "ollama.internal", 80, false],
    ["10.9.9.9", "ollama.internal", 1234, false],
    ["10.9.9.9", "evil.test", 80, true],
    ["10.9.9.9", "box.lan", 9000, false],
    ["10.9.9.9", "box.lan", 9001, true],
    ["10.1.9.9", "anything.test", 80, false],
    ["8.8.8.8", "any.test", 80, false],
    ["127.0.0.1", "ollama.internal", 8787, true],
    ["::1", "localhost", 8787, true],
    ["fe80::1%eth0", "x.test", 80, true],
    ["nonsense", "x.test", 80, true],
  ] as const)("the address %s of %s at port %d is refused: %p", (address, host, port, refused) => {
    expect(open.refuseAddress(address, host, port) !== undefined).toBe(refused);
  });

  test.each(["", "10.0.0.0/33", "10.0.0.0/x", "a/8", "host:0", "host:99999", "a:b:c"])(
    "the entry %j stops the start",
    (entry) => {
      expect(() => new TargetGuard([entry], () => new Set())).toThrow("allow_private_targets");
    },
  );
});

test("the gateway's own ports are never a target, on any address of this machine", () => {
  const everything = new TargetGuard(["0.0.0.0/0", "::/0", "localhost"], () => new Set([8787, 8788]));
  const mine = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address);
  for (const address of [
    "127.0.0.1",
    "127.9.9.9",
    "::1",
    "0.0.0.0",
    "::",
    "::ffff:127.0.0.1",
    "64:ff9b::127.0.0.1",
    ...mine,
  ])
    for (const port of [8787, 8788]) expect(everything.refuseAddress(address, "x.test", port)).toBeDefined();
  expect(everything.refuseAddress("127.0.0.1", "x.test", 8789)).toBeUndefined();
  expect(everything.refuseHost("localhost", 8789)).toBeUndefined();
});

test("a verdict is used for a second", () => {
  let asked = 0;
  const guard = new TargetGuard([], () => {
    asked++;
    return new Set([8787]);
  });
  // Each call looks at the ports once, and twice for a new verdict.
  const looksAt = (nowMs: number) => {
    asked = 0;
    guard.refuseHost("10.0.0.1", 80, nowMs);
    return asked;
  };
  expect([5_000, 6_000, 6_001, 7_001].map(looksAt)).toEqual([2, 1, 2, 1]);
});

describe("resolving", () => {
  const origin = (host: string, port = 80) => ({ secure: false, host, port });

  test("a literal that is open needs no name server", async () => {
    expect(await createResolve(closed, ["127.0.0.1:9"])(origin("1.1.1.1"))).toEqual([
      { address: "1.1.1.1", family: 4 },
    ]);
  });

  test("localhost is open at the address that is", async () => {
    const guard = new TargetGuard(["127.0.0.1"], () => new Set());
    expect(await createResolve(guard, [])(origin("localhost"))).toEqual([{ address: "127.0.0.1", family: 4 }]);
    await expect(createResolve(closed, [])(origin("localhost"))).rejects.toMatchObject({ kind: "forbidden" });
  });

  test("the gateway's own port is forbidden by name", async () => {
    const guard = new TargetGuard(["localhost", "127.0.0.1", "::1"], () => new Set([8787]));
    await expect(createResolve(guard, [])(origin("localhost", 8787))).rejects.toMatchObject({ kind: "forbidden" });
  });
});

test.each([
  ["169.254.169.254", true],
  ["169.254.170.23", true],
  ["fd00:ec2::23", true],
  ["fd00:42::42", true],
  ["64:ff9b::a9fe:a9fe", true],
  ["2002:a9fe:a9fe::1", true],
  ["::ffff:100.100.100.200", true],
  ["10.0.0.1", false],
  ["fd00::1", false],
])("a private credential's name that resolves to %s is refused: %p", (address, refused) => {
  const guard = new PrivateGuard(
    () => new Set(),
    [],
    () => ["llm.internal"],
  );
  expect(guard.refuseHost("llm.internal", 80)).toBeUndefined();
  expect(guard.refuseAddress(address, "llm.internal", 80) !== undefined).toBe(refused);
});

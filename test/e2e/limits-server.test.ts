import { afterAll, beforeAll, expect, test } from "bun:test";
import { isRedisMissing, type RedisServer, startRedis } from "../redis.ts";
import { type Sqld, startSqld } from "./sqld.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, startWeir, until, type Weir } from "./weir.ts";

const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });
const PASSWORD = "p@ss:word/of-a-test";

let upstream: Upstream;
let sqld: Sqld;
let redis: RedisServer;
let nodes: readonly [Weir, Weir];

if (isRedisMissing()) test("these tests did not run: redis-server is missing", () => undefined);
else limits();

function limits(): void {
  beforeAll(async () => {
    [upstream, sqld, redis] = await Promise.all([
      startUpstream(),
      startSqld(),
      startRedis(["--requirepass", PASSWORD]),
    ]);
    const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis.port}/1`;
    const env = { WEIR_DATABASE_URL: sqld.url, WEIR_LIMITS_URL: url };
    nodes = await Promise.all([startWeir({ env }), startWeir({ env })]);
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((weir) => weir.stop()));
    await redis?.[Symbol.asyncDispose]();
    await sqld?.[Symbol.asyncDispose]();
    upstream?.close();
  });

  test("a burst over both nodes passes no more than the policy has room for, and then all that is left of it", async () => {
    await isUp(1);
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, at) => send(at, "20;w=3600")));
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    const passed = statuses.filter((status) => status === 200).length;
    expect(passed).toBeLessThanOrEqual(20);
    await passesInAll(20, "20;w=3600", passed);
  });

  test("if it is killed, every report omits its password, and the database divides limits until it is back", async () => {
    await redis.kill();
    await isUp(0);
    for (const { api } of nodes) {
      const text = await (await fetch(`${api}/readyz`)).text();
      expect(text).toContain("limits: the limits server is away");
      expect(text).not.toContain("p@ss");
    }
    await passesInAll(9, "9;w=3600");
    await redis.start();
    await isUp(1);
    await passesInAll(7, "7;w=3600");
    // What the database let through counts still.
    for (let at = 0; at < 4; at++) expect(await send(at, "9;w=3600")).toBe(429);
  });
}

async function send(at: number, policy: string): Promise<number> {
  const response = await fetch(`${nodes[at % 2]!.gateway}/v1/chat/completions`, {
    method: "POST",
    body: CHAT,
    headers: gatewayHeaders(`http://localhost:${upstream.port}`, { "Gateway-RateLimit-Policy": policy }),
    keepalive: false,
  });
  await response.arrayBuffer();
  return response.status;
}

/** Asks both nodes in turn until `count` have passed, counting those before; six more then pass at neither. */
async function passesInAll(count: number, policy: string, before = 0): Promise<void> {
  let [attempts, through] = [0, before];
  await until(
    async () => {
      if (through < count && (await send(attempts++, policy)) === 200) through += 1;
      return through >= count;
    },
    180_000,
    () => `only ${through} of ${count} passed`,
    1,
  );
  for (let at = 0; at < 6; at++) expect(await send(at, policy)).toBe(429);
}

/** Resolves once both nodes say so of the server. */
async function isUp(value: 0 | 1): Promise<void> {
  await until(
    async () => {
      const texts = await Promise.all(nodes.map(async ({ api }) => (await fetch(`${api}/metrics`)).text()));
      return texts.every((text) => new RegExp(`^weir_limits_server_up ${value}$`, "m").test(text));
    },
    180_000,
    () => `weir_limits_server_up is not ${value}`,
    100,
  );
}

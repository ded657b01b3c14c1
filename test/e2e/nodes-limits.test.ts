import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Sqld, startSqld } from "./sqld.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, startWeir, until, type Weir } from "./weir.ts";

const CHAT = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] });

let upstream: Upstream;
let sqld: Sqld;
let nodes: [Weir, Weir];

beforeAll(async () => {
  [upstream, sqld] = await Promise.all([startUpstream(), startSqld()]);
  const env = { WEIR_DATABASE_URL: sqld.url, WEIR_APPROVED_DOMAINS: "" };
  nodes = await Promise.all([startWeir({ env }), startWeir({ env })]);
  const headers = { Authorization: `Bearer ${nodes[0].env["WEIR_BOOTSTRAP_KEY"]}` };
  // Its address is open, and so approved: until somebody takes that back.
  await fetch(`${nodes[0].api}/v1/domains/127.0.0.1/revoke`, { method: "POST", headers });
});
afterAll(async () => {
  await Promise.all((nodes ?? []).map((weir) => weir.stop()));
  await sqld?.[Symbol.asyncDispose]();
  upstream?.close();
});

const send = async (node: Weir, policy: string, host = "localhost"): Promise<number> => {
  const headers = gatewayHeaders(
    `http://${host}:${upstream.port}`,
    policy === "" ? {} : { "Gateway-RateLimit-Policy": policy },
  );
  const response = await fetch(`${node.gateway}/v1/chat/completions`, {
    method: "POST",
    body: CHAT,
    headers,
    keepalive: false,
  });
  await response.arrayBuffer();
  return response.status;
};

const passed = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length;

test("a burst over both nodes never exceeds the policy, and the rest of the quota is available soon after", () =>
  whileShared(async (seconds) => {
    const policy = `20;w=${seconds}`;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], policy)),
    );
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    expect(passed(statuses)).toBeLessThanOrEqual(20);
    await passesInAll(20, policy, passed(statuses));
  }));

test("one request after the other, now here, now there, passes all that the policy has room for and no more", () =>
  whileShared((seconds) => passesInAll(7, `7;w=${seconds}`)));

/** The window of each attempt is another one, and so another policy. */
let windowSeconds = 3_600;

/**
 * Runs `attempt`. A database that takes too long on a busy machine counts as away, and each node then continues with its
 * part: if that happened meanwhile, the nodes share again first, and the attempt is made with another policy.
 */
async function whileShared(attempt: (seconds: number) => Promise<void>): Promise<void> {
  for (;;) {
    await sharedAgain();
    const before = alone();
    try {
      return await attempt(windowSeconds++);
    } catch (error) {
      if (alone() === before) throw error;
    }
  }
}

const sharedAgain = () =>
  until(
    async () => {
      for (const node of nodes) await send(node, "1000;w=3500");
      return sharing();
    },
    180_000,
    () => "not shared again",
  );

/** Asks both nodes in turn until `count` have passed, counting those before; six more then pass at neither. */
async function passesInAll(count: number, policy: string, before = 0): Promise<void> {
  let [attempts, through] = [0, before];
  // What one node holds ready and does not need is the other's within a second.
  await until(
    async () => {
      if (through < count && (await send(nodes[attempts++ % 2 === 0 ? 0 : 1], policy)) === 200) through += 1;
      return through >= count;
    },
    180_000,
    () => `only ${through} of ${count} passed`,
    1,
  );
  for (let at = 0; at < 6; at++) expect(await send(nodes[at % 2 === 0 ? 0 : 1], policy)).toBe(429);
}

test("a budget of tokens is overdrawn by no more than one request for each node", async () => {
  const one = 20; // at least what one response of the upstream uses
  const statuses = [];
  for (let at = 0; at < 40; at++) statuses.push(await send(nodes[at % 2 === 0 ? 0 : 1], `${10 * one};w=3600;u=tokens`));
  expect(statuses).toContain(429);
  expect(passed(statuses)).toBeGreaterThan(0);
  expect(statuses.slice(-4)).toEqual([429, 429, 429, 429]);
});

test("an unapproved domain gets one request a second from all nodes together", () =>
  whileShared(async () => {
    const burst = async () => {
      const startedAt = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: 20 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], "", "127.0.0.1")),
      );
      // One, and one more for each second that a busy machine took for the burst.
      expect(passed(statuses)).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedAt) / 1_000));
      return passed(statuses);
    };
    await until(async () => (await burst()) > 0);
    await until(
      async () => (await burst()) > 0,
      180_000,
      () => "nothing passes any more",
      100,
    );
  }));

test("with the database away both continue, together within twice the quota, and share again when it is back", async () => {
  const policy = "10;w=3599";
  for (const node of nodes) expect(await send(node, policy)).toBe(200);
  await sqld.kill();
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], policy)));
  expect(passed(statuses)).toBeGreaterThan(0);
  expect(passed(statuses) + 2).toBeLessThanOrEqual(20);
  await sqld.start();
  await whileShared(async (seconds) => {
    const burst = Array.from({ length: 30 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], `6;w=${seconds}`));
    expect(passed(await Promise.all(burst))).toBe(6);
  });
}, 300_000);

/** How often a node has said that it continues with its own part. */
function alone(): number {
  return nodes.reduce((count, node) => count + node.log().split("cannot be shared now").length - 1, 0);
}

/** Whether neither node has said that it continues alone without saying later that it shares again. */
function sharing(): boolean {
  return nodes.every(
    (node) => node.log().lastIndexOf("shared among the nodes again") >= node.log().lastIndexOf("cannot be shared now"),
  );
}

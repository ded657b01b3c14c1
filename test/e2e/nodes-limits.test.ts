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

test("a burst over both nodes passes no more than the policy has room for, and what is left of it soon after", async () => {
  const statuses = await Promise.all(
    Array.from({ length: 60 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], "20;w=3600")),
  );
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  expect(passed(statuses)).toBeLessThanOrEqual(20);
  await passesInAll(20, "20;w=3600", passed(statuses));
});

test("one request after the other, now here, now there, passes all that the policy has room for and no more", async () => {
  await passesInAll(7, "7;w=3600");
});

/** Asks both nodes in turn until `count` have passed, counting those before; six more then pass at neither. */
async function passesInAll(count: number, policy: string, before = 0): Promise<void> {
  let [attempts, through] = [0, before];
  // What one node holds ready and does not need is the other's within a second.
  await until(
    async () => {
      if (through < count && (await send(nodes[attempts++ % 2 === 0 ? 0 : 1], policy)) === 200) through += 1;
      return through >= count;
    },
    60_000,
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

test("an unapproved domain gets one request a second from all nodes together", async () => {
  const burst = () =>
    Promise.all(Array.from({ length: 20 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], "", "127.0.0.1")));
  expect(passed(await burst())).toBe(1);
  const later: number[] = [];
  const next = async () => {
    later.push(passed(await burst()));
    return later.at(-1)! > 0;
  };
  await until(next, 60_000, () => "nothing passes any more", 100);
  expect(later.at(-1)).toBe(1);
});

test("with the database away both continue, together within twice the quota, and share again when it is back", async () => {
  const policy = "10;w=3601";
  for (const node of nodes) expect(await send(node, policy)).toBe(200);
  await sqld.kill();
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], policy)));
  expect(passed(statuses)).toBeGreaterThan(0);
  expect(passed(statuses) + 2).toBeLessThanOrEqual(20);
  await sqld.start();
  // A database that takes too long on a busy machine is away again: then another policy is tried.
  for (let seconds = 3602; ; seconds++) {
    await until(
      async () => (await send(nodes[0], "1000;w=3500")) === 200 && (await sharing()),
      60_000,
      () => "not shared again",
    );
    const before = alone();
    const burst = Array.from({ length: 30 }, (_, at) => send(nodes[at % 2 === 0 ? 0 : 1], `6;w=${seconds}`));
    const through = passed(await Promise.all(burst));
    if (through !== 6 && alone() > before) continue;
    expect(through).toBe(6);
    return;
  }
}, 120_000);

/** How often a node has said that it continues with its own part. */
function alone(): number {
  return nodes.reduce((count, node) => count + node.log().split("cannot be shared now").length - 1, 0);
}

/** Whether both nodes have said that they share limits again. */
async function sharing(): Promise<boolean> {
  return nodes.every(
    (node) => node.log().lastIndexOf("shared among the nodes again") > node.log().lastIndexOf("cannot be shared now"),
  );
}

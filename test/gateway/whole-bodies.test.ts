import { expect, test } from "bun:test";
import net from "node:net";
import fc from "fast-check";
import { BodyBudget, type BodyShare } from "../../src/gateway/body/budget.ts";
import { assertProperty } from "../chance.ts";
import { OK, startProvider } from "../raw-http.ts";
import { until } from "../until.ts";
import { gatewayHeaders, once, startTestGateway, type TestOptions } from "./harness.ts";

const MIB = 1_024 * 1_024;
/** Waits that no test comes to the end of. */
const FOR_EVER = { waitMs: 100_000, patienceMs: 100_000, checkMs: 10 };

/** A gateway whose plugins need every body, with room for one MiB. */
async function start(bodyTimes: TestOptions["bodyTimes"] = FOR_EVER) {
  const got: number[] = [];
  let most = 0;
  const provider = await startProvider(({ body, socket }) => {
    most = Math.max(most, gateway.counts().wholeBodies.bytes);
    got.push(body.byteLength);
    socket.write(OK);
  });
  const gateway = await startTestGateway({
    config: { whole_bodies_max_bytes: MIB },
    bodyTimes,
    hooks: {
      has: () => false,
      needs: () => ["body"],
      onRequest: () => undefined,
      onForward: () => undefined,
      onEnd: () => undefined,
    },
  });
  const send = (bytes: number, framing = `Content-Length: ${bytes}\r\n`) =>
    once(gateway, "POST /v1/x", gatewayHeaders(provider.origin, framing), "x".repeat(bytes));
  /** A client that states so many bytes, and sends the first of them. */
  const begin = (bytes: number) => {
    const socket = net.connect(gateway.port, "127.0.0.1");
    const text: string[] = [];
    socket.on("error", () => undefined);
    socket.on("data", (data) => text.push(data.toString("latin1")));
    socket.write(`POST /v1/x HTTP/1.1\r\n${gatewayHeaders(provider.origin, `Content-Length: ${bytes}\r\n`)}\r\nx`);
    return { socket, text: () => text.join("") };
  };
  const counts = () => gateway.counts().wholeBodies;
  return {
    got,
    most: () => most,
    send,
    begin,
    counts,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await provider[Symbol.asyncDispose]();
    },
  };
}

test("many large uploads at once all pass, and never take more memory than there is for them", async () => {
  await using weir = await start();
  const responses = await Promise.all(Array.from({ length: 24 }, (_, at) => weir.send(200_000 + at)));
  expect(responses.every((response) => response.startsWith("HTTP/1.1 200"))).toBe(true);
  expect(weir.got.length).toBe(24);
  expect(weir.most()).toBeLessThanOrEqual(MIB);
  await until(() => weir.counts().bytes === 0);
  expect(weir.counts()).toEqual({ bytes: 0, waiting: 0, refused: 0 });
}, 300_000);

test("a body that finds no room in time is refused, and the one that has it passes", async () => {
  await using weir = await start({ ...FOR_EVER, waitMs: 50 });
  const first = weir.begin(1_000_000);
  await until(() => weir.counts().bytes === 1_000_000);
  const refused = await weir.send(200_000);
  expect(refused).toStartWith("HTTP/1.1 503");
  expect(refused).toContain('"code":"bodies_full"');
  expect(refused).toMatch(/\r\nRetry-After: \d+\r\n/);
  expect(weir.counts()).toMatchObject({ waiting: 0, refused: 1 });
  expect(await weir.gateway.metrics()).toContain("weir_gateway_whole_bodies_refused_total 1");
  first.socket.write("x".repeat(999_999));
  await until(() => first.text().startsWith("HTTP/1.1 200"));
  first.socket.destroy();
}, 300_000);

test("a slow client loses its room to waiting requests", async () => {
  await using weir = await start({ waitMs: 100_000, patienceMs: 0, checkMs: 10 });
  const slow = weir.begin(1_000_000);
  await until(() => weir.counts().bytes === 1_000_000);
  expect(await weir.send(200_000)).toStartWith("HTTP/1.1 200");
  await until(() => slow.text().startsWith("HTTP/1.1 408"));
  expect(slow.text()).toContain("too slowly");
  slow.socket.destroy();
}, 300_000);

test("small bodies do not wait behind large ones, and a client that disconnects stops waiting", async () => {
  await using weir = await start();
  const first = weir.begin(900_000);
  await until(() => weir.counts().bytes === 900_000);
  const second = weir.begin(900_000);
  await until(() => weir.counts().waiting === 1);
  expect(await weir.send(1_000)).toStartWith("HTTP/1.1 200");
  second.socket.destroy();
  await until(() => weir.counts().waiting === 0);
  first.socket.destroy();
  await until(() => weir.counts().bytes === 0);
}, 300_000);

test("a body without a length takes room as it arrives", async () => {
  await using weir = await start();
  const chunks = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n0\r\n\r\n`;
  const send = (bytes: number) =>
    once(
      weir.gateway,
      "POST /v1/x",
      gatewayHeaders("http://127.0.0.1:9", "Transfer-Encoding: chunked\r\n"),
      chunks(bytes),
    );
  const first = weir.begin(700_000);
  await until(() => weir.counts().bytes === 700_000);
  expect(await send(500_000)).toContain('"code":"bodies_full"');
  expect(await send(200_000)).toContain('"code":"upstream_unreachable"');
  first.socket.destroy();
  await until(() => weir.counts().bytes === 0);
  // One that is larger than all of the memory passes by itself.
  expect(await weir.send(2 * MIB)).toStartWith("HTTP/1.1 200");
}, 300_000);

test("an upload that is complete is not slow, however long its response takes", async () => {
  const budget = new BodyBudget(MIB, { waitMs: 100_000, patienceMs: 0, checkMs: 5 });
  let ended = 0;
  const first = budget.ask(MIB, () => ended++);
  first.arrived();
  const second = budget.ask(MIB, () => ended++);
  const third = budget.ask(100, () => ended++);
  await new Promise((resolve) => setTimeout(resolve, 100)); // checks pass by
  expect(ended).toBe(0);
  for (const share of [first, second, third]) share.release();
  expect(await second.given).toBe(true);
  expect(budget.counts().bytes).toBe(0);
});

test("a body of no stated length has as much time as one that states it", async () => {
  const budget = new BodyBudget(300_000, { waitMs: 100_000, patienceMs: 100, checkMs: 1 });
  const { promise: firstSlow, resolve } = Promise.withResolvers<string>();
  const stated = budget.ask(100_000, () => resolve("stated"));
  const chunked = budget.ask(65_536, () => resolve("chunked"));
  chunked.grow(200_000);
  const waiting = budget.ask(250_000, () => undefined);
  expect(await firstSlow).toBe("stated"); // it is smaller, and began before
  for (const share of [stated, chunked, waiting]) share.release();
});

test("over any requests, growth and releases, no more is held than there is, and every waiter is served", () => {
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom("ask", "ask", "grow", "release"),
      bytes: fc.integer({ min: 1, max: 120 }),
      at: fc.nat(),
    }),
    { maxLength: 60 },
  );
  return assertProperty(
    fc.asyncProperty(steps, async (list) => {
      const budget = new BodyBudget(100, FOR_EVER);
      const open: BodyShare[] = [];
      for (const { kind, bytes, at } of list) {
        const share = open[at % open.length];
        if (kind === "ask") open.push(budget.ask(bytes, () => undefined));
        else if (kind === "grow" && share?.isHeld) share.grow(share.bytes + bytes);
        else if (kind === "release" && share !== undefined) open.splice(open.indexOf(share), 1)[0]!.release();
        const held = open.filter(({ isHeld }) => isHeld);
        const sum = held.reduce((total, each) => total + each.bytes, 0);
        expect(budget.counts().bytes).toBe(sum);
        expect(sum <= 100 || held.length === 1).toBe(true);
        expect(budget.counts().waiting).toBe(open.length - held.length);
        if (open.length > 0) expect(held.length).toBeGreaterThan(0);
      }
      for (const share of open.splice(0)) share.release();
      expect(budget.counts()).toMatchObject({ bytes: 0, waiting: 0 });
    }),
  );
});

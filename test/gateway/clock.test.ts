import { afterEach, expect, setSystemTime, test } from "bun:test";
import type { Socket } from "node:net";
import { now } from "../../src/runtime/clock.ts";
import { exchangeRaw, startProvider } from "../raw-http.ts";
import { until } from "../until.ts";
import { gatewayHeaders, idOf, once, startTestGateway } from "./harness.ts";

const HOUR_MS = 3_600_000;

afterEach(async () => {
  setSystemTime();
  // Other tests of this process use the same clock.
  await until(() => Math.abs(now() - Date.now()) < 1_000);
});

test.each([
  ["forward", 48 * HOUR_MS],
  ["back", -48 * HOUR_MS],
])(
  "a wall clock that jumps %s is in no duration of an exchange in flight, and in the next one's times",
  async (_way, jumpMs) => {
    const sockets: Socket[] = [];
    await using provider = await startProvider(({ socket }) => void sockets.push(socket));
    await using gateway = await startTestGateway();
    const started = Date.now();
    const request = `POST /v1/chat HTTP/1.1\r\n${gatewayHeaders(provider.origin)}Content-Length: 2\r\nConnection: close\r\n\r\n{}`;
    const response = exchangeRaw(gateway.port, request);
    await until(() => sockets.length === 1);

    setSystemTime(new Date(started + jumpMs));
    await until(() => Math.abs(now() - started - jumpMs) < HOUR_MS); // the program has noticed
    sockets[0]!.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    const first = await gateway.spool.ended(idOf(await response));
    const { begin, head, end } = first;
    const times = [begin.time, end!.forwardedAt!, head!.time, end!.firstByteAt!, end!.time];
    expect(times.toSorted((a, b) => a - b)).toEqual(times);
    expect(end!.time - begin.time).toBeLessThan(HOUR_MS);

    const later = once(gateway, "POST /v1/chat", `${gatewayHeaders(provider.origin)}Content-Length: 2\r\n`, "{}");
    await until(() => sockets.length === 2);
    sockets[1]!.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    const second = await gateway.spool.ended(idOf(await later));
    expect(Math.abs(second.begin.time - started - jumpMs)).toBeLessThan(HOUR_MS);
    expect(second.end!.time).toBeGreaterThanOrEqual(second.begin.time);
    // Ids are given in order, whatever the clock says.
    expect(second.id > first.id).toBe(true);
  },
);

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";

test.each([
  ["with the head has its time", [`${HEAD}ok`], true],
  ["after the head has a time of its own", [HEAD, "ok"], false],
])("a first byte that arrives %s", async (_way, [first, second], isSame) => {
  const sockets: Socket[] = [];
  await using provider = await startProvider(({ socket }) => void sockets.push(socket));
  await using gateway = await startTestGateway();
  const response = once(gateway, "POST /v1/chat", `${gatewayHeaders(provider.origin)}Content-Length: 2\r\n`, "{}");
  await until(() => sockets.length === 1);
  sockets[0]!.write(first!);
  if (second !== undefined) {
    await until(() => [...gateway.spool.exchanges.values()].some(({ head }) => head !== undefined));
    sockets[0]!.write(second);
  }
  const { head, end } = await gateway.spool.ended(idOf(await response));
  expect(end!.firstByteAt === head!.time).toBe(isSame);
  expect(end!.firstByteAt).toBeGreaterThanOrEqual(head!.time);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { startUpstream, type Upstream } from "./upstream.ts";
import { gatewayHeaders, queryIds, recordsOf, startWeir, until, type Weir } from "./weir.ts";

/**
 * A full disk without a disk of one's own and without root: no file of the process may grow beyond so many bytes. Writes
 * then fail as on a full disk; the signal that comes with it is ignored, because the shell is set to ignore it before it becomes Weir.
 */
const WRAPPER = ["sh", "-c", 'trap "" XFSZ; exec "$@"', "sh"];
const limitFiles = (weir: Weir, bytes: number | "unlimited") =>
  execFileSync("prlimit", ["--pid", String(weir.pid), `--fsize=${bytes}:`]);

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream?.close());

async function send(weir: Weir): Promise<{ status: number; id: string; text: string }> {
  const response = await fetch(`${weir.gateway}/v1/anything`, {
    method: "POST",
    body: "x".repeat(5_000),
    headers: gatewayHeaders(upstream.origin),
  });
  return { status: response.status, id: response.headers.get("gateway-id") ?? "", text: await response.text() };
}

async function sendMany(weir: Weir, count: number) {
  const responses = [];
  for (let at = 0; at < count; at++) responses.push(await send(weir));
  return responses;
}

/** Sends until a request is recorded again. */
const recordsAgain = (weir: Weir) =>
  until(
    async () => {
      const { status, id } = await send(weir);
      await new Promise((wake) => setTimeout(wake, 200));
      return status === 200 && (await queryIds(weir, [id])).length === 1;
    },
    180_000,
    () => `recording does not go on; log: ${weir.log().slice(-2_000)}`,
  );

test("files that may not grow stop no traffic; what is lost is counted and shown, and afterwards recording continues", async () => {
  await using weir = await startWeir({ wrapper: WRAPPER });
  const before = await sendMany(weir, 3);
  await recordsOf(
    weir,
    before.map(({ id }) => id),
  );
  limitFiles(weir, 1);
  const during = await sendMany(weir, 30);
  expect(during.map(({ status }) => status)).toEqual(Array(30).fill(200));
  const state = (await (await fetch(`${weir.api}/readyz`)).json()) as { degraded: string[] };
  expect(state.degraded.join("\n")).toMatch(/spool/i);
  limitFiles(weir, "unlimited");
  await recordsAgain(weir);

  const lost = /^weir_\w*dropped\w*(?:\{[^}]*\})? (\d+)/m.exec(await (await fetch(`${weir.api}/metrics`)).text());
  const found = await queryIds(
    weir,
    during.map(({ id }) => id),
  );
  expect(Number(lost?.[1])).toBeGreaterThan(0);
  expect(found.length + Number(lost?.[1])).toBeGreaterThanOrEqual(during.length);
  expect(weir.log()).toMatch(/spool/i);
}, 300_000);

test("with on_spool_full = refuse they are refused with 503, and the provider is not called", async () => {
  await using weir = await startWeir({ wrapper: WRAPPER, env: { WEIR_ON_SPOOL_FULL: "refuse" } });
  await sendMany(weir, 2);
  limitFiles(weir, 1);
  const seen = upstream.seen.length;
  const responses = await sendMany(weir, 20);
  const refused = responses.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(10);
  expect(JSON.parse(refused.at(-1)!.text)).toMatchObject({ error: { type: "gateway_error", code: "spool_full" } });
  expect(upstream.seen.length - seen).toBe(responses.length - refused.length);
  limitFiles(weir, "unlimited");
  await recordsAgain(weir);
}, 300_000);

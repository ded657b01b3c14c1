import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "./upstream.ts";
import { callApi, gatewayHeaders, runCommand, startWeir, until, type Weir } from "./weir.ts";

const PER_DAY = 10_000;
const CLIENTS = 50;
/** Not approved by the configuration, as the other tests have it. */
const CLOSED = { WEIR_APPROVED_DOMAINS: "" };

interface Received {
  readonly status: number;
  readonly retryAfter: number;
  readonly text: string;
}

function send(weir: Weir, target: string, agent: Agent): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const sent = request(`${weir.gateway}/x`, { headers: gatewayHeaders(target), agent }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const { statusCode: status = 0, headers } = response;
    response.on("end", () => resolve({ status, retryAfter: Number(headers["retry-after"]), text }));
  });
  sent.on("error", reject).end();
  return promise;
}

async function decide(weir: Weir, action: string): Promise<void> {
  expect((await runCommand(weir.env, "domains", action, "127.0.0.1")).status).toBe(0);
}

const dayOf = (time: number) => Math.floor(time / 86_400_000);

/** Every request of the day goes over the wire: those of the time when the domain was approved count as well. */
test("the 10,001st request of a day to an unapproved domain waits until UTC midnight, also after kill -9", async () => {
  const begun = dayOf(Date.now());
  try {
    await spendOneDay();
  } catch (error) {
    if (dayOf(Date.now()) === begun) throw error;
    // Midnight reset the count during the run; it is not midnight again so soon.
    await spendOneDay();
  }
}, 600_000);

async function spendOneDay(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "weir-e2e-"));
  const upstream = await startUpstream();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const options = { dataDirectory: directory, env: CLOSED };
  let weir = await startWeir(options);
  try {
    const ask = () => send(weir, upstream.origin, agent);
    await decide(weir, "approve");
    const isUnlimited = async () => (await ask()).status === 200 && (await ask()).status === 200;
    let sent = 0;
    await until(
      async () => ++sent > 0 && (await isUnlimited()),
      180_000,
      () => "the domain is not approved",
    );
    let left = PER_DAY - 500;
    const client = async () => {
      while (left-- > 0) expect((await ask()).status).toBe(200);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));

    const row = async () => {
      const { data } = (await (await callApi(weir, "/v1/domains")).json()) as { data: Record<string, unknown>[] };
      return data.find(({ domain }) => domain === "127.0.0.1") ?? {};
    };
    const says = (state: string, requests: number) =>
      until(
        async () => {
          const { state: now, requests_today } = await row();
          return now === state && requests_today === requests;
        },
        180_000,
        () => `it is not ${state} with ${requests} requests`,
      );
    left = PER_DAY - 1 - Number((await row())["requests_today"]);
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await says("approved", PER_DAY - 1);
    await decide(weir, "revoke");
    await says("revoked", PER_DAY - 1);
    expect((await ask()).status).toBe(200);
    await says("revoked", PER_DAY);

    const expectSpent = async () => {
      const { status, retryAfter, text } = await ask();
      expect([status, text]).toEqual([429, expect.stringContaining("10,000 requests per UTC day")]);
      const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400;
      expect(Math.abs(retryAfter - (midnight - Date.now() / 1_000))).toBeLessThan(30);
    };
    await expectSpent();
    await weir.kill();
    weir = await startWeir(options);
    await expectSpent();
    await decide(weir, "approve");
    await until(
      async () => (await ask()).status === 200,
      180_000,
      () => "an approved domain is limited",
    );
  } finally {
    agent.destroy();
    await weir.stop();
    upstream.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

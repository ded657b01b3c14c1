import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { nextAttempt } from "../../src/jobs/delivery/retry.ts";
import { insertRecord, openApi, type TestApi } from "../api/open.ts";
import { freePort } from "../ports.ts";
import { until } from "../until.ts";
import { isSignedWith, startReceiver } from "./receiver.ts";

const mails: string[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH"], // it offers TLS with a self-signed certificate
  onData(stream, _session, done) {
    let text = "";
    stream.on("data", (chunk) => (text += chunk));
    stream.on("end", () => {
      mails.push(text);
      done();
    });
  },
});

let api: TestApi;
beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as { port: number };
  api = await openApi({
    alerts_cron: "* * * * * *",
    allow_private_targets: ["127.0.0.1"],
    smtp_url: `smtp://127.0.0.1:${port}`,
    smtp_from: "Weir <weir@weir.test>",
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

const ERRORS = {
  name: "failures",
  metric: "errors",
  comparison: "above",
  threshold: 1,
  window_seconds: 600,
  cooldown_seconds: 0,
};

async function make(changes: object) {
  const { json } = await api.call("POST", "/v1/alerts", { body: { ...ERRORS, ...changes } });
  expect(json.error).toBe(null);
  return json.data;
}

const failed = (user: string, model = "m") => {
  const now = Date.now();
  return insertRecord(api.store, api.organization, {
    request_created_at: now,
    response_status: 500,
    model,
    user_id: user,
    properties: JSON.stringify({ Team: "night" }),
  });
};

const ofUser = (user: string) => ({ request_response_rmt: { user_id: { equals: user } } });

describe("an alert", () => {
  test("sends one signed delivery per group when it triggers, and one when it is resolved", async () => {
    using receiver = startReceiver();
    const alert = await make({
      group_by: ["model"],
      filter: ofUser("groups"),
      channels: [{ type: "webhook", url: receiver.url }],
    });
    const ids = [];
    const startedAt = Math.floor(Date.now() / 1_000);
    for (const model of ["a", "a", "b", "b", "c"]) ids.push(await failed("groups", model));
    const first = await receiver.waitFor(2);
    const [secret] = alert.channels.map(({ secret }: { secret: string }) => secret);
    expect(first.every((each) => isSignedWith(secret, each))).toBe(true);
    for (const { timestamp } of first) expect(timestamp).toBeWithin(startedAt, Date.now() / 1_000 + 1);
    const bodies = first.map(({ text }) => JSON.parse(text));
    expect(bodies.map(({ group }) => group.model).sort()).toEqual(["a", "b"]);
    expect(bodies[0]).toMatchObject({
      type: "alert.triggered",
      alert_id: alert.id,
      name: "failures",
      metric: "errors",
      threshold: 1,
      value: 2,
      requests: 2,
    });
    const read = await api.call("GET", `/v1/alerts/${alert.id}`);
    expect(read.json.data).toMatchObject({ state: "firing", error: null, checked_at: expect.any(String) });
    expect(read.json.data.firing.map(({ value }: { value: number }) => value)).toEqual([2, 2]);

    await api.call("DELETE", "/v1/request", { body: { requestIds: ids } });
    const all = await receiver.waitFor(4);
    const resolved = all.slice(2).map(({ text }) => JSON.parse(text));
    expect(resolved.map(({ type, group, value }) => [type, group.model, value]).sort()).toEqual([
      ["alert.resolved", "a", 0],
      ["alert.resolved", "b", 0],
    ]);
    const { json } = await api.call("GET", `/v1/alerts/${alert.id}/history`);
    expect(json.data.map(({ kind }: { kind: string }) => kind)).toEqual([
      "resolved",
      "resolved",
      "triggered",
      "triggered",
    ]);
    const sent = await api.call("GET", `/v1/alerts/${alert.id}/deliveries`);
    expect(
      new Set(sent.json.data.map(({ state, attempts, last_status }: never) => [state, attempts, last_status].join())),
    ).toEqual(new Set(["delivered,1,200"]));
    expect(receiver.received.length).toBe(4);
  }, 300_000);

  test("is sent again under the same id until it is taken", async () => {
    using receiver = startReceiver((seen) => new Response(null, { status: [503, 429][seen] ?? 200 }));
    const alert = await make({
      filter: ofUser("again"),
      channels: [{ type: "webhook", url: receiver.url }],
    });
    await failed("again");
    await failed("again");
    const [taken] = await receiver.waitFor(1);
    expect(receiver.received.map(({ id, status }) => [id, status])).toEqual([
      [taken!.id, 503],
      [taken!.id, 429],
      [taken!.id, 200],
    ]);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    await until(
      async () => (await sentOf(alert.id))[0].state === "delivered",
      180_000,
      () => "it is not noted",
    );
    expect(await sentOf(alert.id)).toMatchObject([{ id: taken!.id, attempts: 3, last_status: 200, last_error: null }]);
  }, 300_000);

  test("sends an e-mail with the metric, its value and its group", async () => {
    await make({
      name: "mailed",
      group_by: ["property:Team"],
      filter: ofUser("mail"),
      channels: [{ type: "email", to: "ops@weir.test" }],
    });
    await failed("mail");
    await failed("mail");
    await until(
      () => mails.length > 0,
      180_000,
      () => "no mail",
    );
    expect(mails[0]).toContain("To: ops@weir.test");
    expect(mails[0]).toContain("From: Weir <weir@weir.test>");
    expect(mails[0]).toContain("Subject: [Weir] mailed: triggered (property:Team night)");
    expect(mails[0]).toMatch(/Message-ID: <msg_[0-9a-f-]+@weir.test>/i);
    expect(mails[0]!.replaceAll("=\r\n", "")).toContain("errors is 2, of 2 requests in the last 10 minutes.");
  }, 300_000);

  test("sends a test to every channel, and reports each result", async () => {
    using receiver = startReceiver();
    const port = await freePort();
    const channels = [
      { type: "webhook", url: receiver.url },
      { type: "webhook", url: `http://127.0.0.1:${port}/` },
    ];
    const { id } = await make({ filter: ofUser("none"), channels });
    const { json } = await api.call("POST", `/v1/alerts/${id}/test`);
    expect(json.data).toMatchObject([
      { kind: "test", state: "delivered", attempts: 1, last_status: 200 },
      { kind: "test", state: "pending", last_status: null, last_error: expect.any(String) },
    ]);
    expect(JSON.parse(receiver.received[0]!.text)).toMatchObject({ type: "alert.test", alert_id: id, value: null });
  }, 300_000);
});

describe("a delivery", () => {
  test.each([
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "/elsewhere" } }), 302, "pending"],
    ["a refusal", () => new Response("no", { status: 400 }), 400, "pending"],
    ["gone", () => new Response(null, { status: 410 }), 410, "failed"],
    ["a long response", () => new Response("x".repeat(5_000_000)), 200, "delivered"],
  ])("that gets %s has the state for it", async (_name, respond, status, state) => {
    using receiver = startReceiver(respond);
    const { json } = await api.call("POST", "/v1/webhooks", { body: { url: receiver.url } });
    const tested = await api.call("POST", `/v1/webhooks/${json.data.id}/test`);
    expect(tested.json.data).toMatchObject([{ state, attempts: 1, last_status: status }]);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
    await api.call("DELETE", `/v1/webhooks/${json.data.id}`);
  });

  test("never reaches a forbidden address that its name resolves to", async () => {
    using receiver = startReceiver();
    const url = receiver.url.replace("127.0.0.1", "[::ffff:7f00:1]");
    const refused = await api.call("POST", "/v1/webhooks", { body: { url: url.replace("7f00:1", "7f00:2") } });
    expect(refused.status).toBe(400);
    // Stored before the rules were tightened, or by another deployment.
    const { json } = await api.call("POST", "/v1/webhooks", { body: { url: "http://example.test/" } });
    await api.store.records.batch([
      { sql: "update webhooks set url = ? where id = ?", args: ["http://127.0.0.2:1/", json.data.id] },
    ]);
    const tested = await api.call("POST", `/v1/webhooks/${json.data.id}/test`);
    expect(tested.json.data[0]).toMatchObject({ state: "pending", last_error: expect.stringContaining("127.0.0.2") });
    await api.call("DELETE", `/v1/webhooks/${json.data.id}`);
  });

  test("never goes to this program's own listeners", async () => {
    const { json } = await api.call("POST", "/v1/webhooks", { body: { url: `${api.origin}/v1/keys` } });
    const tested = await api.call("POST", `/v1/webhooks/${json.data.id}/test`);
    expect(tested.json.data[0].last_error).toContain("this gateway itself");
    await api.call("DELETE", `/v1/webhooks/${json.data.id}`);
  });
});

test("deliveries are counted by their outcome in the metrics", async () => {
  using receiver = startReceiver((seen) => new Response(null, { status: [410][seen] ?? 200 }));
  const counted = async (outcome: string) => {
    const text = await (await fetch(`${api.origin}/metrics`)).text();
    return Number(new RegExp(`^weir_deliveries_total\\{outcome="${outcome}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  };
  const before = { delivered: await counted("delivered"), failed: await counted("failed") };
  const { json } = await api.call("POST", "/v1/webhooks", { body: { url: receiver.url } });
  for (let at = 0; at < 2; at++) await api.call("POST", `/v1/webhooks/${json.data.id}/test`);
  await until(
    async () => (await counted("delivered")) > before.delivered && (await counted("failed")) > before.failed,
    180_000,
    () => "the two outcomes are not counted",
  );
  await api.call("DELETE", `/v1/webhooks/${json.data.id}`);
});

test.each([
  [1, 0, 1_000],
  [1, 1, 500],
  [5, 0, 16_000],
  [13, 0, 3_600_000],
  [50, 0, 3_600_000],
])("after attempt %d, by chance %d, the next comes in %d ms", (attempts, chance, expected) => {
  expect(nextAttempt(attempts, { now: 0, endsAt: 1e9, random: () => chance })).toBe(expected);
});

test("the next attempt waits as long as Retry-After says, at most an hour, and never comes after the end", () => {
  const random = () => 0;
  expect(nextAttempt(1, { now: 0, endsAt: 1e9, retryAfterMs: 30_000, random })).toBe(30_000);
  expect(nextAttempt(1, { now: 0, endsAt: 1e9, retryAfterMs: 1e8, random })).toBe(3_600_000);
  expect(nextAttempt(4, { now: 0, endsAt: 7_999, random })).toBe(undefined);
});

async function sentOf(id: string) {
  return (await api.call("GET", `/v1/alerts/${id}/deliveries`)).json.data;
}

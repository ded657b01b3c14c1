import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openApi, type TestApi } from "../open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi({
    allow_private_targets: ["127.0.0.1"],
    smtp_url: "smtp://127.0.0.1:1",
    smtp_from: "w@weir.test",
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const LEAST = { name: "too dear", metric: "cost", comparison: "above", threshold: 5, window_seconds: 300 };
const WEBHOOK = { type: "webhook", url: "http://127.0.0.1:9/hook" };

async function make(changes: object = {}, key?: string) {
  const { status, json } = await api.call("POST", "/v1/alerts", {
    body: { ...LEAST, ...changes },
    ...(key && { key }),
  });
  expect({ status, message: json.message }).toEqual({ status: 200, message: undefined });
  return json.data;
}

describe("an alert", () => {
  test("is returned as it was created, with its defaults", async () => {
    const made = await make({ group_by: ["model", "property:Team"] });
    expect(made).toMatchObject({
      ...LEAST,
      filter: "all",
      group_by: ["model", "property:Team"],
      minimum_requests: 0,
      cooldown_seconds: 300,
      channels: [],
      enabled: true,
      state: "ok",
      firing: [],
      checked_at: null,
      error: null,
    });
    const { json } = await api.call("GET", `/v1/alerts/${made.id}`);
    expect(json.data).toEqual(made);
  });

  test("shows the secret of a webhook channel in the response that makes it, and never again", async () => {
    const made = await make({ channels: [WEBHOOK, { type: "email", to: "ops@weir.test" }] });
    expect(made.channels).toEqual([
      { id: expect.any(String), ...WEBHOOK, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
      { id: expect.any(String), type: "email", to: "ops@weir.test" },
    ]);
    const read = await api.call("GET", `/v1/alerts/${made.id}`);
    expect(read.json.data.channels[0]).toEqual({ id: made.channels[0].id, ...WEBHOOK });
    const listed = await api.call("GET", "/v1/alerts");
    expect(JSON.stringify(listed.json)).not.toContain("whsec_");
    const { json } = await api.call("PATCH", `/v1/alerts/${made.id}`, { body: { threshold: 6 } });
    expect(json.data).toMatchObject({ threshold: 6, channels: read.json.data.channels });
    expect(JSON.stringify(json)).not.toContain("whsec_");
  });

  test("keeps the channels that are named again, with their secrets, and gives new ones their own", async () => {
    const made = await make({ channels: [WEBHOOK] });
    const other = { type: "webhook", url: "http://127.0.0.1:9/other" };
    const { json } = await api.call("PUT", `/v1/alerts/${made.id}`, { body: { ...LEAST, channels: [other, WEBHOOK] } });
    expect(json.data.channels).toEqual([
      { id: expect.any(String), ...other, secret: expect.stringContaining("whsec_") },
      { id: made.channels[0].id, ...WEBHOOK },
    ]);
    const [row] = await api.store.records.query<{ channels: string }>({
      sql: "select channels from alerts where id = ?",
      args: [made.id],
    });
    expect(JSON.parse(row!.channels)[1].secret).toBe(made.channels[0].secret);
  });

  test("shows no key and no address that anybody could post to, and keeps them", async () => {
    const secrets = [
      "T0/B0/slackSecret",
      "teamsSecret",
      "discordSecret",
      "0123456789abcdefABCDEF0123456789",
      "genie-key-1234",
    ];
    const [slack, teams, discord, routing_key, api_key] = secrets;
    const made = await make({
      channels: [
        { type: "slack", url: `http://127.0.0.1:9/${slack}` },
        { type: "teams", url: `http://127.0.0.1:9/${teams}` },
        { type: "discord", url: `http://127.0.0.1:9/${discord}` },
        { type: "pagerduty", routing_key },
        { type: "opsgenie", api_key, priority: "P2", url: "http://127.0.0.1:9/v2/alerts" },
      ],
    });
    const stored = async () => {
      const sql = "select channels from alerts where id = ?";
      return (await api.store.records.query<{ channels: string }>({ sql, args: [made.id] }))[0]!.channels;
    };
    const before = await stored();
    expect(secrets.filter((secret) => !before.includes(secret!))).toEqual([]);
    expect(made.channels).toMatchObject([
      { type: "slack", address: "http://127.0.0.1:9/…cret" },
      { type: "teams" },
      { type: "discord" },
      { type: "pagerduty", address: "…6789", severity: "error", url: "https://events.pagerduty.com/v2/enqueue" },
      { type: "opsgenie", address: "…1234", priority: "P2" },
    ]);
    const { json: patched } = await api.call("PATCH", `/v1/alerts/${made.id}`, { body: { threshold: 7 } });
    const { json: put } = await api.call("PUT", `/v1/alerts/${made.id}`, {
      body: { ...LEAST, channels: made.channels },
    });
    const { json: listed } = await api.call("GET", "/v1/alerts");
    for (const shown of [made, patched, put, listed]) {
      expect(secrets.filter((secret) => JSON.stringify(shown).includes(secret!))).toEqual([]);
    }
    expect(await stored()).toBe(before);
    const elsewhere = [{ ...made.channels[4], url: "http://127.0.0.1:9/mine" }];
    const stolen = await api.call("PATCH", `/v1/alerts/${made.id}`, { body: { channels: elsewhere } });
    expect(stolen.json).toMatchObject({ error: 400, path: "channels.0.api_key" });
  });

  test("shows the address of a webhook only to callers that may read bodies, and keeps it for the others", async () => {
    const order = { name: "figures", scopes: ["figures", "write"] };
    const { key } = (await api.call("POST", "/v1/keys", { body: order })).json.data;
    const channel = { type: "webhook", url: "http://127.0.0.1:9/secretToken" };
    const { id } = await make({ channels: [channel, { type: "email", to: "ops@weir.test" }] });
    const read = await api.call("GET", `/v1/alerts/${id}`, { key });
    expect(read.json.data.channels).toEqual([
      { id: expect.any(String), type: "webhook", address: "http://127.0.0.1:9/…oken" },
      { id: expect.any(String), type: "email", to: "ops@weir.test" },
    ]);
    const { channels } = read.json.data;
    const answers = [
      read,
      await api.call("GET", "/v1/alerts", { key }),
      await api.call("PATCH", `/v1/alerts/${id}`, { key, body: { threshold: 8 } }),
      await api.call("PUT", `/v1/alerts/${id}`, { key, body: { ...LEAST, channels } }),
    ];
    expect(answers.map(({ status, json }) => [status, JSON.stringify(json).includes("secretToken")])).toEqual(
      answers.map(() => [200, false]),
    );
    const { json } = await api.call("GET", `/v1/alerts/${id}`);
    expect(json.data.channels[0]).toEqual({ id: channels[0].id, ...channel });
    const removed = await api.call("DELETE", `/v1/alerts/${id}`, { key });
    expect([removed.status, JSON.stringify(removed.json).includes("secretToken")]).toEqual([200, false]);
  });

  test("over a day, a week or a month of a time zone", async () => {
    const { window_seconds: _, ...rule } = LEAST;
    const { json } = await api.call("POST", "/v1/alerts", {
      body: { ...rule, calendar: "month", time_zone: "Asia/Tokyo" },
    });
    expect(json.data).toMatchObject({ calendar: "month", time_zone: "Asia/Tokyo", window_seconds: 31 * 86_400 });
    const { json: same } = await api.call("PATCH", `/v1/alerts/${json.data.id}`, { body: { threshold: 9 } });
    expect(same.data).toMatchObject({ calendar: "month", time_zone: "Asia/Tokyo", threshold: 9 });
    const sliding = { calendar: null, time_zone: null, window_seconds: 60 };
    const { json: other } = await api.call("PATCH", `/v1/alerts/${json.data.id}`, { body: sliding });
    expect(other.data).toMatchObject(sliding);
    const { json: day } = await api.call("POST", "/v1/alerts", { body: { ...rule, calendar: "day" } });
    expect(day.data).toMatchObject({ calendar: "day", time_zone: "UTC" });
  });

  test("without channels cannot be tested, and says why", async () => {
    const { id } = await make();
    const { status, json } = await api.call("POST", `/v1/alerts/${id}/test`);
    expect([status, json.code, json.message]).toEqual([400, "invalid_body", expect.stringContaining("no channels")]);
  });

  test("is gone when it was removed, history included", async () => {
    const { id } = await make();
    expect((await api.call("DELETE", `/v1/alerts/${id}`)).json.data.id).toBe(id);
    for (const path of ["", "/history", "/deliveries"]) {
      expect((await api.call("GET", `/v1/alerts/${id}${path}`)).status).toBe(404);
    }
  });

  test("of another organization is not there", async () => {
    const { id } = await make();
    const key = api.keys.other;
    for (const [method, path, body] of [
      ["GET", ""],
      ["GET", "/history"],
      ["GET", "/deliveries"],
      ["POST", "/test"],
      ["PUT", "", LEAST],
      ["PATCH", "", {}],
      ["DELETE", ""],
    ] as const) {
      const { status } = await api.call(method, `/v1/alerts/${id}${path}`, { key, ...(body && { body }) });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    expect((await api.call("GET", "/v1/alerts", { key })).json.data).toEqual([]);
  });

  test.each([
    ["GET", "/v1/alerts", "read"],
    ["POST", "/v1/alerts", "write"],
    ["DELETE", "/v1/alerts/x", "write"],
    ["POST", "/v1/alerts/x/test", "write"],
    ["GET", "/v1/webhooks", "read"],
    ["POST", "/v1/webhooks", "admin"],
    ["PATCH", "/v1/webhooks/x", "admin"],
    ["DELETE", "/v1/webhooks/x", "admin"],
    ["GET", "/v1/retention", "admin"],
    ["PUT", "/v1/retention", "admin"],
    ["POST", "/v1/retention/run", "admin"],
    ["GET", "/v1/storage", "read"],
  ] as const)("%s %s needs %s", async (method, path, scope) => {
    const keys = {
      read: ["write", "gateway"],
      write: ["read", "gateway"],
      admin: ["read", "write", "gateway"],
    } as const;
    for (const key of keys[scope]) {
      expect((await api.call(method, path, { key: api.keys[key], ...(method !== "GET" && { body: {} }) })).status).toBe(
        403,
      );
    }
  });
});

test.each([
  ["no metric with that name", { metric: "costs" }, "metric", 'did you mean "cost"'],
  ["no comparison with that name", { comparison: "over" }, "comparison", "above"],
  ["a threshold that is no number", { threshold: "5" }, "threshold", ""],
  ["a rate over 1", { metric: "error_rate", threshold: 5 }, "threshold", "0.05 for 5 %"],
  ["neither a window nor a calendar", { window_seconds: undefined }, "window_seconds", "calendar"],
  ["a calendar that there is not", { calendar: "yaer" }, "calendar", "day"],
  ["a time zone that there is not", { calendar: "day", time_zone: "Mars/Olympus" }, "time_zone", "Europe/Berlin"],
  ["a time zone without a calendar", { time_zone: "Europe/Berlin" }, "time_zone", "sliding"],
  ["a chat without an address", { channels: [{ type: "slack" }] }, "channels.0.url", "slack needs url"],
  ["a channel that was removed", { channels: [{ type: "slack", id: "gone" }] }, "channels.0.url", "no channel gone"],
  ["a routing key too short", { channels: [{ type: "pagerduty", routing_key: "x" }] }, "channels.0.routing_key", "32"],
  [
    "a severity that there is not",
    { channels: [{ type: "pagerduty", routing_key: "a".repeat(32), severity: "eror" }] },
    "channels.0.severity",
    'did you mean "error"',
  ],
  ["a key with a space", { channels: [{ type: "opsgenie", api_key: "a key with" }] }, "channels.0.api_key", ""],
  ["a private address", { channels: [{ type: "teams", url: "http://10.1.1.1/" }] }, "channels.0.url", "10.1.1.1"],
  ["a channel of no type", { channels: [{ type: "pager" }] }, "channels.0.type", ""],
  ["a window of no length", { window_seconds: 0 }, "window_seconds", ""],
  ["a window of a year", { window_seconds: 31_536_000 }, "window_seconds", ""],
  ["a member that there is not", { windows: 5 }, "windows", ""],
  ["an empty name", { name: "" }, "name", ""],
  ["a group that there is not", { group_by: ["model", "modle"] }, "group_by.1", 'did you mean "model"'],
  ["a filter field that there is not", { filter: leaf("latencyy") }, "filter.request_response_rmt.latencyy", "latency"],
  [
    "a wrong value deep in a filter",
    { filter: { left: "all", operator: "and", right: leaf("cost", { gte: "much" }) } },
    "filter.right.request_response_rmt.cost.gte",
    "",
  ],
  [
    "a filter operator that there is not",
    { filter: { left: "all", operator: "xor", right: "all" } },
    "filter.operator",
    "",
  ],
  ["a channel of no kind", { channels: [{ type: "pager" }] }, "channels.0.type", '"webhook", "email"'],
  ["a misspelt kind", { channels: [{ type: "emial", to: "a@b.test" }] }, "channels.0.type", 'did you mean "email"?'],
  ["a kind that is no text", { channels: [WEBHOOK, { type: 3 }] }, "channels.1.type", ""],
  ["a channel without its kind", { channels: [{ url: "https://a.test/" }] }, "channels.0.type", ""],
  ["a channel that is no object", { channels: ["ops@a.test"] }, "channels.0", '{"type": "email", "to"}'],
  ["a webhook without an address", { channels: [{ type: "webhook" }] }, "channels.0.url", ""],
  ["a webhook with what an e-mail has", { channels: [{ ...WEBHOOK, to: "a@b.test" }] }, "channels.0.to", 'no "to"'],
  ["an address of another scheme", { channels: [{ type: "webhook", url: "ftp://a.test/" }] }, "channels.0.url", "http"],
  [
    "an address with a password",
    { channels: [{ type: "webhook", url: "https://a:b@c.test/" }] },
    "channels.0.url",
    "password",
  ],
  [
    "a private address",
    { channels: [{ type: "webhook", url: "http://10.0.0.1/" }] },
    "channels.0.url",
    "WEIR_ALLOW_PRIVATE_TARGETS",
  ],
  [
    "a private address as a number",
    { channels: [{ type: "webhook", url: "http://0xa000001/" }] },
    "channels.0.url",
    "10.0.0.1",
  ],
  [
    "a metadata service",
    { channels: [{ type: "webhook", url: "http://metadata.google.internal/" }] },
    "channels.0.url",
    "",
  ],
  ["the same channel twice", { channels: [WEBHOOK, WEBHOOK] }, "channels.1", "twice"],
  ["a short secret", { channels: [{ ...WEBHOOK, secret: "whsec_c2hvcnQ=" }] }, "channels.0.secret", "24 to 64 bytes"],
  [
    "two mail addresses in one",
    { channels: [{ type: "email", to: "a@b.test,c@d.test" }] },
    "channels.0.to",
    "one e-mail",
  ],
  [
    "a mail header in an address",
    { channels: [{ type: "email", to: "a@b.test\r\nBcc: c@d.test" }] },
    "channels.0.to",
    "",
  ],
])("an alert is refused for %s, and the path says where", async (_name, changes, path, says) => {
  const { status, json } = await api.call("POST", "/v1/alerts", { body: { ...LEAST, ...changes } });
  expect({ status, path: json.path, data: json.data }).toEqual({ status: 400, path, data: [] });
  expect(json.message).toContain(says);
});

test("an alert cannot mail where no mail server is configured", async () => {
  await using plain = await openApi();
  const body = { ...LEAST, channels: [{ type: "email", to: "a@b.test" }] };
  const { status, json } = await plain.call("POST", "/v1/alerts", { body });
  expect({ status, path: json.path }).toEqual({ status: 400, path: "channels.0.type" });
});

function leaf(field: string, condition: object = { equals: 1 }) {
  return { request_response_rmt: { [field]: condition } };
}

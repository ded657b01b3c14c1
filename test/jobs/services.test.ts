import { afterAll, beforeAll, expect, test } from "bun:test";
import { callsOf, type ServiceChannel } from "../../src/jobs/delivery/messages/calls.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { insertRecord, openApi, type TestApi } from "../api/open.ts";
import { until } from "../until.ts";
import { startReceiver } from "./receiver.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi({
    alerts_cron: "* * * * * *",
    allow_private_targets: ["127.0.0.1"],
    public_url: "https://weir.example.com/",
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const ERRORS = { name: "failures", metric: "errors", comparison: "above", threshold: 1, window_seconds: 600 };
const ROUTING_KEY = "0123456789abcdefABCDEF0123456789";

async function make(changes: object) {
  const { json } = await api.call("POST", "/v1/alerts", { body: { ...ERRORS, cooldown_seconds: 0, ...changes } });
  expect(json.error).toBe(null);
  return json.data;
}

const failed = (user: string) =>
  insertRecord(api.store, api.organization, {
    request_created_at: Date.now(),
    response_status: 500,
    model: "m",
    user_id: user,
  });

/** As each service documents it: what opens, with the user's name in it, and what closes. */
const SERVICES = [
  ["slack", { url: "URL" }],
  ["teams", { url: "URL" }],
  ["discord", { url: "URL" }],
  ["pagerduty", { url: "URL", routing_key: ROUTING_KEY, severity: "critical" }],
  ["opsgenie", { url: "URL", api_key: "genie-key-1234", priority: "P1" }],
] as const;

test.each(SERVICES)(
  "%s is notified when an alert triggers and when it is resolved, with a link to the requests",
  async (type, members) => {
    // Chats return 200 or 204, pagers 202.
    using receiver = startReceiver(() => new Response(null, { status: 202 }));
    const user = `<b>*${type}*</b> @everyone`;
    const channel = { type, ...members, url: receiver.url };
    const filter = { request_response_rmt: { user_id: { equals: user } } };
    const alert = await make({ name: "failures & more", filter, group_by: ["user"], channels: [channel] });
    await failed(user);
    await failed(user);
    await until(() => receiver.received.length >= 1, 180_000);
    const { id } = alert;
    await api.call("PATCH", `/v1/alerts/${id}`, { body: { enabled: false } });
    await until(() => receiver.received.length >= 2, 180_000);
    const [opened, closed] = receiver.received.map(({ text }) => JSON.parse(text));
    const link = JSON.stringify(opened).match(/https:\/\/weir\.example\.com\/requests\?[^"\\]+/)?.[0];
    const search = new URL(link!).searchParams;
    expect(JSON.parse(search.get("filter")!)).toEqual({ left: filter, operator: "and", right: filter });
    expect(Date.parse(search.get("to")!) - Date.parse(search.get("from")!)).toBe(600_000);
    expect({ type, opened, closed, paths: receiver.received.map(({ path }) => path) }).toMatchObject(
      EXPECTED[type]!(
        user,
        receiver.received.map(({ headers }) => headers.get("authorization")),
      ),
    );
  },
);

const EXPECTED: Readonly<Record<string, (user: string, authorization: (string | null)[]) => object>> = {
  slack: (user) => ({
    opened: {
      text: `failures &amp; more: triggered (user ${user.replaceAll("<", "&lt;").replaceAll(">", "&gt;")})`,
      blocks: [
        { type: "header", text: { type: "plain_text", text: `failures & more: triggered (user ${user})` } },
        { type: "section", text: { text: "errors is 2, of 2 requests in the last 10 minutes." } },
        { type: "actions", elements: [{ type: "button", url: expect.any(String) }] },
        { type: "context" },
      ],
    },
    closed: { blocks: [{ text: { text: expect.stringContaining("resolved") } }, {}, {}, {}] },
  }),
  teams: (user) => ({
    opened: {
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              { text: `failures & more: triggered (user ${user.replace(/[<>*]/g, "\\$&")})`, color: "attention" },
              {},
              { type: "FactSet" },
            ],
            actions: [{ type: "Action.OpenUrl", url: expect.any(String) }],
          },
        },
      ],
    },
    closed: { attachments: [{ content: { body: [{ color: "good" }, {}, {}] } }] },
  }),
  discord: () => ({
    opened: { allowed_mentions: { parse: [] }, embeds: [{ color: 0xd92d20, url: expect.any(String) }] },
    closed: { embeds: [{ color: 0x12b76a }] },
  }),
  pagerduty: () => ({
    opened: {
      routing_key: ROUTING_KEY,
      event_action: "trigger",
      dedup_key: expect.stringMatching(/^weir:.{36}:[0-9a-f]{16}$/),
      payload: {
        severity: "critical",
        source: "weir",
        class: "errors",
        summary: expect.stringContaining("failures & more"),
      },
      links: [{ href: expect.any(String) }],
    },
    closed: { routing_key: ROUTING_KEY, event_action: "resolve" },
  }),
  opsgenie: (_user, authorization) => {
    expect(authorization).toEqual(["GenieKey genie-key-1234", "GenieKey genie-key-1234"]);
    return {
      paths: ["/hook", expect.stringMatching(/^\/hook\/weir-[0-9a-f-]+\/close$/)],
      opened: { priority: "P1", alias: expect.stringMatching(/^weir-/), message: expect.any(String), source: "Weir" },
      closed: { source: "Weir" },
    };
  },
};

test("the events that open and close an incident have one key; each group has its own", () => {
  const channel = { id: "c", type: "pagerduty", routing_key: ROUTING_KEY, severity: "error", url: "u" } as const;
  const event = (type: string, user: string) => ({ ...PAYLOAD, type: `alert.${type}`, group: { user } });
  const keyOf = (type: string, user: string) =>
    (callsOf(channel, event(type, user))[0]!.body as { dedup_key: string }).dedup_key;
  expect(keyOf("triggered", "ada")).toBe(keyOf("resolved", "ada"));
  expect(keyOf("triggered", "ada")).not.toBe(keyOf("triggered", "bob"));
  expect(keyOf("test", "ada")).not.toBe(keyOf("triggered", "ada"));
});

const PAYLOAD = {
  type: "alert.triggered",
  timestamp: "2026-03-01T12:00:00.000Z",
  alert_id: "018f0000-0000-7000-8000-000000000000",
  name: "n".repeat(200),
  metric: "cost",
  comparison: "above",
  threshold: 5,
  window_seconds: 86_400,
  calendar: "day",
  group: { user: "😀".repeat(5_000), model: "x".repeat(9_000) },
  value: 6.123456789,
  requests: 10,
  reason: "cost is above 5",
  triggered_at: "2026-03-01T12:00:00.000Z",
  requests_url: `https://weir.example.com/requests?filter=${"f".repeat(1_500)}`,
};

test("a test opens an incident and closes it; nothing else is sent twice", () => {
  const channels: ServiceChannel[] = [
    { id: "c", type: "slack", url: "https://hooks.example.com/x" },
    { id: "c", type: "pagerduty", routing_key: ROUTING_KEY, severity: "critical", url: "https://e.example.com" },
    { id: "c", type: "opsgenie", api_key: "genie-key-1234", priority: "P1", url: "https://o.example.com/v2/alerts/" },
  ];
  const calls = channels.map((channel) => callsOf(channel, { ...PAYLOAD, type: "alert.test" }));
  expect(calls.map(({ length }) => length)).toEqual([1, 2, 2]);
  expect(calls[1]!.map(({ body }) => body)).toMatchObject([
    { event_action: "trigger", payload: { severity: "info" } },
    { event_action: "resolve" },
  ]);
  expect(calls[2]![1]!.url).toMatch(
    /^https:\/\/o\.example\.com\/v2\/alerts\/weir-test-[^/]+\/close\?identifierType=alias$/,
  );
  expect(calls[2]![0]!.body).toMatchObject({ priority: "P5" });
});

test("the longest names are cut to the limits of the services, and no character is halved", () => {
  const bodyOf = (channel: ServiceChannel) => callsOf(channel, PAYLOAD)[0]!.body as Json;
  const slack = bodyOf({ id: "c", type: "slack", url: "u" });
  expect(slack["blocks"][0].text.text.length).toBeLessThanOrEqual(150);
  const discord = bodyOf({ id: "c", type: "discord", url: "u" });
  expect(discord["embeds"][0].title.length).toBeLessThanOrEqual(256);
  const pager = bodyOf({ id: "c", type: "pagerduty", routing_key: ROUTING_KEY, severity: "error", url: "u" });
  expect(pager["payload"].summary.length).toBeLessThanOrEqual(1_024);
  expect(pager["dedup_key"].length).toBeLessThanOrEqual(255);
  const genie = bodyOf({ id: "c", type: "opsgenie", api_key: "k", priority: "P1", url: "https://o" });
  expect([genie["message"].length <= 130, genie["alias"].length <= 512, genie["description"].length <= 15_000]).toEqual(
    [true, true, true],
  );
  const teams = bodyOf({ id: "c", type: "teams", url: "u" });
  expect(JSON.stringify(teams).length).toBeLessThan(28_000);
  for (const body of [slack, discord, pager, genie, teams])
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89ab][0-9a-f]{2}(?!\\ud)/i);
  expect(slack["blocks"][1].text.text).toBe("cost is $6.12346, of 10 requests this day.");
});

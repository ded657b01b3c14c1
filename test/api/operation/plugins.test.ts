import { expect, test } from "bun:test";
import { openApi } from "../open.ts";

const door = {
  name: "door",
  file: "/plugins/door.ts",
  source: "drop-in",
  state: "loaded",
  reason: null,
  hooks: ["onRequest"],
  routes: [],
} as const;

test("GET /v1/plugins shows each file with the failures of its hooks in both threads", async () => {
  await using api = await openApi();
  api.plugins = [door, { ...door, name: "office hours", file: "/plugins/hours.ts" }];
  api.gatewayHooks = { failures: { "door onRequest": 3, "office hours onEnd": 1 }, degraded: [] };
  api.recorderHooks = {
    failures: { "door onRecord": 2 },
    degraded: [`plugin /plugins/hours.ts: the name is taken by ${door.file}; kept`],
  };
  const { status, json } = await api.call("GET", "/v1/plugins", { key: api.keys.read });
  expect(status).toBe(200);
  expect(json.data).toEqual([
    {
      ...door,
      failures: [
        { thread: "gateway", hook: "onRequest", count: 3 },
        { thread: "recorder", hook: "onRecord", count: 2 },
      ],
    },
    {
      ...door,
      name: "office hours",
      file: "/plugins/hours.ts",
      reason: `plugin /plugins/hours.ts: the name is taken by ${door.file}; kept`,
      failures: [{ thread: "gateway", hook: "onEnd", count: 1 }],
    },
  ]);
});

test("a hook that is switched off is shown at its plugin", async () => {
  await using api = await openApi();
  api.plugins = [door];
  api.gatewayHooks = { failures: {}, degraded: ["plugin door: onRequest is switched off: it blocked the thread"] };
  const { json } = await api.call("GET", "/v1/plugins");
  expect(json.data[0].reason).toContain("switched off");
});

test("GET /v1/providers shows each file with its hosts and its own address", async () => {
  await using api = await openApi({ gateway_domain: "gw.example" });
  const provider = { ...door, name: "ACME", aliases: ["ac"], hosts: ["a.test"], target: null, extends: null };
  const { hooks: _hooks, routes: _routes, ...shown } = provider;
  api.providers = [{ ...shown, dedicatedDomain: "acme", credential: null, hasCostRule: false }];
  const { status, json } = await api.call("GET", "/v1/providers", { key: api.keys.read });
  expect([status, json.data]).toEqual([200, [{ ...shown, credential: null, dedicated_domain: "acme.gw.example" }]]);
});

test.each(["/v1/plugins", "/v1/providers"])("%s needs a key that reads", async (path) => {
  await using api = await openApi();
  expect((await api.call("GET", path, { key: api.keys.gateway })).status).toBe(403);
  expect((await api.call("GET", path, { key: null })).status).toBe(401);
});

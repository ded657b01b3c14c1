import { afterAll, beforeAll, expect, test } from "bun:test";
import { openApi, type TestApi } from "../open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi({ allow_private_targets: ["127.0.0.1"] });
});
afterAll(() => api[Symbol.asyncDispose]());

const LEAST = { url: "http://127.0.0.1:9/hook" };

test("a webhook is returned as it was created, its secret once", async () => {
  const filters = [{ name: "Team", value: "night" }, { name: "App" }];
  const made = await api.call("POST", "/v1/webhooks", {
    body: { ...LEAST, property_filters: filters, sample_rate: 12.5 },
  });
  expect(made.json.data).toMatchObject({
    ...LEAST,
    name: "",
    property_filters: filters,
    sample_rate: 12.5,
    include_body: false,
    enabled: true,
    secret: expect.stringMatching(/^whsec_/),
  });
  const { secret: _, ...rest } = made.json.data;
  const path = `/v1/webhooks/${rest.id}`;
  expect((await api.call("GET", path)).json.data).toEqual(rest);
  expect((await api.call("GET", "/v1/webhooks")).json.data).toEqual([rest]);

  const patched = await api.call("PATCH", path, { body: { sample_rate: 0, enabled: false } });
  expect(patched.json.data).toEqual({ ...rest, sample_rate: 0, enabled: false, updated_at: expect.any(String) });
  const replaced = await api.call("PUT", path, { body: LEAST });
  expect(replaced.json.data).toMatchObject({ sample_rate: 100, property_filters: [], enabled: true });
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  expect((await api.call("PATCH", path, { body: { secret } })).json.data.secret).toBe(secret);
  expect((await api.call("DELETE", path)).status).toBe(200);
  expect((await api.call("GET", path)).status).toBe(404);
});

test("a webhook of another organization is not there", async () => {
  const { json } = await api.call("POST", "/v1/webhooks", { body: LEAST });
  const key = api.keys.other;
  for (const [method, path, body] of [
    ["GET", ""],
    ["GET", "/deliveries"],
    ["POST", "/test"],
    ["PUT", "", LEAST],
    ["PATCH", "", {}],
    ["DELETE", ""],
  ] as const) {
    const { status } = await api.call(method, `/v1/webhooks/${json.data.id}${path}`, { key, ...(body && { body }) });
    expect([method, path, status]).toEqual([method, path, 404]);
  }
  expect((await api.call("GET", "/v1/webhooks", { key })).json.data).toEqual([]);
});

test("a webhook may name fields that come in any case", async () => {
  const { json } = await api.call("POST", "/v1/webhooks", { body: { ...LEAST, fields: ["request_id", "cost"] } });
  expect(json).toMatchObject({ data: { fields: ["request_id", "cost"] }, error: null });
});

test.each([
  ["no address", {}, "url", ""],
  ["an address that is none", { url: "hook" }, "url", "http"],
  ["a private address", { url: "https://192.168.1.1/" }, "url", "192.168.1.1"],
  ["a percentage over 100", { ...LEAST, sample_rate: 101 }, "sample_rate", ""],
  ["a field that no record has", { ...LEAST, fields: ["cost", "latncy"] }, "fields.1", "known"],
  ["a field that is nearly right", { ...LEAST, fields: ["delay_m"] }, "fields.0", 'did you mean "delay_ms"'],
  ["a filter without a name", { ...LEAST, property_filters: [{ value: "x" }] }, "property_filters.0.name", ""],
  ["a member that there is not", { ...LEAST, sampleRate: 5 }, "sampleRate", ""],
  ["a secret that is none", { ...LEAST, secret: "hunter2" }, "secret", "whsec_"],
])("a webhook is refused for %s, and the path says where", async (_name, body, path, says) => {
  const { status, json } = await api.call("POST", "/v1/webhooks", { body });
  expect({ status, path: json.path }).toEqual({ status: 400, path });
  expect(json.message).toContain(says);
});

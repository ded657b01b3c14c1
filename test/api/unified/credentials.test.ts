import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import AWS from "../../../providers/aws.ts";
import { readKeyring } from "../../../src/credentials/keyring.ts";
import { openCredential } from "../../../src/credentials/open.ts";
import type { ProviderView } from "../../../src/plugin-host/view.ts";
import { until } from "../../until.ts";
import { openApi, type TestApi } from "../open.ts";

const KEY = "sk-planted-0123456789abcdef";
const PROVIDER: ProviderView = {
  name: "OPENAI",
  file: "openai.ts",
  source: "built-in",
  state: "loaded",
  reason: null,
  aliases: [],
  hosts: [],
  target: "https://api.openai.com",
  dedicatedDomain: "openai",
  extends: null,
  credential: null,
  hasCostRule: false,
};
const PROVIDERS = [PROVIDER, { ...PROVIDER, name: "AWS", aliases: ["bedrock"], credential: AWS.credential }];

const open = async (settings: Parameters<typeof openApi>[0] = {}) => {
  const api = await openApi(settings);
  api.providers = PROVIDERS;
  return api;
};

describe("credentials", () => {
  let it: TestApi;
  beforeAll(async () => {
    it = await open({ credentials: { ofFile: { provider: "openai", api_key: "env:SOME_KEY", models: ["gpt-5*"] } } });
  });
  afterAll(() => it[Symbol.asyncDispose]());

  const add = (body: object, key = it.keys.all) => it.call("POST", "/v1/credentials", { key, body });

  test("are added, shown without their secret, changed and removed", async () => {
    const added = await add({ name: "main", provider: "openai", api_key: KEY, limit: "600;w=60", weight: 2 });
    expect(added.status).toBe(200);
    expect(added.json.data).toMatchObject({
      name: "main",
      provider: "OPENAI",
      source: "stored",
      state: "ready",
      secrets: {
        api_key: { last4: "cdef", set_at: expect.any(String), key_id: expect.stringMatching(/^[0-9a-f]{8}$/) },
      },
      weight: 2,
      models: [],
      limit: "600;w=60",
      base_url: null,
      enabled: true,
      shared: false,
    });
    const changed = await it.call("PUT", "/v1/credentials/main", { body: { enabled: false, limit: null } });
    expect(changed.json.data).toMatchObject({
      state: "disabled",
      limit: null,
      weight: 2,
      secrets: added.json.data.secrets,
    });
    const listed = await it.call("GET", "/v1/credentials");
    expect(listed.json.data.map(({ name }: { name: string }) => name)).toEqual(["ofFile", "main"]);
    expect(JSON.stringify([added.json, changed.json, listed.json])).not.toContain("planted");
    expect((await it.call("GET", "/v1/credentials/main")).json.data).toEqual(changed.json.data);
    expect((await it.call("DELETE", "/v1/credentials/main")).status).toBe(200);
    expect((await it.call("DELETE", "/v1/credentials/main")).status).toBe(404);
  });

  test("reach the gateway encrypted, before the response, and open there", async () => {
    await add({ name: "told", provider: "openai", api_key: KEY });
    const [sent] = it.sent.credentials.filter(({ name }) => name === "told");
    expect(JSON.stringify(sent)).not.toContain(KEY);
    expect(openCredential(sent!, readKeyring(it.config)).secrets).toEqual({ api_key: KEY });
    await it.call("PUT", "/v1/credentials/told", { body: { api_key: `${KEY}-2` } });
    const changed = it.sent.credentials.find(({ name }) => name === "told")!;
    expect(openCredential(changed, readKeyring(it.config)).secrets).toEqual({ api_key: `${KEY}-2` });
    await it.call("DELETE", "/v1/credentials/told");
    expect(it.sent.credentials.some(({ name }) => name === "told")).toBe(false);
  });

  test("have a name made from the provider's, and no two have one", async () => {
    const names: string[] = [];
    for (let n = 0; n < 3; n++) names.push((await add({ provider: "openai", api_key: KEY })).json.data.name);
    expect(names).toEqual(["openai", "openai-2", "openai-3"]);
    const again = await add({ provider: "openai", name: "openai", secrets: { api_key: KEY } });
    expect([again.status, again.json.path]).toEqual([409, "name"]);
    expect((await add({ provider: "openai", name: "ofFile", api_key: KEY })).status).toBe(409);
    const elsewhere = await add({ provider: "openai", name: "openai", api_key: KEY }, it.keys.other);
    expect(elsewhere.json.data.name).toBe("openai");
  });

  test("of weir.toml are shown with the place of their secret, and stay as they are", async () => {
    expect((await it.call("GET", "/v1/credentials/ofFile")).json.data).toMatchObject({
      source: "file",
      secrets: { api_key: { from: "env:SOME_KEY" } },
      models: ["gpt-5*"],
    });
    for (const method of ["PUT", "DELETE"] as const) {
      const response = await it.call(method, "/v1/credentials/ofFile", method === "PUT" ? { body: { weight: 2 } } : {});
      expect([response.status, response.json.message]).toEqual([
        409,
        expect.stringContaining("the configuration file"),
      ]);
    }
  });

  test("are those of their organization; shared ones show others only what they may use", async () => {
    await add({
      name: "lent",
      provider: "openai",
      api_key: KEY,
      shared: true,
      limit: "1;w=1",
      headers: { "x-a": "b" },
    });
    await add({ name: "own", provider: "openai", api_key: KEY });
    const seen = (await it.call("GET", "/v1/credentials", { key: it.keys.other })).json.data;
    const lent = seen.find(({ name }: { name: string }) => name === "lent");
    expect(lent).toMatchObject({ source: "shared", secrets: {}, limit: null, headers: {} });
    expect(seen.some(({ name }: { name: string }) => name === "own")).toBe(false);
    for (const method of ["PUT", "DELETE"] as const) {
      const options = { key: it.keys.other, ...(method === "PUT" && { body: { weight: 3 } }) };
      expect((await it.call(method, "/v1/credentials/lent", options)).status).toBe(404);
    }
    expect((await add({ provider: "openai", api_key: KEY, shared: true }, it.keys.other)).status).toBe(403);
    const inside = { provider: "openai", api_key: KEY, base_url: "http://10.0.0.1", private: true };
    expect((await add(inside, it.keys.other)).status).toBe(403);
    expect((await add({ ...inside, name: "inside" })).status).toBe(200);
  });

  test.each([
    ["GET", "/v1/credentials", "gateway"],
    ["POST", "/v1/credentials", "write"],
    ["PUT", "/v1/credentials/openai", "read"],
    ["DELETE", "/v1/credentials/openai", "write"],
  ] as const)("%s %s is not for a key with the scope %s", async (method, path, scope) => {
    const body = method === "POST" || method === "PUT" ? { body: {} } : {};
    expect((await it.call(method, path, { key: it.keys[scope], ...body })).status).toBe(403);
  });

  test("that are wrong are refused with the member's path, and without the secret", async () => {
    const wrong = await add({ provider: "bedrock", access_key_id: "AKIA", secret_access_key: KEY });
    expect([wrong.status, wrong.json.path]).toEqual([400, "region"]);
    expect(JSON.stringify((await add({ provider: KEY })).json)).not.toContain(KEY);
    expect((await add([] as object)).status).toBe(400);
  });

  test("are tried without a body, with an empty one, and with a model", async () => {
    await add({ name: "tried", provider: "openai", api_key: KEY });
    for (const body of [undefined, {}, { model: "gpt-5-mini" }]) {
      const { status, json } = await it.call("POST", "/v1/credentials/tried/test", body && { body });
      expect([status, json.data?.message]).toEqual([200, "tried"]);
    }
    expect((await it.call("POST", "/v1/credentials/tried/test", { body: { model: 7 } })).status).toBe(400);
  });

  test("that no key opens are shown as locked", async () => {
    await add({ name: "lost", provider: "openai", api_key: KEY });
    it.locked = it.sent.credentials.filter(({ name }) => name === "lost").map(({ id }) => id);
    expect((await it.call("GET", "/v1/credentials/lost")).json.data.state).toBe("locked");
    it.locked = [];
  });

  test("leave no secret in the database, its log, or any file but their key's", async () => {
    const rows = await it.store.records.query<object>({ sql: "select * from credentials", args: [] });
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("planted");
    for (const name of ["weir.db", "weir.db-wal"]) {
      expect(readFileSync(join(it.directory, name)).includes("planted")).toBe(false);
    }
    expect(it.log.join("")).not.toContain("planted");
    expect(statSync(join(it.directory, "credentials.key")).mode & 0o777).toBe(0o600);
  });
});

test("a change by another program reaches the gateway as well", async () => {
  await using it = await open();
  await it.call("POST", "/v1/credentials", { body: { provider: "openai", api_key: KEY } });
  await it.store.records.batch([
    { sql: "update credentials set terms = json_set(terms, '$.weight', 7), updated_at = updated_at + 1", args: [] },
  ]);

  await until(() => it.sent.credentials[0]?.terms.weight === 7);
});

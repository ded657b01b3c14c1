import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ACTION_OF, NEEDS } from "../../../src/api/access/needs.ts";
import { SYSTEM } from "../../../src/people/actor.ts";
import { createServiceKey, revokeKey } from "../../../src/store/keys.ts";
import { eventually } from "../../eventually.ts";
import { openApi, type TestApi } from "../open.ts";

let it: TestApi;
beforeAll(async () => {
  it = await openApi({ api_hosts: ["weir.internal"] });
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const OWN = () => ({ "sec-fetch-site": "same-origin" });

async function logIn(key: string, headers: Record<string, string> = {}) {
  const response = await it.call("POST", "/v1/session", { key: null, body: { key }, headers });
  const setCookie = response.headers.get("set-cookie") ?? "";
  return { ...response, setCookie, cookie: setCookie.split(";")[0]! };
}

function withCookie(
  method: string,
  path: string,
  cookie: string,
  headers: Record<string, string> = {},
  body?: unknown,
) {
  return it.call(method, path, { key: null, headers: { cookie, ...headers }, ...(body === undefined ? {} : { body }) });
}

describe("a log-in", () => {
  test("sets a cookie that scripts cannot read, other sites do not send, and that holds no key", async () => {
    const { status, setCookie, json } = await logIn(it.keys.all);
    expect(status).toBe(200);
    expect(setCookie).toMatch(/^weir_session_0=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43(1\d\d|200)$/);
    expect(setCookie).not.toContain(it.keys.all);
    expect(json.data).toMatchObject({ organization: "default", scopes: ["gateway", "read", "write", "admin"] });
    expect(json.data.gateway_url).toBe("http://127.0.0.1:8787");
    expect((await logIn(it.keys.all, { "x-forwarded-proto": "https" })).setCookie).toEndWith("; Secure");
    const behindProxy = { origin: "https://weir.example.com", "sec-fetch-site": "same-origin" };
    expect((await logIn(it.keys.all, behindProxy)).setCookie).toEndWith("; Secure");
  });

  test("has the organization and the scopes of its key", async () => {
    const reader = await logIn(it.keys.read);
    expect((await withCookie("GET", "/v1/models", reader.cookie)).status).toBe(200);
    expect((await withCookie("GET", "/v1/keys", reader.cookie)).status).toBe(403);
    const other = await logIn(it.keys.other);
    expect((await withCookie("GET", "/v1/session", other.cookie)).json.data.organization).toBe("other");
  });

  test("is renewed by reading the session, and not set for a caller with a key", async () => {
    const { cookie } = await logIn(it.keys.read);
    const read = await withCookie("GET", "/v1/session", cookie);
    expect(read.headers.get("set-cookie")).toMatch(/Max-Age=43(1\d\d|200);?/);
    expect(read.json.data.expires_at).toMatch(/Z$/);
    const withKey = await it.call("GET", "/v1/session", { key: it.keys.read });
    expect([withKey.headers.get("set-cookie"), withKey.json.data.expires_at]).toEqual([null, null]);
  });

  test("ends with its log-out, wherever the cookie was copied to", async () => {
    const { cookie } = await logIn(it.keys.read);
    const out = await withCookie("DELETE", "/v1/session", cookie, OWN());
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await withCookie("GET", "/v1/session", cookie)).status).toBe(401);
  });

  test("ends when its key is revoked", async () => {
    const order = { name: "r", organization: "default", scopes: ["read"] as const, region: "us", expiresAt: null };
    const made = await createServiceKey(it.store.records, order);
    const { cookie } = await logIn(made.key); // made a moment ago, by somebody else
    expect((await withCookie("GET", "/v1/session", cookie)).status).toBe(200);
    await revokeKey(it.store.records, { id: made.id }, SYSTEM);
    await it.call("GET", "/v1/keys");
    await eventually(async () => (await withCookie("GET", "/v1/session", cookie)).status).toBe(401);
    expect((await logIn(made.key)).json.message).toBe("this key was revoked");
  });

  test.each([
    ["another signature", (cookie: string) => `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`],
    ["nothing", (cookie: string) => cookie.replace(/=.*/, "=")],
  ])("with %s in its cookie is none", async (_name, change) => {
    const { cookie } = await logIn(it.keys.read);
    expect((await withCookie("GET", "/v1/models", change(cookie))).status).toBe(401);
  });
});

describe("a request with a log-in", () => {
  const count = (cookie: string, headers: Record<string, string>) =>
    withCookie("POST", "/v1/request/count/query", cookie, headers, { filter: "all" });
  const make = (cookie: string, headers: Record<string, string>) =>
    withCookie("POST", "/v1/keys", cookie, headers, { name: "made" });

  test.each([
    ["our own page", { "sec-fetch-site": "same-origin" }, 200, 200],
    ["our own page, in a browser that only says its origin", { origin: "<own>" }, 200, 200],
    ["another site", { "sec-fetch-site": "cross-site" }, 403, 403],
    ["another port of this host", { "sec-fetch-site": "same-site", origin: "<own>" }, 403, 403],
    ["a page of another origin", { origin: "http://127.0.0.1:1" }, 403, 403],
    ["a frame without an origin", { origin: "null" }, 403, 403],
    ["no browser", {}, 200, 403],
  ])("from %s is judged by where it comes from", async (_name, headers, reading, changing) => {
    const { cookie } = await logIn(it.keys.all);
    const sent = JSON.parse(JSON.stringify(headers).replace("<own>", it.origin)) as Record<string, string>;
    expect([(await count(cookie, sent)).status, (await make(cookie, sent)).status]).toEqual([reading, changing]);
  });

  test("that changes something must name its origin, even if its endpoint needs only the permission to read", async () => {
    const { cookie } = await logIn(it.keys.all);
    const open = /^GET |^POST \/v1\/(session$|invitations\/)/;
    const endpoints = Object.keys(NEEDS).filter((name) => Object.hasOwn(ACTION_OF, name) && !open.test(name));
    for (const name of endpoints) {
      const [method, path] = name.split(" ");
      const { json } = await withCookie(method!, path!.replace(/:\w+/g, "none"), cookie, {}, {});
      expect([name, json.code]).toEqual([name, "cross_site_request"]);
    }
    expect(endpoints.length).toBeGreaterThan(80);
  });

  test("with a key and the cookie uses the key", async () => {
    const { cookie } = await logIn(it.keys.all);
    const headers = { cookie, "sec-fetch-site": "cross-site" };
    const response = await it.call("POST", "/v1/request/count/query", {
      key: it.keys.read,
      headers,
      body: { filter: "all" },
    });
    expect(response.status).toBe(200);
  });

  test.each<[string, Record<string, string>, number]>([
    ["another name that leads here", { host: "evil.example", origin: "http://evil.example" }, 403],
    ["another name, as its own site", { host: "evil.example", "sec-fetch-site": "same-origin" }, 403],
    ["a name of the setting", { host: "weir.internal:80", origin: "http://weir.internal:80" }, 200],
    ["localhost", { host: "localhost:8788", origin: "http://localhost:8788" }, 200],
    ["an address", { host: "192.0.2.7", origin: "http://192.0.2.7" }, 200],
    ["another name, without a browser", { host: "evil.example" }, 200],
  ])("and a log-in under %s is judged by the host's name", async (_name, headers, status) => {
    const response = await logIn(it.keys.all, headers);
    expect(response.status).toBe(status);
    if (status === 403)
      expect(response.json).toMatchObject({
        code: "cross_site_request",
        message: expect.stringContaining("WEIR_API_HOSTS"),
      });
  });

  test("and a log-in itself, from another site, is refused", async () => {
    expect((await logIn(it.keys.all, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  });
});

test("wrong keys are slowed, then refused for a while, and a right one is not held up", async () => {
  await using own = await openApi();
  const tried = async (key: string) => {
    const response = await own.call("POST", "/v1/session", { key: null, body: { key } });
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 14 }, (_, n) => tried(`sk-weir-us-wrong${n}`)));
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  const refused = await own.call("POST", "/v1/session", { key: null, body: { key: "wrong" } });
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect(await tried(own.keys.read)).toBe(200);
});

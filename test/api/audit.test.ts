import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ACTION_OF, NEEDS } from "../../src/api/access/needs.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import type { ProviderView } from "../../src/plugin-host/view.ts";
import { verifyAudit } from "../../src/store/audit/verify.ts";
import { statementOf } from "../../src/store/database/builder.ts";
import { createServiceKey } from "../../src/store/keys.ts";
import { membership } from "../../src/store/people/members.ts";
import { until } from "../until.ts";
import { insertRecord, openApi, type TestApi } from "./open.ts";
import { person } from "./person.ts";

let it: TestApi;
const OPENAI: ProviderView = {
  ...{ name: "OPENAI", file: "openai.ts", source: "built-in", state: "loaded", reason: null, aliases: [], hosts: [] },
  ...{
    target: "https://api.openai.com",
    dedicatedDomain: "openai",
    extends: null,
    credential: null,
    hasCostRule: false,
  },
};
const PASSWORD = "correct horse battery";

beforeAll(async () => {
  it = await openApi({ credentials_key: Buffer.alloc(32, 7).toString("base64") });
  it.providers = [OPENAI];
});
afterAll(() => it[Symbol.asyncDispose]());

async function entries(query: string, key?: string) {
  const { status, json } = await it.call("GET", `/v1/audit?${query}`, key === undefined ? {} : { key });
  expect([query, status]).toEqual([query, 200]);
  return json.data as {
    action: string;
    outcome: string;
    actor: { kind: string; name: string };
    object: { kind: string; id: string; name: string };
    change: { before: unknown; after: unknown };
  }[];
}

const done = async (action: string) => (await entries(`action=${action}&outcome=done`)).length;

/** Every change by the API has its entry: what is called, and the action. */
const CHANGES: readonly (readonly [action: string, method: string, path: string, body?: unknown])[] = [
  ["key.created", "POST", "/v1/keys", { name: "made" }],
  ["user.invited", "POST", "/v1/invitations", { email: "eve@example.com", role: "viewer" }],
  ["organization.created", "POST", "/v1/organizations", { name: "third" }],
  [
    "credential.created",
    "POST",
    "/v1/credentials",
    { provider: "openai", name: "c", api_key: "sk-proj-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v" },
  ],
  ["credential.changed", "PUT", "/v1/credentials/c", { weight: 2 }],
  ["credential.tested", "POST", "/v1/credentials/c/test", {}],
  ["credential.removed", "DELETE", "/v1/credentials/c"],
  ["route.created", "PUT", "/v1/routes/fast", { targets: ["openai/gpt-5"] }],
  ["route.changed", "PUT", "/v1/routes/fast", { targets: ["openai/gpt-5-mini"] }],
  ["route.removed", "DELETE", "/v1/routes/fast"],
  ["price.changed", "PUT", "/v1/models/prices", { provider: "CUSTOM", model: "m", input: 1 }],
  ["price.removed", "DELETE", "/v1/models/prices?provider=CUSTOM&model=m"],
  ["costs.recomputed", "POST", "/v1/models/prices/recompute", { model: "m" }],
  ["retention.changed", "PUT", "/v1/retention", { days: 30 }],
  ["cache.purged", "DELETE", "/v1/cache"],
  ["records.imported", "POST", "/v1/import", "[RECORD]"],
];

describe("a change through the API", () => {
  for (const [action, method, path, body] of CHANGES) {
    test(`${method} ${path} is noted as ${action}`, async () => {
      const before = await done(action);
      const own = body === "[RECORD]" ? [imported()] : body;
      const { status, json } = await it.call(method, path, {
        ...(own !== undefined && { body: own }),
        headers: { "x-request-id": `of-${action}` },
      });
      expect([json.message, status]).toEqual([undefined, 200]);
      const [entry] = await entries(`action=${action}`);
      expect(await done(action)).toBe(before + 1);
      expect(entry).toMatchObject({
        actor: { kind: "key", name: "all" },
        address: "127.0.0.1",
        organization: action === "organization.created" ? "third" : "default",
        request_id: `of-${action}`,
      });
      expect(JSON.stringify(entry)).not.toContain("aB3dE5fG7hJ9");
    });
  }

  test("alerts and webhooks are noted when they are made, changed and removed, without their secrets", async () => {
    const secret = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
    const rules = [
      ["webhook", "/v1/webhooks", { url: "https://hooks.example.com/x", secret }, { name: "renamed" }],
      [
        "alert",
        "/v1/alerts",
        {
          name: "a",
          metric: "requests",
          comparison: "above",
          threshold: 1,
          window_seconds: 60,
          channels: [
            { type: "webhook", url: "https://hooks.example.com/y", secret },
            { type: "slack", url: "https://hooks.example.com/services/slackSecret" },
            { type: "pagerduty", routing_key: "0123456789abcdefABCDEF0123456789" },
          ],
        },
        { threshold: 2 },
      ],
    ] as const;
    for (const [noun, path, body, change] of rules) {
      const { json } = await it.call("POST", path, { body });
      await it.call("PATCH", `${path}/${json.data.id}`, { body: change });
      await it.call("DELETE", `${path}/${json.data.id}`);
      const found = await entries(`object=${json.data.id}`);
      expect(found.map(({ action }) => action)).toEqual([`${noun}.removed`, `${noun}.changed`, `${noun}.created`]);
      for (const hidden of [secret.slice(6), "slackSecret", "0123456789abcdef"])
        expect(JSON.stringify(found)).not.toContain(hidden);
      expect(found[1]!.change.before).not.toEqual(found[1]!.change.after);
    }
  });

  test("a deletion is logged with its selection, its number of records and their ids", async () => {
    const id = await insertRecord(it.store, it.organization, { user_id: "gone" });
    const filter = { request_response_rmt: { user_id: { equals: "gone" } } };
    await it.call("DELETE", "/v1/request", { body: { filter } });
    const [entry] = await entries("action=records.deleted");
    expect(entry).toMatchObject({
      object: { kind: "record", id },
      change: { before: { records: 1 }, after: { asked: { filter } } },
    });
  });

  test("an export is noted once, whatever it reads", async () => {
    const headers = { "gateway-export": "export-0001" };
    for (let page = 0; page < 2; page++)
      await it.call("POST", "/v1/request/query-fast", { body: { filter: "all", includeBody: false }, headers });
    expect(await entries("action=records.exported&object=export-0001")).toHaveLength(1);
    const wrong = await it.call("POST", "/v1/request/query", {
      body: { filter: "all" },
      headers: { "gateway-export": "a b" },
    });
    expect([wrong.status, wrong.json.code]).toEqual([400, "invalid_body"]);
  });
});

describe("a refusal", () => {
  test("for lack of a permission is recorded once a minute, under its action", async () => {
    for (let n = 0; n < 3; n++) await it.call("POST", "/v1/keys", { key: it.keys.read, body: { name: "no" } });
    await it.call("GET", "/v1/members", { key: it.keys.read });
    const found = await entries("outcome=refused&actor=read");
    expect(found.map(({ action, object }) => [action, object.id])).toEqual([
      ["access.refused", "GET /v1/members"],
      ["key.created", "POST /v1/keys"],
    ]);
  });

  test("every endpoint that changes something declares its action, or that it has none", () => {
    const changing = Object.keys(NEEDS).filter((name) => !/^GET |query|\/search$|\/explain$/.test(name));
    expect(changing.filter((name) => !Object.hasOwn(ACTION_OF, name))).toEqual([]);
  });
});

describe("the log", () => {
  test("names the headers of a credential, without their values", async () => {
    const body = {
      provider: "openai",
      name: "proxied",
      api_key: "planted-key-of-openai",
      headers: { "X-Tenant": "planted-tenant" },
    };
    expect((await it.call("POST", "/v1/credentials", { body })).status).toBe(200);
    await it.call("PUT", "/v1/credentials/proxied", { body: { headers: { "X-Tenant": "planted-other" } } });
    await it.call("DELETE", "/v1/credentials/proxied");
    const noted = (await entries("limit=3")).map(({ change }) => change);
    expect(JSON.stringify(noted)).not.toContain("planted-");
    expect(noted[0]!.before).toMatchObject({ headers: { "X-Tenant": "***" } });
  });

  test("shows an admin their organization, and an operator all", async () => {
    await it.call("POST", "/v1/keys", { key: it.keys.other, body: { name: "theirs" } });
    const own = await entries("limit=1000", it.keys.other);
    expect(new Set(own.map((entry) => (entry as unknown as { organization: string }).organization))).toEqual(
      new Set(["other"]),
    );
    expect((await entries("limit=1000")).length).toBeGreaterThan(own.length);
    expect((await entries("organization=other")).length).toBeGreaterThan(0);
    const refused = await it.call("GET", "/v1/audit?organization=default", { key: it.keys.other });
    expect(refused.status).toBe(404);
  });

  test.each([
    ["action=key.remade", "action"],
    ["outcome=maybe", "outcome"],
    ["since=yesterday", "since"],
    ["cursor=nothing", "cursor"],
    ["limit=5000", "limit"],
    ["actr=x", "actr"],
  ])("refuses ?%s and says which parameter is wrong", async (query, path) => {
    const { status, json } = await it.call("GET", `/v1/audit?${query}`);
    expect([status, json.path]).toEqual([400, path]);
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("cannot be changed by %s", async (method) => {
    expect((await it.call(method, "/v1/audit")).status).toBe(405);
  });
});

describe("a person who looks at bodies", () => {
  let cookie: string;
  let id: string;
  const by = (path: string, method = "GET", body?: unknown) =>
    fetch(it.origin + path, {
      method,
      headers: { cookie, origin: it.origin, "sec-fetch-site": "same-origin", "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    const body = (content: object) => ({ form: "json" as const, content: JSON.stringify(content) });
    id = await insertRecord(
      it.store,
      it.organization,
      { user_id: "u" },
      { request: body({ a: 1 }), response: body({ b: 2 }) },
    );
    const { records } = it.store;
    const user = await person(records, { email: "ada@example.com", name: "Ada", password: PASSWORD });
    await records.batch([
      statementOf(membership(records, user.id, { organizationId: it.organization, role: "analyst", source: "weir" })),
    ]);
    const response = await fetch(`${it.origin}/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: it.origin, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ email: "ada@example.com", password: PASSWORD }),
    });
    expect(response.status).toBe(200);
    cookie = response.headers.get("set-cookie")!.split(";")[0]!;
  });

  test("has one entry for a record and an hour, by whichever endpoint; lists without bodies have none", async () => {
    const looked = async () => (await entries(`action=record.bodies_viewed&object=${id}`)).length;
    await by("/v1/request/query-fast", "POST", { filter: "all", includeBody: false }).then((response) =>
      response.text(),
    );
    expect(await looked()).toBe(0);
    for (const path of [`/v1/request/${id}`, `/v1/request/${id}/body`, `/v1/request/${id}`])
      expect((await by(path).then(async (response) => [response.status, await response.text()]))[0]).toBe(200);
    await by("/v1/request/query-ids", "POST", { requestIds: [id] }).then((response) => response.text());
    expect(await looked()).toBe(1);
    expect((await entries(`object=${id}`))[0]).toMatchObject({ actor: { kind: "user", name: "ada@example.com" } });
  });

  test("a program that reads with a key has none", async () => {
    const own = await insertRecord(it.store, it.organization, { user_id: "u" });
    await it.call("GET", `/v1/request/${own}`, { key: it.keys.read });
    expect(await entries(`object=${own}`)).toEqual([]);
  });

  test("the log-in, a wrong password and the log-out are there", async () => {
    await fetch(`${it.origin}/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: it.origin, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ email: "ada@example.com", password: "wrong horse battery" }),
    });
    await by("/v1/session", "DELETE");
    expect((await entries("action=login.done&actor=ada@example.com")).length).toBe(1);
    expect((await entries("action=logout&actor=ada@example.com")).length).toBe(1);
    expect((await entries("action=login.failed&object=ada@example.com"))[0]).toMatchObject({ outcome: "refused" });
  });
});

test("audit_body_views = false leaves out views of bodies", async () => {
  await using quiet = await openApi({ audit_body_views: false });
  const { key } = await createServiceKey(
    quiet.store.records,
    { name: "person", organization: "default", scopes: ["read"], region: "us", expiresAt: null },
    SYSTEM,
  );
  await until(() => quiet.published().some(({ name }) => name === "person"));
  const headers = { "content-type": "application/json", origin: quiet.origin, "sec-fetch-site": "same-origin" };
  const login = await fetch(`${quiet.origin}/v1/session`, { method: "POST", headers, body: JSON.stringify({ key }) });
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const id = await insertRecord(quiet.store, quiet.organization, {});
  await (await fetch(`${quiet.origin}/v1/request/${id}`, { headers: { cookie } })).text();
  const { json } = await quiet.call("GET", "/v1/audit?action=record.bodies_viewed");
  expect(json.data).toEqual([]);
});

test("the chain holds after all of this", async () => {
  expect(await verifyAudit(it.store.records)).toMatchObject({ broken: null });
});

function imported() {
  const time = "2026-01-01T00:00:00.000Z";
  return {
    request_id: "018f0000-0000-7000-8000-00000000abcd",
    request_created_at: time,
    response_created_at: time,
    response_status: 200,
    provider: "CUSTOM",
  };
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomUUID } from "node:crypto";
import { removeRecords } from "../../src/engine/libsql/write/remove.ts";
import { openApi, type TestApi } from "./open.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** A recorded request. */
async function record(columns: Record<string, string | number> = {}, organization = api.organization) {
  const id = randomUUID();
  const all = {
    ...{ request_id: id, organization_id: organization, key_id: "k", method: "POST", provider: "OPENAI", model: "m-1" },
    ...{ request_created_at: 1_000, updated_at: 1_000, response_status: 200, outcome: "complete" },
    ...{ gateway_user: "secret-key-name", user_id: "secret-user", target_url: "https://secret.example/v1" },
    ...{ properties: '{"Secret":"property"}', ...columns },
  };
  const names = Object.keys(all);
  const sql = `insert into requests (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`;
  await api.store.records.batch([{ sql, args: Object.values(all) }]);
  return id;
}

const comment = (id: string, text: string, key = api.keys.all) =>
  api.call("POST", `/v1/request/${id}/comments`, { body: { text }, key });
const commentsOf = async (id: string) => (await api.call("GET", `/v1/request/${id}/comments`)).json.data;

describe("a comment", () => {
  test("is listed with its author and time, and counted in the record, the list and the filter", async () => {
    const id = await record();
    const { json } = await comment(id, "  Wrong train.\nSee the timetable. ");
    expect(json.data).toMatchObject({ text: "Wrong train.\nSee the timetable.", author: "all", own: true });
    await comment(id, "Second", api.keys.admin);
    expect((await commentsOf(id)).map(({ text }: { text: string }) => text)).toEqual([
      "Wrong train.\nSee the timetable.",
      "Second",
    ]);
    expect((await api.call("GET", `/v1/request/${id}`)).json.data.comments).toBe(2);
    const filter = { request_response_rmt: { comments: { gte: 2 } } };
    const found = await api.call("POST", "/v1/request/query-fast", { body: { filter, includeBody: false } });
    expect(found.json.data).toMatchObject([{ request_id: id, comments: 2 }]);
  });

  test("is removed by its author and by admins, not by others", async () => {
    const id = await record();
    const { id: own } = (await comment(id, "Mine")).json.data;
    const remove = (key: string) => api.call("DELETE", `/v1/request/${id}/comments/${own}`, { key });
    expect((await remove(api.keys.write)).json.code).toBe("insufficient_permission");
    expect((await remove(api.keys.admin)).status).toBe(200);
    expect(await commentsOf(id)).toEqual([]);
  });

  test("over the limit of a request is refused and not stored", async () => {
    const id = await record();
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
      insert into comments (request_id, id, organization_id, author_id, author_name, text, created_at)
      select ?, 'c' || i, ?, 'key:k', 'k', 'x', 1 from n`;
    await api.store.records.batch([{ sql, args: [id, api.organization] }]);
    const { status, json } = await comment(id, "One more");
    expect([status, json.message]).toEqual([400, expect.stringContaining("at most 1000 comments")]);
    expect(await commentsOf(id)).toHaveLength(1_000);
  });

  test("goes with the record", async () => {
    const id = await record();
    await comment(id, "Soon gone");
    await removeRecords(api.store, api.organization, [id]);
    const left = await api.store.records.query({ sql: "select 1 from comments where request_id = ?", args: [id] });
    expect(left).toEqual([]);
  });

  test.each([
    ["of another organization", () => comment(ids.own, "x", api.keys.other), 404],
    ["with a key that only reads", () => comment(ids.own, "x", api.keys.read), 403],
    ["without words", () => comment(ids.own, " \n "), 400],
    ["that is too long", () => comment(ids.own, "x".repeat(10_001)), 400],
    ["on nothing", () => comment(randomUUID(), "x"), 404],
  ])("%s is refused", async (_name, call, status) => {
    expect((await call()).status).toBe(status);
  });
  const ids = { own: "" };
  beforeAll(async () => {
    ids.own = await record();
  });
});

const share = (body: object, key = api.keys.all) => api.call("POST", "/v1/shared-links", { body, key });
const follow = (path: string) => api.call("GET", `/v1/shared/${path}`, { key: null });
const revoke = (id: string, key = api.keys.all) => api.call("DELETE", `/v1/shared-links/${id}`, { key });

describe("a shared link", () => {
  test("shows its request without a key, for seven days, and does not reveal the caller", async () => {
    const id = await record();
    const { json } = await share({ request_id: id });
    const { token, url, created_at, expires_at, owner } = json.data;
    expect(url).toBe(`${api.origin}/shared/${token}`);
    expect(owner).toBe("all");
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 86_400_000);
    const listed = await follow(token);
    expect(listed.json.data).toMatchObject({ kind: "request", requests: [{ request_id: id, model: "m-1" }] });
    const one = await follow(`${token}/request/${id}`);
    expect(one.json.data).toMatchObject({ request_id: id, model: "m-1", response_status: 200 });
    for (const { json: shown } of [listed, one]) {
      const text = JSON.stringify(shown);
      expect(text).not.toMatch(/secret|property/i);
      for (const name of ["organization_id", "auth_hash", "signed_body_url", "properties", "credential"])
        expect(text).not.toContain(`"${name}"`);
    }
  });

  test("is neither indexed nor cached, whatever the response is", async () => {
    const id = await record();
    const { token } = (await share({ request_id: id })).json.data;
    const paths = [`/v1/shared/${token}`, `/v1/shared/${token}/request/${id}`, "/v1/shared/wrong", `/shared/${token}`];
    for (const path of paths) {
      const { headers } = await fetch(`${api.origin}${path}`, { headers: { accept: "text/html" } });
      expect([path, headers.get("x-robots-tag"), headers.get("cache-control"), headers.get("referrer-policy")]).toEqual(
        [path, "noindex, nofollow, noarchive", "no-store", "no-referrer"],
      );
    }
  });

  test("leads to nothing else: no other request, endpoint or change", async () => {
    const [id, other] = [await record({ session_id: "s-0" }), await record({ session_id: "s-0" })];
    const { token } = (await share({ request_id: id })).json.data;
    expect((await follow(`${token}/request/${other}`)).status).toBe(404);
    expect((await follow(`${token}/request/${other}/assets/x`)).status).toBe(404);
    for (const path of [`/v1/request/${id}`, `/v1/request/${id}/body`, `/v1/request/${id}/comments`]) {
      const headers = { authorization: `Bearer ${token}`, cookie: `weir=${token}` };
      expect([path, (await fetch(`${api.origin}${path}?token=${token}`, { headers })).status]).toEqual([path, 401]);
    }
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect((await api.call(method, `/v1/shared/${token}`, { key: null })).status).toBe(405);
    }
  });

  test("of a session shows what was in it when the link was made, and nothing of other sessions", async () => {
    const first = await record({ session_id: "s-1", request_created_at: 1 });
    const second = await record({ session_id: "s-1", request_created_at: 2 });
    const apart = await record({ session_id: "s-2" });
    const { token } = (await share({ session_id: "s-1" })).json.data;
    const later = await record({ session_id: "s-1", request_created_at: Date.now() + 60_000 });
    const { requests } = (await follow(token)).json.data;
    expect(requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual([first, second]);
    expect((await follow(`${token}/request/${second}`)).status).toBe(200);
    for (const id of [apart, later]) expect((await follow(`${token}/request/${id}`)).status).toBe(404);
  });

  test("of a session says whether there are more requests than the first thousand, which it lists", async () => {
    const add = (first: number, last: number) =>
      api.store.records.batch([
        {
          sql: `with recursive n(i) as (select ? union all select i + 1 from n where i < ?)
            insert into requests (request_id, organization_id, key_id, method, provider, request_created_at, updated_at, session_id)
            select printf('00000000-0000-7000-8000-%012d', i), ?, 'k', 'POST', 'OPENAI', i, i, 'long' from n`,
          args: [first, last, api.organization],
        },
      ]);
    await add(1, 1_000);
    const { token } = (await share({ session_id: "long" })).json.data;
    expect((await follow(token)).json.data.more).toBe(false);
    await add(1_001, 1_001);
    const { requests, more } = (await follow(token)).json.data;
    expect([requests.length, requests.at(-1).request_id.slice(-4), more]).toEqual([1_000, "1000", true]);
  });

  test("is stored as a hash alone, and its token is never shown again", async () => {
    const { token, id } = (await share({ request_id: await record() })).json.data;
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    const [stored] = await api.store.records.query<object>({
      sql: "select * from shared_links where id = ?",
      args: [id],
    });
    expect(stored).toMatchObject({ token_hash: createHash("sha256").update(token).digest("hex") });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(JSON.stringify((await api.call("GET", "/v1/shared-links")).json)).not.toContain(token);
    expect(api.log.join("\n")).not.toContain(token);
  });

  test("ends when it is revoked, expires, its record is deleted, or its key is revoked, all with one response", async () => {
    const gone: string[] = [];
    const make = async (key = api.keys.all) => {
      const request_id = await record();
      return { request_id, ...(await share({ request_id }, key)).json.data };
    };
    const revoked = await make();
    expect((await revoke(revoked.id)).status).toBe(200);
    gone.push(revoked.token);
    const expired = await make();
    const expire = "update shared_links set created_at = 0, expires_at = ? where id = ?";
    await api.store.records.batch([{ sql: expire, args: [Date.now(), expired.id] }]);
    gone.push(expired.token);
    const deleted = await make();
    await removeRecords(api.store, api.organization, [deleted.request_id]);
    gone.push(deleted.token);
    const key = (await api.call("POST", "/v1/keys", { key: api.keys.admin, body: { name: "leaver" } })).json.data;
    const left = await make(key.key);
    expect((await follow(left.token)).status).toBe(200);
    await api.call("DELETE", `/v1/keys/${key.id}`, { key: api.keys.admin });
    gone.push(left.token, "wrong");
    const responses = await Promise.all(gone.map((token) => follow(token)));
    expect(new Set(responses.map(({ status, json }) => `${status} ${json.message}`)).size).toBe(1);
    expect(responses[0]!.status).toBe(404);
    const listed = (await api.call("GET", "/v1/shared-links")).json.data.map((link: { id: string }) => link.id);
    for (const { id } of [revoked, expired, deleted]) expect(listed).not.toContain(id);
  });

  test("of a user ends when the user is disabled, or may not read bodies any more", async () => {
    const made = (await share({ request_id: await record() })).json.data;
    const run = (sql: string, ...args: string[]) => api.store.records.batch([{ sql, args }]);
    await run("insert into users (id, email, name, created_at, updated_at) values ('u-1', 'a@example.com', 'A', 0, 0)");
    await run("insert into members values ('u-1', ?, 'analyst', 'weir', 0, 0)", api.organization);
    await run("update shared_links set owner_id = 'user:u-1' where id = ?", made.id);
    const status = async () => (await follow(made.token)).status;
    expect(await status()).toBe(200);
    await run("update members set role = 'viewer' where user_id = 'u-1'");
    expect(await status()).toBe(404);
    await run("update members set role = 'admin' where user_id = 'u-1'");
    expect(await status()).toBe(200);
    await run("update users set disabled_at = 1 where id = 'u-1'");
    expect(await status()).toBe(404);
  });

  test.each([
    ["of another organization's request", () => share({ request_id: ids.own }, api.keys.other), 404],
    ["of another organization's session", () => share({ session_id: "s-1" }, api.keys.other), 404],
    ["with a key that only reads", () => share({ request_id: ids.own }, api.keys.read), 403],
    ["with a key that cannot read", () => share({ request_id: ids.own }, api.keys.write), 403],
    ["of both", () => share({ request_id: ids.own, session_id: "s-1" }), 400],
    ["of nothing", () => share({}), 400],
    ["for longer than is allowed", () => share({ request_id: ids.own, days: 91 }), 400],
    ["for no time", () => share({ request_id: ids.own, days: 0 }), 400],
    ["revoked by another organization", async () => revoke(ids.link, api.keys.other), 404],
  ])("%s is refused", async (_name, call, status) => {
    expect((await call()).status).toBe(status);
  });
  const ids = { own: "", link: "" };
  beforeAll(async () => {
    ids.own = await record();
    ids.link = (await share({ request_id: ids.own })).json.data.id;
  });
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { FailedPasswords } from "../../../src/api/logins/failed-passwords.ts";
import { hashPassword, isPassword, whyWeak } from "../../../src/people/password.ts";
import { statementOf } from "../../../src/store/database/builder.ts";
import { createServiceKey } from "../../../src/store/keys.ts";
import { acceptInvitation } from "../../../src/store/people/invitations.ts";
import { type MemberRole, membership } from "../../../src/store/people/members.ts";
import { openApi, type TestApi } from "../open.ts";
import { person } from "../person.ts";

/** Passwords take their time by intent, and more of it where the machine is busy. */
setDefaultTimeout(300_000);

const PASSWORD = "plain sailing on tuesdays";
const NOWHERE = { address: null, requestId: null };

let it: TestApi;

beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const own = () => ({ origin: it.origin, "sec-fetch-site": "same-origin" });
const asUser = (method: string, path: string, cookie: string, body?: unknown, more: Record<string, string> = {}) =>
  it.call(method, path, { key: null, headers: { ...own(), cookie, ...more }, ...(body !== undefined && { body }) });

async function logIn(email: string, password: string) {
  const response = await it.call("POST", "/v1/session", { key: null, headers: own(), body: { email, password } });
  return { ...response, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

async function invited(email: string, role: string, key = it.keys.admin): Promise<string> {
  const { json } = await it.call("POST", "/v1/invitations", { key, body: { email, role } });
  return `/v1/invitations/${json.data.token}`;
}

test.each([
  ["short", "give at least 12"],
  ["qwerty123456", "most common"],
  ["QWERTY123456", "most common"],
  [PASSWORD, undefined],
])("the password %s: %s", (password, why) => {
  if (why === undefined) expect(whyWeak(password)).toBeUndefined();
  else expect(whyWeak(password)).toContain(why);
});

test("a password is stored by scrypt, and a missing one never matches", async () => {
  const stored = await hashPassword(PASSWORD);
  expect(stored).toMatch(/^scrypt\$131072\$8\$1\$/);
  expect([await isPassword(PASSWORD, stored), await isPassword(`${PASSWORD}!`, stored)]).toEqual([true, false]);
  expect(await isPassword("", null)).toBe(false);
});

test("an invitation works once; its user has the role, which changes with the next request", async () => {
  const address = await invited("Ada@Example.test", "viewer");
  const accept = () =>
    it.call("POST", address, { key: null, headers: own(), body: { name: "Ada", password: PASSWORD } });
  expect((await accept()).json.data).toMatchObject({ email: "ada@example.test", operator: false });
  expect((await accept()).status).toBe(404);
  const { status, cookie, headers } = await logIn("ada@example.test", PASSWORD);
  expect(status).toBe(200);
  expect(headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  const me = (await asUser("GET", "/v1/me", cookie)).json.data;
  expect(me).toMatchObject({ kind: "user", email: "ada@example.test", role: "viewer", permissions: ["figures"] });
  const score = () => asUser("POST", "/v1/request/score", cookie, { requestIds: [], scores: { a: 1 } });
  expect([(await score()).status, (await score()).json.code]).toEqual([403, "insufficient_permission"]);
  await it.call("PATCH", `/v1/members/${me.id}`, { key: it.keys.admin, body: { role: "analyst" } });
  expect((await score()).status).toBe(200);
  expect((await asUser("GET", "/v1/me", cookie, undefined, { "gateway-organization": "other" })).status).toBe(404);
  await it.call("DELETE", `/v1/members/${me.id}`, { key: it.keys.admin });
  expect((await score()).status).toBe(403);
  expect((await logIn("ada@example.test", PASSWORD)).json.code).toBe("not_a_member");
});

test("an invitation by a key that expires works no longer than the key", async () => {
  const order = { name: "short", scopes: ["admin"], expires: "1h" };
  const key = (await it.call("POST", "/v1/keys", { key: it.keys.admin, body: order })).json.data;
  const body = { email: "max@example.test", role: "admin" };
  const { json } = await it.call("POST", "/v1/invitations", { key: key.key, body });
  expect(json.data.expires_at).toBe(key.expires_at);
});

test("admins list the invitations of their organization that still work, and revoke them by id or token", async () => {
  const accept = async (address: string) =>
    (await it.call("POST", address, { key: null, headers: own(), body: { name: "Lee", password: PASSWORD } })).status;
  const list = async (key = it.keys.admin) => (await it.call("GET", "/v1/invitations", { key })).json.data;
  const before = (await list()).length;
  const [first, second] = [await invited("lee@example.test", "viewer"), await invited("kit@example.test", "analyst")];
  const lee = (await list()).find(({ email }: { email: string }) => email === "lee@example.test");
  expect(lee).toEqual({
    ...{ id: expect.any(String), email: "lee@example.test", organization_id: expect.any(String), role: "viewer" },
    ...{ invited_by: expect.any(String), created_at: expect.any(String), expires_at: expect.any(String) },
  });
  expect(await list()).toHaveLength(before + 2);
  expect((await list(it.keys.other)).map(({ email }: { email: string }) => email)).not.toContain("lee@example.test");
  const revoke = async (what: string, key = it.keys.admin) => (await it.call("DELETE", what, { key })).status;
  expect(await revoke(`/v1/invitations/${lee.id}`, it.keys.other)).toBe(404);
  expect(await revoke(`/v1/invitations/${lee.id}`)).toBe(200);
  expect(await revoke(`/v1/invitations/${lee.id}`)).toBe(404);
  expect(await revoke(second)).toBe(200);
  expect([await accept(first), await accept(second)]).toEqual([404, 404]);
  expect(await list()).toHaveLength(before);
});

test("an invitation that is revoked or replaced while its password is checked makes no member", async () => {
  const email = "slow@example.test";
  await person(it.store.records, { email, name: "Slow", password: PASSWORD });
  const accept = async (address: string, meanwhile: () => Promise<unknown>) => {
    const isTheirs = async () => {
      await meanwhile();
      return true;
    };
    const token = address.split("/").at(-1)!;
    return acceptInvitation(it.store.records, token, { name: "x", password: PASSWORD, isTheirs }, NOWHERE);
  };
  const first = await invited(email, "admin");
  const revoke = () => it.call("DELETE", first, { key: it.keys.admin });
  await expect(accept(first, revoke)).rejects.toThrow("this invitation is not known");
  await expect(accept(await invited(email, "admin"), () => invited(email, "viewer"))).rejects.toThrow("is not known");
  expect((await logIn(email, PASSWORD)).json.code).toBe("not_a_member");
});

test("an invitation that is revoked and accepted at once is only one of them", async () => {
  const email = "both@example.test";
  await person(it.store.records, { email, name: "Both", password: PASSWORD });
  const address = await invited(email, "viewer");
  const token = address.split("/").at(-1)!;
  const given = { name: "x", password: PASSWORD, isTheirs: async () => true };
  const [revoked, accepted] = await Promise.all([
    it.call("DELETE", address, { key: it.keys.admin }),
    acceptInvitation(it.store.records, token, given, NOWHERE).then(
      () => 200,
      () => 404,
    ),
  ]);
  expect([revoked.status, accepted].sort()).toEqual([200, 404]);
});

test("inviting an existing user does not give access to the account", async () => {
  await person(it.store.records, { email: "eve@example.test", name: "Eve", password: PASSWORD });
  const address = await invited("eve@example.test", "viewer", it.keys.other);
  const accept = (password: string) =>
    it.call("POST", address, { key: null, headers: own(), body: { name: "x", password } });
  expect((await accept("another long password")).status).toBe(401);
  expect((await logIn("eve@example.test", "another long password")).status).toBe(401);
  expect((await accept(PASSWORD)).status).toBe(200);
});

test("a log-in has a new token each time, and ends when it is ended, by whom it is ended", async () => {
  await person(it.store.records, { email: "op@example.test", name: "Op", password: PASSWORD, operator: true });
  const [one, two] = [await logIn("op@example.test", PASSWORD), await logIn("op@example.test", PASSWORD)];
  expect(one.cookie).not.toBe(two.cookie);
  const sessions = (await asUser("GET", "/v1/sessions", one.cookie)).json.data;
  expect((await asUser("GET", "/v1/users", one.cookie)).status).toBe(200);
  expect((await asUser("DELETE", "/v1/session", two.cookie)).status).toBe(200);
  expect((await asUser("GET", "/v1/me", two.cookie)).status).toBe(401); // the stolen cookie as well
  expect((await asUser("GET", "/v1/me", one.cookie)).status).toBe(200);
  expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1); // though no member
  const again = await it.call("POST", "/v1/session", {
    key: null,
    headers: { ...own(), cookie: one.cookie },
    body: { email: "op@example.test", password: PASSWORD },
  });
  expect(again.status).toBe(200);
  expect((await asUser("GET", "/v1/me", one.cookie)).status).toBe(401); // no fixation: the planted one is over
});

/** Addresses that a proxy on this machine tells: what one test tries holds up no other. */
const from = (address: string) => ({ ...own(), "x-forwarded-for": address });

test("ten wrong passwords and the address has to wait: tried at once, by an invitation, or by a change of password", async () => {
  const email = "victim@example.test";
  await person(it.store.records, { email, name: "V", password: PASSWORD, operator: true });
  const { cookie } = await logIn(email, PASSWORD);
  const invitation = await invited(email, "viewer", it.keys.other);
  const attempt = (path: string, body: object, more: object = {}) =>
    it.call("POST", path, { key: null, headers: { ...from("203.0.113.1"), ...more }, body });
  const logInWrong = () => attempt("/v1/session", { email, password: "wrong" });
  const statuses = (await Promise.all(Array.from({ length: 15 }, logInWrong))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect((await logInWrong()).status).toBe(429);
  expect((await attempt(invitation, { name: "x", password: `not ${PASSWORD}` })).status).toBe(429);
  const change = { current: "wrong", password: PASSWORD };
  expect((await attempt("/v1/me/password", change, { cookie })).json).toMatchObject({ code: "rate_limited" });
});

test("failures from the same address or at the same account do not lock out a user who has logged in from there", async () => {
  const limits = new FailedPasswords();
  const wrong = async () => false;
  const right = async () => true;
  expect(await limits.attempt("ada", "192.0.2.1", right)).toBe(true);
  const many = (account: string, address: string) =>
    Promise.allSettled(Array.from({ length: 12 }, () => limits.attempt(account, address, wrong)));
  await Promise.all([many("bob", "192.0.2.1"), many("ada", "192.0.2.9")]);
  await expect(limits.attempt("ada", "192.0.2.9", right)).rejects.toThrow("too many");
  await expect(limits.attempt("bob", "192.0.2.1", right)).rejects.toThrow("too many");
  expect(await limits.attempt("ada", "192.0.2.1", right)).toBe(true);
  await many("ada", "192.0.2.1");
  await expect(limits.attempt("ada", "192.0.2.1", right)).rejects.toThrow("too many");
});

test("addresses of one IPv6 network count as one", async () => {
  const limits = new FailedPasswords();
  const wrong = async () => false;
  const of = (network: string) =>
    Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => limits.attempt(`u${at}`, `2001:db8:0:${network}::${at}`, wrong)),
    );
  await of("1");
  await expect(limits.attempt("ada", "2001:db8:0:1:ffff::1", wrong)).rejects.toThrow("too many");
  expect(await limits.attempt("ada", "2001:db8:0:2::1", wrong)).toBe(false);
});

test("an admin of the first organization does not operate the deployment by a key", async () => {
  const { status, json } = await it.call("POST", await invited("first-admin@example.test", "admin"), {
    key: null,
    headers: own(),
    body: { name: "A", password: PASSWORD },
  });
  expect(status).toBe(200);
  const { cookie } = await logIn("first-admin@example.test", PASSWORD);
  const make = (body: object) => asUser("POST", "/v1/keys", cookie, { name: "k", ...body });
  const refused = [403, "insufficient_permission"];
  const impersonal = await make({ scopes: ["admin"], personal: false });
  expect([impersonal.status, impersonal.json.code]).toEqual(refused);
  expect((await make({ scopes: ["read", "write"], personal: false })).status).toBe(200);
  const personal = (await make({ scopes: ["admin"] })).json.data;
  expect(personal.user_id).toBe(json.data.id);
  expect((await it.call("GET", "/v1/users", { key: personal.key })).status).toBe(403);
  const freed = await asUser("PATCH", `/v1/keys/${personal.id}`, cookie, { user_id: null });
  expect([freed.status, freed.json.code]).toEqual(refused);
  const keys: { id: string; name: string }[] = (await asUser("GET", "/v1/keys", cookie)).json.data;
  for (const name of ["all", "admin"]) {
    const { id } = keys.find((key) => key.name === name)!;
    const taken = await asUser("PATCH", `/v1/keys/${id}`, cookie, { user_id: json.data.id });
    expect([name, taken.status, taken.json.code]).toEqual([name, ...refused]);
    for (const how of [{ cookie }, { authorization: `Bearer ${personal.key}` }]) {
      const rotated = await it.call("POST", `/v1/keys/${id}/rotate`, {
        key: null,
        headers: { ...own(), ...how },
        body: {},
      });
      expect([name, rotated.status, rotated.json.code]).toEqual([name, ...refused]);
    }
  }
  expect((await asUser("POST", `/v1/keys/${personal.id}/rotate`, cookie, {})).status).toBe(200);
});

test("a key that is restricted to models and credentials passes on no more than it has", async () => {
  const make = (body: object, key = it.keys.all) => it.call("POST", "/v1/keys", { key, body: { name: "k", ...body } });
  const own = { models: ["openai/*"], credentials: ["team-*"] };
  const { key } = (await make({ scopes: ["admin"], ...own })).json.data;
  expect((await make({ scopes: ["gateway"] }, key)).json.data).toMatchObject(own);
  const narrower = { models: ["openai/gpt-5"], credentials: [] };
  expect((await make({ scopes: ["admin"], ...narrower }, key)).json.data).toMatchObject(narrower);
  const refused = [
    await make({ models: null }, key),
    await make({ models: ["*"] }, key),
    await make({ credentials: ["team-*", "other"] }, key),
  ];
  const { id } = (await make({ scopes: ["gateway"] })).json.data;
  refused.push(await it.call("POST", `/v1/keys/${id}/rotate`, { key, body: {} }));
  refused.push(await it.call("PATCH", `/v1/keys/${id}`, { key, body: { user_id: null } }));
  expect(refused.map(({ status, json }) => [status, json.path])).toEqual(
    ["models", "models", "credentials", "models", "models"].map((path) => [403, path]),
  );
});

async function member(email: string, role: MemberRole) {
  const { records } = it.store;
  const user = await person(records, { email, name: email, password: PASSWORD });
  const order = { organizationId: it.organization, role, source: "weir" };
  await records.batch([statementOf(membership(records, user.id, order))]);
  return user;
}

test("a transferred key outlives its former owner; a user who cannot own it is refused with the reason", async () => {
  const leaver = await member("leaver@example.test", "developer");
  const heir = await member("heir@example.test", "developer");
  const onlooker = await member("onlooker@example.test", "viewer");
  const stranger = await person(it.store.records, { email: "stranger@example.test", name: "S", password: PASSWORD });
  const admin = { key: it.keys.admin };
  const { cookie } = await logIn(leaver.email, PASSWORD);
  const make = async (name: string) => (await asUser("POST", "/v1/keys", cookie, { name, scopes: ["read"] })).json.data;
  const [kept, left] = [await make("kept"), await make("left")];
  const status = async ({ key }: { key: string }) => (await it.call("GET", "/v1/me", { key })).status;
  const transfer = (user_id: unknown, id: string = kept.id, key = it.keys.admin) =>
    it.call("PATCH", `/v1/keys/${id}`, { key, body: { user_id } });

  expect((await asUser("PATCH", `/v1/keys/${kept.id}`, cookie, { user_id: null })).status).toBe(403);
  expect((await transfer(null, kept.id, it.keys.other)).status).toBe(404);
  await it.call("PATCH", `/v1/users/${heir.id}`, { ...admin, body: { disabled: true } });
  for (const [userId, why] of [
    [onlooker.id, "the role of onlooker@example.test, viewer, does not allow"],
    [stranger.id, "must be a member"],
    ["nobody", "must be a member"],
    [heir.id, "heir@example.test is disabled"],
    ["", "give the id of a user, or null"],
    [7, "user_id"],
  ]) {
    const refused = await transfer(userId);
    expect([refused.status, refused.json.code, refused.json.path]).toEqual([400, "invalid_body", "user_id"]);
    expect(refused.json.message).toContain(why);
  }
  await it.call("PATCH", `/v1/users/${heir.id}`, { ...admin, body: { disabled: false } });

  for (let n = 0; n < 2; n++)
    expect((await transfer(heir.id)).json.data).toMatchObject({ id: kept.id, user_id: heir.id, user: heir.email });
  const entries = (await it.call("GET", "/v1/audit?action=key.changed&outcome=done", admin)).json.data;
  const change = {
    before: { user_id: leaver.id, user: leaver.email },
    after: { user_id: heir.id, user: heir.email },
  };
  expect(entries).toMatchObject([{ object: { kind: "key", id: kept.id, name: "kept" }, change }]); // one, not two

  await it.call("DELETE", `/v1/members/${leaver.id}`, admin);
  expect([await status(kept), await status(left)]).toEqual([200, 401]);
  expect((await transfer(null, left.id)).json.data).toMatchObject({ user_id: null, user: null });
  await it.call("DELETE", `/v1/members/${heir.id}`, admin);
  expect([await status(kept), await status(left)]).toEqual([401, 200]);
  await it.call("DELETE", `/v1/keys/${left.id}`, admin);
  expect((await transfer(heir.id, left.id)).json.code).toBe("invalid_body");
  expect((await transfer(null, left.id)).status).toBe(404);
});

test("a user's key may not do what only a key without a user may, such as changing alerts with write", async () => {
  const dev = await member("dev-with-alerts@example.test", "developer");
  const { cookie } = await logIn("dev-with-alerts@example.test", PASSWORD);
  const order = { name: "own", scopes: ["read", "write", "gateway"] };
  const { key } = (await asUser("POST", "/v1/keys", cookie, order)).json.data;
  const alert = { name: "spend", metric: "cost", comparison: "above", threshold: 1, window_seconds: 60 };
  const create = async () => (await it.call("POST", "/v1/alerts", { key, body: alert })).json;
  const message = "this needs the permission admin: a key with the scope admin, or the role admin";
  expect(await create()).toMatchObject({ error: 403, message });
  await it.call("PATCH", `/v1/members/${dev.id}`, { key: it.keys.admin, body: { role: "admin" } });
  expect(await create()).toMatchObject({ error: null, data: { name: "spend" } });
});

test("the list of keys shows which keys their owner stops, and why", async () => {
  const owner = await member("owner-of-key@example.test", "developer");
  const admin = { key: it.keys.admin };
  const { cookie } = await logIn(owner.email, PASSWORD);
  const { data: made } = (await asUser("POST", "/v1/keys", cookie, { name: "own", scopes: ["read"] })).json;
  const stopped = async () => {
    const listed = (await it.call("GET", "/v1/keys", admin)).json.data as { id: string; stopped: string | null }[];
    return listed.find(({ id }) => id === made.id)!.stopped;
  };
  expect(await stopped()).toBeNull();
  await it.call("PATCH", `/v1/users/${owner.id}`, { ...admin, body: { disabled: true } });
  expect(await stopped()).toBe("owner_disabled");
  await it.call("PATCH", `/v1/users/${owner.id}`, { ...admin, body: { disabled: false } });
  expect(await stopped()).toBeNull();
  await it.call("DELETE", `/v1/members/${owner.id}`, admin);
  expect(await stopped()).toBe("owner_not_member");
  await it.call("DELETE", `/v1/users/${owner.id}`, admin);
  expect(await stopped()).toBe("owner_removed");
});

test("a key that is rotated takes its log-ins with it", async () => {
  const order = { name: "leaked", organization: "default", scopes: ["read"], region: "us", expiresAt: null } as const;
  const { id, key } = await createServiceKey(it.store.records, order);
  const begun = await it.call("POST", "/v1/session", { key: null, headers: own(), body: { key } });
  const cookie = begun.headers.get("set-cookie")!.split(";")[0]!;
  expect((await asUser("GET", "/v1/me", cookie)).status).toBe(200);
  expect((await it.call("POST", `/v1/keys/${id}/rotate`, { body: { grace: "1h" } })).status).toBe(200);
  expect((await asUser("GET", "/v1/me", cookie)).status).toBe(401);
  expect((await it.call("GET", "/v1/me", { key })).status).toBe(200); // the grace time
});

test("over HTTPS a log-in keeps its name and flags, and a planted cookie of the other name is none", async () => {
  const https = { origin: "https://weir.test", "sec-fetch-site": "same-origin" };
  const begun = await it.call("POST", "/v1/session", { key: null, headers: https, body: { key: it.keys.read } });
  const cookie = begun.headers.get("set-cookie")!.split(";")[0]!;
  expect(cookie).toStartWith("__Host-");
  const renewed = await it.call("GET", "/v1/session", { key: null, headers: { cookie } }); // a browser names no origin here
  expect(renewed.headers.get("set-cookie")).toStartWith(`${cookie}; `);
  expect(renewed.headers.get("set-cookie")).toEndWith("; Secure");
  const planted = cookie.replace("__Host-", "");
  const accept = (more: Record<string, string>) =>
    it.call("GET", "/v1/me", { key: null, headers: { cookie: planted, ...more } });
  expect((await accept({ "x-forwarded-proto": "https" })).status).toBe(401);
});

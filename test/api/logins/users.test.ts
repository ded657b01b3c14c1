import { afterAll, beforeAll, expect, test } from "bun:test";
import { SYSTEM } from "../../../src/people/actor.ts";
import { hashPassword, isPassword, whyWeak } from "../../../src/people/password.ts";
import { createUser } from "../../../src/store/people/users.ts";
import { openApi, type TestApi } from "../open.ts";

const PASSWORD = "plain sailing on tuesdays";

let it: TestApi;

beforeAll(async () => {
  it = await openApi();
});
afterAll(() => it[Symbol.asyncDispose]());

const own = () => ({ origin: it.origin, "sec-fetch-site": "same-origin" });
const asUser = (method: string, path: string, cookie: string, body?: unknown, more: Record<string, string> = {}) =>
  it.call(method, path, { key: null, headers: { ...own(), cookie, ...more }, ...(body !== undefined && { body }) });

async function logIn(email: string, password: string) {
  const answer = await it.call("POST", "/v1/session", { key: null, headers: own(), body: { email, password } });
  return { ...answer, cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

async function invited(email: string, role: string, key = it.keys.admin): Promise<string> {
  const { json } = await it.call("POST", "/v1/invitations", { key, body: { email, role } });
  return `/v1/invitations/${json.data.token}`;
}

test.each([
  ["short", "give 12"],
  ["qwerty123456", "commonest"],
  ["QWERTY123456", "commonest"],
  [PASSWORD, undefined],
])("the password %s: %s", (password, why) => {
  if (why === undefined) expect(whyWeak(password)).toBeUndefined();
  else expect(whyWeak(password)).toContain(why);
});

test("a password is stored by scrypt, and nobody has none", async () => {
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

test("who invites a user that is there does not get their account", async () => {
  await createUser(it.store.records, { email: "eve@example.test", name: "Eve", password: PASSWORD }, SYSTEM);
  const address = await invited("eve@example.test", "viewer", it.keys.other);
  const accept = (password: string) =>
    it.call("POST", address, { key: null, headers: own(), body: { name: "x", password } });
  expect((await accept("another long password")).status).toBe(401);
  expect((await logIn("eve@example.test", "another long password")).status).toBe(401);
  expect((await accept(PASSWORD)).status).toBe(200);
});

test("a log-in has a new token each time, and ends when it is ended, by whom it is ended", async () => {
  await createUser(
    it.store.records,
    { email: "op@example.test", name: "Op", password: PASSWORD, operator: true },
    SYSTEM,
  );
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

test("ten wrong passwords and the address has to wait", async () => {
  const statuses: number[] = [];
  for (let at = 0; at < 11; at++) statuses.push((await logIn("nobody@example.test", "wrong")).status);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  expect(statuses.at(-1)).toBe(429);
}, 120_000);

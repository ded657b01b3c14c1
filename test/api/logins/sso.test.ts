import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SYSTEM } from "../../../src/people/actor.ts";
import { changeUser, createUser, findUser } from "../../../src/store/people/users.ts";
import { Browser } from "../../sso/browser.ts";
import { openSsoWorld, type SsoWorld } from "./sso-world.ts";

setDefaultTimeout(300_000);

let world: SsoWorld;

beforeAll(async () => {
  world = await openSsoWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const verified = (email: string, more: object = {}) => ({ email, email_verified: true, ...more });
const me = async (browser: Browser, organization?: string) => {
  const headers = organization === undefined ? {} : { "gateway-organization": organization };
  return (await (await browser.ask(`${world.it.origin}/v1/me`, { headers })).json()).data;
};
const session = (browser: Browser) => browser.cookies(world.it.origin).get(`weir_session_${world.it.config.api_port}`);

test("the ways to log in are listed, those of single sign-on first", async () => {
  const { json } = await world.it.call("GET", "/v1/login", { key: null });
  expect(json.data.methods).toEqual([
    { kind: "oidc", name: "corp", label: "Corp", start: "/v1/login/corp" },
    { kind: "oidc", name: "other", label: "The other", start: "/v1/login/other" },
    { kind: "key", name: "key", label: "Service key", start: "/v1/session" },
  ]);
});

test("the way there has a code challenge, a state and a nonce, new ones each time, and does not reveal the page", async () => {
  const browser = new Browser();
  const start = async () => {
    const response = await browser.ask(`${world.it.origin}/v1/login/corp?return=/requests%3Fuser%3Dada`);
    expect([response.status, response.headers.get("cache-control")]).toEqual([302, "no-store"]);
    expect(response.headers.get("set-cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
    return new URL(response.headers.get("location")!);
  };
  const [one, two] = [await start(), await start()];
  expect(one.origin).toBe(world.corp.issuer);
  expect(Object.fromEntries(one.searchParams)).toMatchObject({
    client_id: "weir",
    response_type: "code",
    scope: "openid profile email groups",
    redirect_uri: `${world.it.origin}/v1/login/corp/callback`,
    code_challenge_method: "S256",
  });
  for (const name of ["state", "nonce", "code_challenge"]) {
    expect(one.searchParams.get(name)!.length).toBeGreaterThanOrEqual(43);
    expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name));
  }
  expect(Buffer.from(one.searchParams.get("state")!, "base64url").toString("latin1")).not.toContain("requests");
});

test("groups become roles, the strongest in each organization, and the page that was wanted comes", async () => {
  const claims = verified("Ada@Example.test", { name: "Ada L.", groups: ["ml", "heads", "chess"] });
  const { url, browser } = await world.logIn("ada", { claims, returnTo: "/requests?a=1" });
  expect(url.href).toBe(`${world.it.origin}/requests?a=1`);
  expect(await me(browser)).toMatchObject({ kind: "user", email: "ada@example.test", name: "Ada L.", role: "admin" });
  expect(await me(browser, "other")).toMatchObject({ role: "analyst" });
  const members = (await world.it.call("GET", "/v1/members", { key: world.it.keys.admin })).json.data;
  expect(members).toMatchObject([{ email: "ada@example.test", role: "admin", source: "sso:corp" }]);
  const sessions = (await (await browser.ask(`${world.it.origin}/v1/sessions`)).json()).data;
  expect(sessions).toMatchObject([{ method: "corp", current: true }]);
});

test("a role that changed between log-ins counts at once, also for the log-in of another browser", async () => {
  const { browser: first } = await world.logIn("cleo", { claims: verified("cleo@example.test", { groups: ["ml"] }) });
  expect([(await me(first)).role, (await me(first)).organizations.length]).toEqual(["developer", 2]);
  await world.logIn("cleo", { claims: verified("cleo@lab.test", { groups: ["heads"] }) });
  expect(await me(first)).toMatchObject({
    email: "cleo@lab.test",
    role: "admin",
    organizations: [{ name: "default" }],
  });
  await world.logIn("cleo", { claims: verified("cleo@lab.test", { groups: [] }) });
  expect((await me(first)).role).toBe("viewer");
});

test("a user whom no rule fits is refused, and loses the memberships that rules had given", async () => {
  const none = await world.logIn("dan", { claims: verified("dan@example.test") });
  expect(none.response.status).toBe(403);
  const { code, message } = await none.response.json();
  expect([code, message]).toEqual(["not_a_member", expect.stringContaining("Corp knows you as dan@example.test")]);
  expect(session(none.browser)).toBeUndefined();
  expect(await findUser(world.it.store.records, "email", "dan@example.test")).toBeUndefined();

  const { browser } = await world.logIn("dan", { claims: verified("dan@example.test", { department: "finance" }) });
  expect((await me(browser)).organization.name).toBe("other");
  expect((await world.logIn("dan", { claims: verified("dan@example.test") })).response.status).toBe(403);
  expect(await me(browser)).toMatchObject({ role: null, permissions: [] });
});

test("a browser is shown the refusal on a page of the dashboard, with its words and no markup of theirs", async () => {
  const claims = verified("dora@example.test");
  world.corp.accounts.set("dora", claims);
  world.corp.account = "dora";
  const browser = new Browser();
  const callback = await browser.open(`${world.it.origin}/v1/login/corp`, ({ pathname }) =>
    pathname.endsWith("/callback"),
  );
  const page = await browser.ask(callback.url, { headers: { accept: "text/html,*/*" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const [, content] = /<meta name="weir-failure" content="([^"]*)">/.exec(await page.text())!;
  expect(JSON.parse(content!.replace(/&#(\d+);/g, (_, digits) => String.fromCharCode(Number(digits))))).toMatchObject({
    code: "not_a_member",
  });
  const hostile = `${world.it.origin}/v1/login/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`;
  const text = await (await browser.ask(hostile, { headers: { accept: "text/html" } })).text();
  expect(text).not.toContain("<script>alert");
});

test("a provider that says all at its userinfo endpoint, and takes the secret only in the body, works next to the first", async () => {
  const claims = verified("bo@example.test", { name: "Bo" });
  const { browser, url } = await world.logIn("bo", { at: "other", claims });
  expect(url.pathname).toBe("/requests");
  expect(await me(browser)).toMatchObject({ email: "bo@example.test", role: "viewer" });
  expect(world.other.calls).toContain("/me");
  // The same person by the first provider: one user, and each provider changes what it gave.
  const again = await world.logIn("bo-at-corp", { claims: verified("bo@example.test", { groups: ["heads"] }) });
  expect((await me(again.browser)).id).toBe((await me(browser)).id);
  expect((await me(browser)).role).toBe("admin");
  await world.logIn("bo", { at: "other" });
  expect((await me(browser)).role).toBe("admin");
});

test("an invited user becomes a member by logging in, and keeps the role given here", async () => {
  const order = { email: "Ina@example.test", role: "analyst" };
  await world.it.call("POST", "/v1/invitations", { key: world.it.keys.admin, body: order });
  const { browser } = await world.logIn("ina", { claims: verified("ina@example.test") });
  expect((await me(browser)).role).toBe("analyst");
  await world.logIn("ina", { claims: verified("ina@example.test", { groups: ["ml"] }) });
  expect((await me(browser)).role).toBe("developer");
  await world.it.call("PATCH", `/v1/members/${(await me(browser)).id}`, {
    key: world.it.keys.admin,
    body: { role: "admin" },
  });
  await world.logIn("ina"); // by the rules again
  expect((await me(browser)).role).toBe("developer");
});

test("an operator needs no rule", async () => {
  await createUser(world.it.store.records, { email: "op@example.test", name: "Op", operator: true }, SYSTEM);
  const { browser } = await world.logIn("op", { claims: verified("op@example.test") });
  expect((await me(browser)).role).toBe("operator");
});

test("a user who is disabled is refused, and an address that another account has now does not give its user away", async () => {
  const { browser } = await world.logIn("eli", { claims: verified("eli@lab.test") });
  const { id } = await me(browser);
  const stolen = await world.logIn("mallory", { claims: verified("eli@lab.test") });
  expect([stolen.response.status, (await stolen.response.json()).message]).toEqual([
    403,
    expect.stringContaining("weir users unlink eli@lab.test"),
  ]);
  await changeUser(world.it.store.records, id, { disabled: true }, SYSTEM);
  expect((await browser.ask(`${world.it.origin}/v1/me`)).status).toBe(401);
  const refused = await world.logIn("eli");
  expect([refused.response.status, (await refused.response.json()).code]).toEqual([403, "login_refused"]);
});

test("a log-in has a new token each time, whatever the browser brings, and a log-out ends the stolen cookie as well", async () => {
  const claims = verified("fay@lab.test");
  const browser = new Browser();
  browser.cookies(world.it.origin).set(`weir_session_${world.it.config.api_port}`, "planted-by-somebody");
  await world.logIn("fay", { claims, browser });
  const first = session(browser)!;
  expect(first).not.toBe("planted-by-somebody");
  const thief = new Browser();
  thief.cookies(world.it.origin).set(`weir_session_${world.it.config.api_port}`, first);
  await world.logIn("fay", { browser });
  expect(session(browser)).not.toBe(first);
  expect((await thief.ask(`${world.it.origin}/v1/me`)).status).toBe(401);

  thief.cookies(world.it.origin).set(`weir_session_${world.it.config.api_port}`, session(browser)!);
  const own = { origin: world.it.origin, "sec-fetch-site": "same-origin" };
  const response = await (
    await browser.ask(`${world.it.origin}/v1/session`, { method: "DELETE", headers: own })
  ).json();
  expect((await thief.ask(`${world.it.origin}/v1/me`)).status).toBe(401);
  const end = new URL(response.data.end_session_url);
  expect(end.origin).toBe(world.corp.issuer);
  expect(end.searchParams.get("post_logout_redirect_uri")).toBe(`${world.it.origin}/`);
  expect(end.searchParams.get("id_token_hint")!.split(".")).toHaveLength(3);
  const page = await (await browser.ask(end)).text();
  expect(page).toContain("logout"); // the provider takes the token, and asks
});

test("a user can request another account; with end_session off the log-out stays local", async () => {
  const start = await new Browser().ask(`${world.it.origin}/v1/login/corp?account=other`);
  expect(new URL(start.headers.get("location")!).searchParams.get("prompt")).toBe("login");
  const { browser } = await world.logIn("bo", { at: "other", claims: verified("bo@example.test") });
  const own = { origin: world.it.origin, "sec-fetch-site": "same-origin" };
  const response = await browser.ask(`${world.it.origin}/v1/session`, { method: "DELETE", headers: own });
  expect((await response.json()).data).toEqual([]);
});

test("log-ins in two tabs do not disturb each other", async () => {
  world.corp.accounts.set("gus", verified("gus@lab.test"));
  world.corp.account = "gus";
  const browser = new Browser();
  const isCallback = ({ pathname }: URL) => pathname.endsWith("/callback");
  const one = await browser.open(`${world.it.origin}/v1/login/corp?return=/one`, isCallback);
  await browser.open(`${world.it.origin}/v1/login/corp?return=/two`, isCallback);
  const response = await browser.ask(one.url);
  expect([response.status, response.headers.get("location")]).toEqual([302, `${world.it.origin}/one`]);
});

test("two first log-ins of one person at once make one user", async () => {
  const claims = verified("hal@lab.test");
  const both = await Promise.all([world.logIn("hal", { claims }), world.logIn("hal", { claims })]);
  expect(both.map(({ url }) => url.pathname)).toEqual(["/requests", "/requests"]);
});

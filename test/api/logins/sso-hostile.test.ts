import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateKeyPair, SignJWT } from "jose";
import { returnPath } from "../../../src/api/logins/sso/return-path.ts";
import { Browser } from "../../sso/browser.ts";
import { CLIENT_SECRET } from "../../sso/identity-provider.ts";
import { openSsoWorld, type SsoWorld } from "./sso-world.ts";

setDefaultTimeout(300_000);

let world: SsoWorld;

beforeAll(async () => {
  world = await openSsoWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

type Claims = Record<string, unknown>;

const claims = { email: "ada@lab.test", email_verified: true };
const isCallback = ({ pathname }: URL) => pathname.endsWith("/callback");
const sessionName = () => `weir_session_${world.it.config.api_port}`;

/** The response of the callback, and whether it logs somebody in. */
async function outcome({ response, browser }: Awaited<ReturnType<SsoWorld["logIn"]>>) {
  const isIn = browser.cookies(world.it.origin).has(sessionName());
  return [response.status, response.status < 400 ? null : (await response.json()).code, isIn];
}

/** The address of a callback that has not been opened, and the browser that it belongs to. */
async function upToCallback(browser = new Browser(), account = "ada") {
  world.corp.accounts.set(account, claims);
  world.corp.account = account;
  const { url } = await browser.open(`${world.it.origin}/v1/login/corp`, isCallback);
  return { browser, url };
}

const now = () => Math.floor(Date.now() / 1_000);

describe("an ID token", () => {
  const other = (): Claims => ({ iss: world.corp.issuer });
  const tampered: readonly (readonly [string, (token: Claims) => Claims])[] = [
    ["with another nonce", (token) => ({ ...token, nonce: "of another log-in" })],
    ["without a nonce", ({ nonce: _, ...token }) => token],
    ["of another issuer", (token) => ({ ...token, iss: "https://evil.test" })],
    ["for another client", (token) => ({ ...token, aud: "another client" })],
    ["for two clients, given to the other", (token) => ({ ...token, aud: ["weir", "another"], azp: "another" })],
    ["that expired two minutes ago", (token) => ({ ...token, exp: now() - 120, iat: now() - 600 })],
    ["that is valid in two minutes", (token) => ({ ...token, nbf: now() + 120 })],
    ["without an expiry", ({ exp: _, ...token }) => token],
    ["without a subject", ({ sub: _, ...token }) => token],
    ["that is of nobody", other],
  ];
  test.each(tampered)("%s is refused", async (_name, tamper) => {
    world.corp.tamper = tamper;
    const opened = await world.logIn("ada", { claims }).finally(() => (world.corp.tamper = undefined));
    expect(await outcome(opened)).toEqual([401, "invalid_id_token", false]);
  });

  const signed: readonly (readonly [string, (token: Claims) => Promise<string>])[] = [
    ["with the algorithm none", (token) => world.corp.unsigned(token)],
    [
      "signed with the client's secret",
      (token) => new SignJWT(token).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(CLIENT_SECRET)),
    ],
    ["signed by somebody else's key of the same name", async (token) => strange(token, { kid: "1" })],
    ["signed by a key that nobody publishes", async (token) => strange(token, { kid: "unheard of" })],
    ["whose signature was cut off", async (token) => (await world.corp.signed(token)).replace(/\.[^.]*$/, ".")],
    ["that is no token", async () => "a.b.c"],
  ];
  test.each(signed)("%s is refused", async (_name, sign) => {
    world.corp.sign = sign;
    const opened = await world.logIn("ada", { claims }).finally(() => (world.corp.sign = undefined));
    expect(await outcome(opened)).toEqual([401, "invalid_id_token", false]);
  });

  test.each([
    ["expired half a minute ago, by clocks that differ", (token: Claims) => ({ ...token, exp: now() - 30 })],
    ["is valid in half a minute", (token: Claims) => ({ ...token, nbf: now() + 30, iat: now() + 30 })],
  ])("that %s is taken", async (_name, tamper) => {
    world.corp.tamper = tamper;
    const opened = await world.logIn("ada", { claims }).finally(() => (world.corp.tamper = undefined));
    expect(await outcome(opened)).toEqual([302, null, true]);
  });

  test("signed by a new key is taken at once, though the old ones were fetched a moment ago", async () => {
    expect(await outcome(await world.logIn("ada", { claims }))).toEqual([302, null, true]);
    const fetched = () => world.corp.calls.filter((path) => path === "/jwks").length;
    const before = fetched();
    expect(await outcome(await world.logIn("ada", { claims }))).toEqual([302, null, true]);
    expect(fetched()).toBe(before);
    await world.corp.rotate();
    expect(await outcome(await world.logIn("ada", { claims }))).toEqual([302, null, true]);
    expect(fetched()).toBe(before + 1);
    await world.corp.rotate(() => "2");
    await world.logIn("ada", { claims }); // its key has the name of the one before: known only once it fails
    expect(await outcome(await world.logIn("ada", { claims }))).toEqual([302, null, true]);
  });
});

async function strange(token: Claims, header: Claims): Promise<string> {
  const { privateKey } = await generateKeyPair("RS256");
  return new SignJWT(token).setProtectedHeader({ alg: "RS256", ...header }).sign(privateKey);
}

describe("a callback", () => {
  const expired = [400, "login_expired"];
  const ask = async (browser: Browser, url: URL) => {
    const response = await browser.ask(url);
    expect(browser.cookies(world.it.origin).has(sessionName())).toBe(response.status < 400);
    return response.status < 400 ? [response.status, null] : [response.status, (await response.json()).code];
  };

  test("in a browser that did not begin the log-in is refused: no user is logged in as another", async () => {
    const { url } = await upToCallback();
    expect(await ask(new Browser(), url)).toEqual(expired);
    const { browser } = await upToCallback();
    expect(await ask(browser, url)).toEqual(expired); // that browser has begun one of its own
  });

  test.each([
    ["without a state", (url: URL) => url.searchParams.delete("state")],
    ["with an empty state", (url: URL) => url.searchParams.set("state", "")],
    ["with a state that is made up", (url: URL) => url.searchParams.set("state", "A".repeat(120))],
    [
      "with one character of its state changed",
      (url: URL) => url.searchParams.set("state", changed(url.searchParams.get("state")!)),
    ],
    ["with two states", (url: URL) => url.searchParams.append("state", url.searchParams.get("state")!)],
    ["with a state of 100,000 characters", (url: URL) => url.searchParams.set("state", "A".repeat(12_000))],
  ])("%s is refused", async (_name, change) => {
    const { browser, url } = await upToCallback();
    change(url);
    expect(await ask(browser, url)).toEqual(expired);
  });

  test("that comes a second time is refused, and so is a code that was used, with a state that is new", async () => {
    const { browser, url } = await upToCallback();
    expect(await ask(browser, url)).toEqual([302, null]);
    const again = new Browser();
    const fresh = (await upToCallback(again)).url;
    fresh.searchParams.set("code", url.searchParams.get("code")!);
    expect(await ask(again, fresh)).toEqual(expired);
    browser.cookies(world.it.origin).delete(sessionName());
    expect(await ask(browser, url)).toEqual(expired);
  });

  test("of one provider does not end a log-in that was begun at the other", async () => {
    const { browser, url } = await upToCallback();
    url.pathname = "/v1/login/other/callback";
    expect(await ask(browser, url)).toEqual(expired);
  });

  test("that names another issuer is refused before its code is sent anywhere", async () => {
    const { browser, url } = await upToCallback();
    const calls = world.corp.calls.length;
    url.searchParams.set("iss", world.other.issuer);
    expect(await ask(browser, url)).toEqual([401, "invalid_id_token"]);
    url.searchParams.delete("iss");
    expect(await ask(browser, url)).toEqual([401, "invalid_id_token"]);
    expect(world.corp.calls.slice(calls)).toEqual([]);
  });

  test.each([
    ["two codes", (url: URL) => url.searchParams.append("code", "x"), [401, "invalid_id_token"]],
    ["no code", (url: URL) => url.searchParams.delete("code"), [401, "invalid_id_token"]],
    ["a code that is made up", (url: URL) => url.searchParams.set("code", "made up"), expired],
  ])("with %s is refused", async (_name, change, expected) => {
    const { browser, url } = await upToCallback();
    change(url);
    expect(await ask(browser, url)).toEqual(expected);
  });

  test("with an error of the provider tells it, in plain characters", async () => {
    const { browser, url } = await upToCallback();
    const state = url.searchParams.get("state")!;
    url.search = new URLSearchParams({
      error: "access_denied",
      error_description: "not <b>you</b>\u0007\n!",
      state,
      iss: world.corp.issuer,
    }).toString();
    const response = await browser.ask(url);
    const { code, message } = await response.json();
    expect([response.status, code, message]).toEqual([
      403,
      "login_refused",
      "Corp did not log you in: not <b>you</b> !",
    ]);
  });
});

function changed(text: string): string {
  const at = text.length >> 1;
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
}

describe("what a provider says of somebody", () => {
  const big = Array.from({ length: 20_000 }, (_, number) => `group ${number}`);
  test.each([
    ["an address that is not verified", { email: "ada@lab.test", email_verified: false }, "has not verified"],
    [
      "an address that is not verified, as a text",
      { email: "ada@lab.test", email_verified: "false" },
      "has not verified",
    ],
    [
      "an address whose domain is not its owner's, as Entra says",
      { email: "ada@lab.test", xms_edov: false },
      "has not verified",
    ],
    ["no address", { name: "Ada" }, "sends no e-mail address"],
    ["a list of addresses", { email: ["ada@lab.test"] }, "sends no e-mail address"],
    ["an address that is none", { email: "ada" }, "cannot be used"],
    ["an address of two lines", { email: "ada@lab.test\nbcc: eve@lab.test" }, "cannot be used"],
    ["an address with what cannot be seen", { email: "a\u200bda@lab.test" }, "cannot be used"],
    ["a domain in letters that look like others", { email: "ada@l\u0430b.test" }, "cannot be used"],
    [
      "groups that are left out, because they are too many",
      { email: "ada@lab.test", _claim_names: { groups: "src1" } },
      "in too many",
    ],
    ["groups that are left out, in the other way", { email: "ada@lab.test", hasgroups: true }, "in too many"],
  ])("%s: refused, in words", async (_name, said, words) => {
    const { response } = await world.logIn("odd", { claims: said });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "login_refused", message: expect.stringContaining(words) });
  });

  test.each([
    ["no claim on whether it is verified", { email: "eve@lab.test" }],
    ["that it is verified, as a text", { email: "eve@lab.test", email_verified: "true" }],
    ["groups that are no texts", { email: "eve@lab.test", groups: [1, null, { a: 1 }, "x".repeat(5_000)] }],
    ["twenty thousand groups", { email: "eve@lab.test", groups: big }],
    ["one group", { email: "eve@lab.test", groups: "ml" }],
    ["a name of 5,000 characters", { email: "eve@lab.test", name: "x".repeat(5_000) }],
    ["a name that is none", { email: "eve@lab.test", name: { first: "Eve" } }],
  ])("%s: taken", async (_name, said) => {
    expect((await world.logIn("eve", { claims: said })).url.pathname).toBe("/requests");
  });

  test("whether an address of the userinfo endpoint is verified follows from that endpoint, not from the ID token", async () => {
    world.other.tamper = (token) => ({ ...token, email_verified: true });
    const claims = { email: "bo@example.test", email_verified: false };
    const { response } = await world
      .logIn("bo", { at: "other", claims })
      .finally(() => (world.other.tamper = undefined));
    expect([response.status, (await response.json()).code]).toEqual([403, "login_refused"]);
  });

  test("an address whose lower case would be somebody else's is not theirs", async () => {
    const { browser } = await world.logIn("kate", { claims: { email: "kate@lab.test" } });
    const me = async (browser: Browser) => (await (await browser.ask(`${world.it.origin}/v1/me`)).json()).data;
    const kelvin = await world.logIn("kelvin", { claims: { email: "\u212Aate@lab.test" } });
    expect((await me(kelvin.browser)).id).not.toBe((await me(browser)).id);
    expect((await me((await world.logIn("kate", { claims: { email: "KATE@LAB.test" } })).browser)).id).toBe(
      (await me(browser)).id,
    );
  });
});

describe("the page to return to", () => {
  test.each([
    "//evil.test",
    "///evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "/%2fevil.test",
    "/%2Fevil.test",
    "/%5cevil.test",
    "https://evil.test/",
    "HTTPS:evil.test",
    "javascript:alert(1)",
    "evil.test",
    "@evil.test",
    ".evil.test",
    "/..//evil.test",
    "/%2e%2e//evil.test",
    "/./\\evil.test",
    "/\t/evil.test",
    "/\n/evil.test",
    " //evil.test",
    "/a b",
    "/\u0000",
    "/\u202e",
    "/v1/login/corp",
    "/v1",
    "/x/../v1/keys",
    `/${"a".repeat(1_001)}`,
  ])("is never %j", async (text) => {
    const { response } = await new Browser().open(
      `${world.it.origin}/v1/login/corp?return=${encodeURIComponent(text)}`,
    );
    expect([response.status, response.headers.get("location"), (await response.json()).path]).toEqual([
      400,
      null,
      "return",
    ]);
  });

  test.each([
    ["/", "/"],
    ["", "/"],
    ["/requests?user=ada&sort=-cost#3", "/requests?user=ada&sort=-cost#3"],
    ["/users/ünal", "/users/%C3%BCnal"],
    ["/requests?next=//evil.test", "/requests?next=//evil.test"],
    ["/v1x", "/v1x"],
  ])("may be %j", (text, path) => {
    expect(returnPath(text)).toBe(path);
  });
});

describe("a provider that does not respond", () => {
  test.each([503, 500, 404])("but with %d: words, and other ways to log in still work", async (status) => {
    const { browser, url } = await upToCallback();
    world.corp.down = status;
    const response = await browser.ask(url).finally(() => (world.corp.down = undefined));
    expect([response.status, (await response.json()).code]).toEqual([503, "sso_unavailable"]);
    expect(response.headers.get("retry-after")).not.toBeNull();
    world.corp.down = status;
    const { json } = await world.it.call("GET", "/v1/login", { key: null });
    const claims = { email: "bo@example.test", email_verified: true };
    const { url: end } = await world.logIn("bo", { at: "other", claims }).finally(() => (world.corp.down = undefined));
    expect([json.data.methods.length, end.pathname]).toEqual([3, "/requests"]);
  });

  test("at all, from the start: the log-in says so, the log has why, and the others continue", async () => {
    await using it = await openSsoWorld({
      sso: {
        gone: { issuer: "http://127.0.0.1:9", client_id: "weir", label: "Gone" },
        unreadable: { issuer: world.corp.issuer, client_id: "weir", client_secret: "file:/nowhere/secret" },
        liar: { issuer: `${world.corp.issuer}/`, client_id: "weir" },
      },
    });
    const { response } = await new Browser().open(`${it.it.origin}/v1/login/gone`);
    expect([response.status, (await response.json()).message]).toEqual([
      503,
      "Gone cannot be reached now; other ways to log in still work",
    ]);
    expect(it.it.log.join("")).toContain('"sso":"gone"');
    const unreadable = (await new Browser().open(`${it.it.origin}/v1/login/unreadable`)).response;
    expect([unreadable.status, await unreadable.text()]).toEqual([502, expect.not.stringContaining("nowhere")]);
    const own = { origin: it.it.origin, "sec-fetch-site": "same-origin" };
    expect(
      (await it.it.call("POST", "/v1/session", { key: null, headers: own, body: { key: it.it.keys.read } })).status,
    ).toBe(200);
    expect((await new Browser().open(`${it.it.origin}/v1/login/nobody`)).response.status).toBe(404);
  });
});

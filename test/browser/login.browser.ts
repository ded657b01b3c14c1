import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { SessionView } from "../../src/api/logins/session.ts";
import { callApi, KEY, runCommand } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { findings } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";

let it: Dashboard;
beforeAll(async () => {
  it = await openDashboard();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

test("nothing shows before a key is given, and then the page that was opened does", async () => {
  await using opened = await it.open("/requests?range=7d", { key: null });
  const { page, faults } = opened;
  const field = page.getByLabel("Service key");
  await field.waitFor();
  expect(await page.getByRole("navigation").count()).toBe(0);
  await eventually(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type(KEY);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  await eventually(() => new URL(page.url()).search).toBe("?range=7d");
  const [cookie] = await opened.context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
  expect(cookie!.value).not.toContain(KEY);
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]) + document.cookie)).not.toContain(
    "sk-weir",
  );
  expect(faults).toEqual([]);
});

test("before a log-in, only the session and the ways to log in are requested", async () => {
  await using opened = await it.open("/requests", { key: null });
  await opened.page.getByLabel("Service key").waitFor();
  const requests: string[] = [];
  opened.page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await opened.page.reload();
  await opened.page.getByLabel("Service key").waitFor();
  expect(requests.filter((path) => path.startsWith("/v1/"))).toEqual(["/v1/session", "/v1/login"]);
});

test.each(["/requests", "/overview"])(
  "a link to %s with a filter that cannot be read shows nothing, and says so",
  async (path) => {
    await using opened = await it.open(`${path}?filter=%7Bbroken`);
    const requests: string[] = [];
    opened.page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await opened.page.reload();
    await opened.page.getByText("This link's filter cannot be read").waitFor();
    expect(requests.filter((each) => /^\/v1\/(?:request|metrics)\//.test(each))).toEqual([]);
    await opened.page.getByRole("button", { name: "Show without a filter" }).click();
    await opened.page.getByText("This link's filter cannot be read").waitFor({ state: "detached" });
  },
);

test("a wrong key is refused in words, and the field can be used again", async () => {
  await using opened = await it.open("/", { key: null });
  const { page } = opened;
  await page.getByLabel("Service key").fill("sk-weir-us-wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText("This key is unknown.").waitFor();
  await page.getByLabel("Service key").fill(KEY);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
});

test("a user who logs out sees the log-in page, also after going back", async () => {
  await using opened = await it.open("/requests");
  const { page } = opened;
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Service key").waitFor();
  await page.goBack().catch(() => null); // there may be nothing to go back to
  await page.goto(`${it.weir.api}/requests`);
  await page.getByLabel("Service key").waitFor();
});

test("a log-out or log-in in one tab applies to the others", async () => {
  await using opened = await it.open("/sessions");
  const { page, context } = opened;
  const other = await context.newPage();
  await other.goto(`${it.weir.api}/sessions`);
  for (const each of [page, other]) await each.getByText("No sessions in this time").waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await other.getByLabel("Service key").waitFor();
  await page.getByLabel("Service key").fill(KEY);
  await page.keyboard.press("Enter");
  await other.getByText("No sessions in this time").waitFor();
});

test("a key that is revoked ends its log-in at the next question", async () => {
  const made = await runCommand(it.weir.env, "keys", "create", "--name", "short", "--scopes", "read");
  const key = made.stdout.trim();
  await using opened = await it.open("/requests", { key });
  const { page } = opened;
  await page.getByText("short", { exact: true }).waitFor();
  const listed = JSON.parse((await runCommand(it.weir.env, "keys", "list", "--json")).stdout) as {
    id: string;
    name: string;
  }[];
  await runCommand(it.weir.env, "keys", "revoke", listed.find(({ name }) => name === "short")!.id);
  await page.reload();
  await page.getByLabel("Service key").waitFor();
});

test("a log-in with another organization's key shows nothing of the earlier pages", async () => {
  const make = async (name: string, org: string) => {
    const made = await runCommand(it.weir.env, "keys", "create", "--name", name, "--org", org, "--scopes", "admin");
    return made.stdout.trim();
  };
  const [first, second] = [await make("of one", "one"), await make("of two", "two")];
  await using opened = await it.open("/limits", { key: first });
  const { page } = opened;
  const limit = { name: "a limit of one", quota: 1_000, window_seconds: 60 };
  await callApi(it.weir, "/v1/rate-limits", { method: "POST", body: JSON.stringify(limit) }, first);
  await page.getByRole("row", { name: /^a limit of one/ }).waitFor();
  const { data } = (await (await callApi(it.weir, "/v1/session", {}, first)).json()) as { data: SessionView };
  await runCommand(it.weir.env, "keys", "revoke", data.key.id);
  await page.getByLabel("Service key").waitFor();
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route("**/v1/rate-limits", async (route) => {
    requested.resolve();
    await released.promise;
    await route.continue();
  });
  await page.getByLabel("Service key").fill(second);
  await page.keyboard.press("Enter");
  await page.getByText("of two", { exact: true }).waitFor();
  await requested.promise;
  expect(await page.getByRole("row", { name: /^a limit of one/ }).count()).toBe(0);
  released.resolve();
  await page.getByText("No limits").waitFor();
});

test("a form that is open when the log-in ends has what was typed after the next log-in", async () => {
  await using opened = await it.open("/limits");
  const { page, context, faults } = opened;
  await page.getByRole("button", { name: "Create limit" }).click();
  await page.getByLabel("Name").fill("typed before");
  await context.clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Create limit" }).click();
  await page.getByLabel("Service key").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  await page.getByLabel("Service key").fill(KEY);
  expect(requests).toEqual([]);
  await page.keyboard.press("Enter");
  await eventually(() => page.getByLabel("Name").inputValue()).toBe("typed before");
  await page.getByRole("dialog").getByRole("button", { name: "Create limit" }).click();
  await page.getByRole("row", { name: /^typed before/ }).waitFor();
  expect(faults).toEqual([]);
});

test("of a page whose log-in has ended, nothing is left after a quarter of an hour", async () => {
  await using opened = await it.open("/limits", { alone: true, prepare: (page) => page.clock.install() });
  const { page, context } = opened;
  await page.getByRole("button", { name: "Create limit" }).click();
  await page.getByLabel("Name").fill("typed before");
  await context.clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Create limit" }).click();
  await page.getByLabel("Service key").waitFor();
  expect(await page.locator(".frame").count()).toBe(1);
  await page.clock.runFor(15 * 60_000);
  await eventually(() => page.locator(".frame").count()).toBe(0);
  await page.getByLabel("Service key").waitFor();
});

test("a key without the permission is shown what it lacks", async () => {
  const made = await runCommand(it.weir.env, "keys", "create", "--name", "sender", "--scopes", "gateway");
  await using opened = await it.open("/requests", { key: made.stdout.trim() });
  await opened.page.getByText("This needs a key with the scope figures; yours has gateway.").waitFor();
});

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test("the log-in has no serious finding", async () => {
    await using opened = await it.open("/", { key: null, theme });
    await opened.page.getByLabel("Service key").waitFor();
    expect(await findings(opened.page)).toEqual([]);
  });
});

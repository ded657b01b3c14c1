import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callApi, runCommand } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { expectCalm, hostileText } from "./calm.ts";
import { delayFirstList } from "./late-list.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { ask, fillWorld, HOSTILE, send, type World } from "./world.ts";

let it: Dashboard;
let world: World;
let reader: string;
beforeAll(async () => {
  it = await openDashboard();
  world = await fillWorld(it.weir);
  const { weir } = it;
  reader = (await runCommand(weir.env, "keys", "create", "--name", "reader", "--scopes", "read")).stdout.trim();
  await ask(weir, "POST", "/v1/keys", { name: HOSTILE, scopes: ["gateway"] });
  await ask(weir, "PUT", "/v1/models/prices", { provider: "OPENAI", model: HOSTILE, input: 3 });
  const limit = { name: HOSTILE, quota: 1_000, window_seconds: 3_600, segment: "user" };
  await ask(weir, "POST", "/v1/rate-limits", limit);
  await send(weir, world.upstream, { headers: { "Gateway-User-Id": HOSTILE } });
  await ask(weir, "POST", "/v1/domains/approval-requests", { domain: "hostile.test", company: HOSTILE });
  mkdirSync(join(weir.dataDirectory, "plugins"), { recursive: true });
  writeFileSync(join(weir.dataDirectory, "plugins", "broken.ts"), `throw new Error(${JSON.stringify(HOSTILE)});`);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
});

test.each([
  ["Models", "/models"],
  ["Models", "/models?tab=prices"],
  ["Domains", "/domains?domain=hostile.test"],
  ["Limits", "/limits"],
  ["Plugins", "/plugins"],
  ["Keys", "/keys"],
])("the page %s at %s shows hostile names as text, has no serious finding and fits a narrow screen", (title, path) =>
  expectCalm(it, path, async (page) => {
    await page.getByRole("heading", { level: 1, name: title, exact: true, includeHidden: true }).waitFor();
    await hostileText(page);
  }),
);

test("the cache page has no serious finding, and fits a narrow screen", () =>
  expectCalm(it, "/cache", (page) => page.getByRole("row").nth(1).waitFor()));

describe("a key that only reads", () => {
  test.each([
    ["/limits", "Create limit", "admin"],
    ["/limits", "Delete", "admin"],
    ["/cache", "Remove responses…", "admin"],
    ["/domains", "Ask for approval", "write"],
    ["/domains", "Approve", "admin"],
    ["/models", "Expedite", "write"],
    ["/models?tab=prices", "Set a price", "admin"],
    ["/keys", "Create key", "admin"],
  ])("at %s cannot use %s, and the page says why", async (path, label, scope) => {
    await using opened = await it.open(path, { key: reader });
    const { page } = opened;
    const button = page.getByRole("button", { name: new RegExp(`^${label}`) }).first();
    await button.waitFor();
    await eventually(() => button.getAttribute("aria-disabled")).toBe("true");
    await eventually(() => button.getAttribute("title")).toContain(`scope ${scope}`);
    await button.click({ force: true });
    await eventually(() => page.getByRole("dialog").count()).toBe(0);
  });
});

describe("Keys", () => {
  test("are all to be read without scrolling to the side, beside what can be done with them", async () => {
    const create = (more: object) => ask<{ id: string }>(it.weir, "POST", "/v1/keys", { scopes: ["gateway"], ...more });
    const access = {
      scopes: ["gateway", "read", "write"],
      models: ["openai/*", "anthropic/*"],
      credentials: ["team-*"],
    };
    await create({ ...access, name: "nightly jobs", expires: "30d", organization: "second" });
    const { id } = await create({ name: "of somebody" });
    const email = "somebody.with.a.long.name@example.test";
    const { link } = await ask<{ link: string }>(it.weir, "POST", "/v1/invitations", { email, role: "developer" });
    const person = { name: "Somebody", password: "a password that is long" };
    await ask(it.weir, "POST", `/v1/invitations/${link.split("/").at(-1)}`, person);
    const [member] = await ask<{ user_id: string }[]>(it.weir, "GET", "/v1/members");
    await ask(it.weir, "PATCH", `/v1/keys/${id}`, { user_id: member!.user_id });
    await using opened = await it.open("/keys", { width: 1_024 });
    const { page } = opened;
    await page.getByRole("row", { name: /nightly jobs.*second/ }).waitFor();
    await page.getByRole("row", { name: new RegExp(`of somebody.*${email}`) }).waitFor();
    const hidden = () => page.locator(".table-scroller").evaluate((each) => each.scrollWidth - each.clientWidth);
    await eventually(hidden).toBe(0);
  });

  test("are created, shown once, used, and revoked after a confirmation", async () => {
    await ask(it.weir, "POST", "/v1/keys", { name: "of another", scopes: ["gateway"], organization: "second" });
    await using opened = await it.open("/keys");
    const { page } = opened;
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("from the dashboard");
    await dialog.getByLabel("Expires").selectOption({ label: "In an hour" });
    await dialog.getByLabel(/^write/).uncheck();
    await dialog.getByLabel(/^read/).uncheck();
    await dialog.getByLabel(/^figures/).check();
    const organizations = dialog.getByLabel("Organization").getByRole("option");
    await eventually(() => organizations.allTextContents()).toContain("second");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("heading", { name: "This is the key" }).waitFor();
    // Another tab: the secret stays on this page.
    const limits = dialog.getByRole("link", { name: "Limits" });
    await eventually(() => limits.getAttribute("target")).toBe("_blank");
    const key = (await dialog.locator("code").textContent())!;
    expect(key).toStartWith("sk-weir-");
    const session = await callApi(it.weir, "/v1/session", {}, key);
    expect(((await session.json()) as { data: { scopes: string[] } }).data.scopes).toEqual(["gateway", "figures"]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: /from the dashboard/ }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.getByRole("button", { name: "Rotate… from the dashboard" }).click();
    await dialog.getByRole("button", { name: "Rotate key" }).click();
    await page.getByRole("heading", { name: "This is the key" }).waitFor();
    const rotated = (await dialog.locator("code").textContent())!;
    expect((await callApi(it.weir, "/v1/session", {}, key)).status).toBe(401);
    expect((await callApi(it.weir, "/v1/session", {}, rotated)).status).toBe(200);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await page.getByRole("button", { name: "Rotate… first key" }).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke from the dashboard" }).click();
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("row", { name: /from the dashboard/ }).waitFor({ state: "detached" });
    expect((await callApi(it.weir, "/v1/session", {}, rotated)).status).toBe(401);
    await page.getByLabel(/revoked/).check();
    await page.getByRole("row", { name: /from the dashboard.*revoked/ }).waitFor();
  });
});

test("a key can be copied where the browser has no clipboard interface, as without HTTPS", async () => {
  await using opened = await it.open("/keys");
  const { page } = opened;
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.addEventListener("copy", () => (document.title = String(getSelection())));
  });
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("to be copied");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("button", { name: "Copy key" }).click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  await eventually(() => page.title()).toBe((await dialog.locator("code").textContent())!);
  await dialog.getByRole("button", { name: "Done" }).click();
});

test("a dialog tells all of what will happen, and gives the focus back", async () => {
  await using opened = await it.open("/keys");
  const { page } = opened;
  const opener = page.getByRole("button", { name: "Revoke first key" });
  const dialog = page.getByRole("dialog");
  for (const close of ["Escape", "Enter"]) {
    await opener.press("Enter");
    await dialog.getByText("You are logged in with this key.").waitFor();
    await eventually(() => dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
    if (close === "Enter") await dialog.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press(close);
    await dialog.waitFor({ state: "detached" });
    await eventually(() => opener.evaluate((button) => button === document.activeElement)).toBe(true);
  }
});

describe("Limits", () => {
  test("are made, show what is used, are changed and deleted", async () => {
    await using opened = await it.open("/limits");
    const { page } = opened;
    await page.getByRole("button", { name: "Create limit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("a minute");
    await dialog.getByLabel("At most").fill("40");
    await dialog.getByLabel("Within").selectOption({ label: "5 minutes" });
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: "first key" });
    await dialog.getByRole("button", { name: "Create limit" }).click();
    const row = page.getByRole("row", { name: /^a minute/ });
    await row.getByText("in total, key first key").waitFor();
    await row.getByText("40 requests in 5 minutes").waitFor();
    await send(it.weir, world.upstream, { headers: { "Gateway-User-Id": "ada" } });
    await row.getByText("1 request", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Edit a minute" }).click();
    await dialog.getByLabel("At most").fill("-1");
    await dialog.getByLabel("At most").fill("50");
    await dialog.getByLabel("Within").selectOption({ label: "calendar month" });
    await dialog.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await dialog.getByRole("button", { name: "Save limit" }).click();
    await row.getByText("50 requests in a calendar month of Asia/Tokyo").waitFor();
    // The list that is read after the change still has it, as from a process that has not followed yet.
    const listed = await (await callApi(it.weir, "/v1/rate-limits")).text();
    const before = { contentType: "application/json", body: listed };
    await row.getByRole("button", { name: "Delete a minute" }).click();
    await page.route("**/v1/rate-limits", (route) => route.fulfill(before), { times: 1 });
    await dialog.getByRole("button", { name: "Delete limit" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.id === "content");
  });

  test("say in the form what the API does not take", async () => {
    await using opened = await it.open("/limits");
    const { page } = opened;
    await page.getByRole("button", { name: "Create limit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("broken");
    await dialog.getByLabel("At most").fill("1.5");
    await dialog.getByRole("button", { name: "Create limit" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/whole number/)
      .waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
    await eventually(() => dialog.getByLabel("At most").evaluate((field) => field === document.activeElement)).toBe(
      true,
    );
    await eventually(() => dialog.getByRole("alert").textContent()).toStartWith("must be");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
});

describe("Domains", () => {
  test("are approved, revoked and denied, each after a confirmation", async () => {
    await using opened = await it.open("/domains");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    const row = page.getByRole("row", { name: /hostile\.test/ });
    for (const [step, confirm, state] of [
      ["Approve", "Approve domain", "approved"],
      ["Revoke", "Revoke approval", "revoked"],
      ["Deny", "Deny domain", "denied"],
    ] as const) {
      await row.getByRole("button", { name: `${step} hostile.test` }).click();
      await dialog.getByRole("button", { name: confirm }).click();
      await row.getByText(state, { exact: true }).waitFor();
    }
    await row.getByRole("button", { name: "hostile.test", exact: true }).click();
    await dialog.getByRole("list", { name: "History" }).getByText("by first key").first().waitFor();
    await eventually(() => dialog.getByRole("listitem").count()).toBe(4);
    await page.waitForURL(/domain=hostile.test/);
  });

  test("are approved where their refusals are seen, in the list and at the request", async () => {
    const headers = { "Gateway-Target-Url": "http://192.168.77.1:9" };
    const ids = [await send(it.weir, world.upstream, { headers }), await send(it.weir, world.upstream, { headers })];
    await using opened = await it.open(`/requests/${ids[0]}`);
    const { page } = opened;
    const approve = page.getByRole("button", { name: "Approve this domain 192.168.77.1" });
    await approve.waitFor();
    await page.goto(`${it.weir.api}/domains`);
    await approve.waitFor();
    await page.goto(`${it.weir.api}/requests`);
    const banner = page.getByRole("region", { name: "Refused for their domain" });
    await banner.getByText("2 requests were refused in the last hour: 192.168.77.1 is not approved.").waitFor();
    await approve.click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve domain" }).click();
    await banner.waitFor({ state: "detached" });
    const domain = await ask<{ state: string; private: boolean }>(it.weir, "GET", "/v1/domains/192.168.77.1");
    expect(domain).toMatchObject({ state: "approved", private: true });
    expect(opened.faults).toEqual([]);
  });

  test("can be requested, with the DNS record to copy", async () => {
    await using opened = await it.open("/domains");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Ask for approval" }).click();
    await dialog.getByRole("textbox", { name: "Domain" }).fill("not a domain");
    await dialog.getByLabel(/Myself/).check();
    await dialog.getByRole("button", { name: "Ask for approval" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/host name or address/)
      .waitFor();
    await dialog.getByRole("textbox", { name: "Domain" }).fill("mine.test");
    await dialog.getByRole("button", { name: "Ask for approval" }).click();
    await dialog.getByText("_weir-challenge.mine.test").waitFor();
    await dialog.getByRole("button", { name: "Copy value" }).waitFor();
  });
});

describe("Models", () => {
  test("that are pending say so, and can be expedited", async () => {
    await using opened = await it.open("/models?state=pending");
    const { page } = opened;
    const row = page.getByRole("row", { name: /strange/ });
    await row.getByText("Model is pending mapping").waitFor();
    await row.getByRole("button", { name: /^Expedite/ }).click();
    await row.getByRole("status").filter({ hasText: /./ }).waitFor();
  });

  test("have a mapping that is written, checked, approved and rolled back", async () => {
    await using opened = await it.open("/models?q=strange");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("link", { name: /^Mapping of strange/ }).click();
    const text = dialog.getByLabel("Mapping, as JSON");
    await text.fill("{");
    await eventually(() => dialog.getByRole("button", { name: "Save and use" }).isDisabled()).toBe(true);
    await text.fill(`{"format": 7}`);
    await dialog.getByRole("button", { name: "Save and use" }).click();
    await dialog
      .getByRole("alert")
      .getByText(/format/)
      .waitFor();
    await text.fill(`{"format": 1, "wire_schema": "chat-completions"}`);
    await dialog.getByRole("button", { name: "Save and use" }).click();
    await dialog
      .getByRole("row", { name: /written by an admin/ })
      .getByText("approved")
      .waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page
      .getByRole("dialog", { name: /^Roll back/ })
      .getByRole("button", { name: "Roll back" })
      .click();
    await dialog.getByText("rolled back").waitFor();
  });

  test("show what they cost now, which can be overridden", async () => {
    await using opened = await it.open("/models?tab=prices&q=gpt-4o-mini");
    const { page } = opened;
    const row = page.getByRole("table", { name: "Prices in force" }).getByRole("row", { name: /^gpt-4o-mini-/ });
    await row.getByText("0.15", { exact: true }).waitFor();
    await row.getByRole("button", { name: /^Override the price of gpt-4o-mini-/ }).click();
    const dialog = page.getByRole("dialog");
    await eventually(() => dialog.getByLabel("Output", { exact: true }).inputValue()).toBe("0.6");
    await dialog.getByLabel("Output", { exact: true }).fill("0.7");
    await dialog.getByRole("button", { name: "Save price" }).click();
    await row.getByText(/^own price: OPENAI gpt-4o-mini-/).waitFor();
    await row.getByText("0.7", { exact: true }).waitFor();
  });

  test("have prices of one's own, which are set and removed", async () => {
    await using opened = await it.open("/models?tab=prices");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Set a price" }).click();
    await dialog.getByLabel("Provider").fill("openai");
    await dialog.getByLabel("Model").fill("mine-*");
    await dialog.getByLabel("Input").fill("1.25");
    await dialog.getByRole("button", { name: "Save price" }).click();
    const row = page.getByRole("table", { name: "Prices of your own" }).getByRole("row", { name: /mine-\*/ });
    await row.getByText("1.25").waitFor();
    await row.getByRole("button", { name: /^Remove/ }).click();
    await dialog.getByRole("button", { name: "Remove price" }).click();
    await row.waitFor({ state: "detached" });
  });
});

describe("Plugins", () => {
  test("say what failed and why, and no longer once it is fixed", async () => {
    await using opened = await it.open("/plugins");
    const { page } = opened;
    const trouble = page.getByRole("region", { name: "Not loaded as they are now" });
    await trouble.getByText("line 1").waitFor();
    await eventually(() => trouble.textContent()).toContain("broken.ts");
    await page
      .getByRole("row", { name: /^rate-limits/ })
      .getByText("loaded")
      .waitFor();
    rmSync(join(it.weir.dataDirectory, "plugins", "broken.ts"));
    await trouble.waitFor({ state: "detached" });
  });

  test("list the providers with their hosts and addresses", async () => {
    await using opened = await it.open("/plugins?tab=providers&q=anthropic.com");
    const { page } = opened;
    await page
      .getByRole("row", { name: /^ANTHROPIC/ })
      .getByText("anthropic.localhost")
      .waitFor();
    await eventually(async () => (await page.getByRole("row").count()) < 5).toBe(true);
  });
});

test("cached responses are listed, and removed by model", async () => {
  await using opened = await it.open("/cache");
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByRole("row", { name: /gpt-4o-mini/ }).waitFor();
  await page.getByText("1 hit, 1 miss", { exact: true }).waitFor();
  await delayFirstList(page, ["GET", "/v1/cache/entries"], ["DELETE", "/v1/cache"]);
  await page.reload();
  await page.getByRole("button", { name: "Remove responses…" }).click();
  await dialog.getByLabel("Model").fill("gpt-4o-mini");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("One response was removed.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByText("No responses are cached").waitFor();
});

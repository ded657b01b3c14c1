import { afterAll, beforeAll, expect, test } from "bun:test";
import { parquetReadObjects } from "hyparquet";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { findings } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { expectUsers, rows } from "./request-rows.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";
import { ask } from "./world.ts";

let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider(() => Response.json(completion("yes")));
  for (const user of ["bob", "carl", "bob", "dora"])
    await send(it.weir, provider, { headers: { "Gateway-User-Id": user }, body: chat(`a question of ${user}`) });
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

const ofBob = encodeURIComponent(JSON.stringify({ request_response_rmt: { user_id: { equals: "bob" } } }));
const palette = (page: Page) => page.getByRole("combobox", { name: /^Page, view/ });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

test("a view is saved, changed, shared and deleted, and its address shows the same to somebody else", async () => {
  await using opened = await it.open(`/requests?filter=${ofBob}`);
  const { page, faults } = opened;
  await expectUsers(page, ["bob", "bob"]);
  await button(page, "Views").click();
  await page.getByLabel("Name of the view").fill("Bob's");
  await page.keyboard.press("Enter");
  await button(page, /^Bob's$/).waitFor();
  await page.getByRole("columnheader", { name: "Latency" }).getByRole("button").click();
  await button(page, "Bob's (changed)").click();
  await button(page, "Save changes to Bob's").click();
  await button(page, /^Bob's$/).click();
  expect(await findings(page)).toEqual([]);
  await button(page, "Edit the view Bob's").click();
  await page.getByRole("textbox", { name: "Name" }).fill("Bob, slowest first");
  await page.getByRole("checkbox", { name: "Share with the organization" }).check();
  await button(page, /^Save$/).click();
  await button(page, /^Bob, slowest first$/).waitFor();
  const [view] = await ask<{ id: string; shared: boolean; sort: unknown }[]>(it.weir, "GET", "/v1/views");
  expect(view).toMatchObject({ shared: true, sort: { latency: "desc" } });
  await page.goto(`${it.weir.api}/views/${view!.id}`);
  await page.waitForURL(/\/requests\?.*sort=latency\.desc/);
  await expectUsers(page, ["bob", "bob"]);
  await button(page, /^Bob, slowest first$/).click();
  await button(page, "Edit the view Bob, slowest first").click();
  await button(page, "Delete").click();
  await page.getByRole("dialog", { name: "Delete view" }).getByRole("button", { name: "Delete" }).click();
  await button(page, /^Views$/).waitFor();
  await page.goto(`${it.weir.api}/views/${view!.id}`);
  await page.getByText("There is no such view").waitFor();
  expect(faults).toEqual([]);
});

test("letters that are typed right after Ctrl-K, before the palette is loaded, are not lost", async () => {
  await using opened = await it.open("/users", { alone: true });
  const { page, faults } = opened;
  await button(page, /^Go to/).waitFor();
  let isRequested = false;
  let load = () => {};
  const held = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route("**/assets/palette-*.js", async (route) => {
    isRequested = true;
    await held;
    await route.continue();
  });
  // The page may be drawn before it listens.
  await eventually(async () => {
    await page.keyboard.press("Control+k");
    return isRequested;
  }).toBe(true);
  await page.keyboard.type("keysx");
  await page.keyboard.press("Backspace");
  load();
  await palette(page).waitFor();
  await eventually(() => palette(page).inputValue()).toBe("keys");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/keys");
  expect(faults).toEqual([]);
});

test("Ctrl-K leads by keyboard to a page, a request, a user and an action", async () => {
  await using opened = await it.open("/");
  const { page, faults } = opened;
  await page.waitForURL(/\/overview/);
  await button(page, /^Go to/).waitFor();
  const goTo = async (text: string, found?: string) => {
    await page.keyboard.press("Control+k");
    await palette(page).fill(text);
    if (found !== undefined) await page.getByRole("option", { name: found }).waitFor();
    await page.keyboard.press("Enter");
  };
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await palette(page).waitFor({ state: "detached" });
  await goTo("requests");
  await rows(page).first().waitFor();
  const id = (await page.locator("tr[data-id]").first().getAttribute("data-id"))!;
  await goTo(id, `${id} Request`);
  await page.waitForURL(new RegExp(`/requests/${id}`));
  await page.keyboard.press("Control+k");
  await palette(page).fill("bo");
  await page.getByRole("option", { name: "bob User" }).click();
  await expectUsers(page, ["bob", "bob"]);
  await goTo(id, `${id} Request`);
  await page.waitForURL(new RegExp(`/requests/${id}`));
  await goTo("bob", "bob User");
  await expectUsers(page, ["bob", "bob"]);
  await goTo("download");
  await page.getByRole("dialog", { name: "Download" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await goTo("theme dark");
  await page.waitForFunction(() => document.documentElement.dataset["theme"] === "dark");
  await goTo("theme as the system");
  expect(faults).toEqual([]);
});

test("two selected requests are compared, at an address that says with which", async () => {
  await using opened = await it.open(`/requests?filter=${ofBob}`);
  const { page, faults } = opened;
  await rows(page).nth(1).waitFor();
  const [newer, older] = await rows(page).evaluateAll((all) => all.map((row) => row.dataset["id"]!));
  await page.getByRole("checkbox", { name: "Select all loaded" }).check();
  // As after an update, which gives the files other names.
  await page.route(/\/assets\/compare-/, (route) => route.abort());
  await page.getByRole("region", { name: "Selection" }).getByRole("link", { name: "Compare" }).click();
  await page.getByText("A part of the dashboard could not be loaded").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await button(page, "Reload").click();
  await page.waitForURL((url) => url.pathname === `/requests/${newer}` && url.searchParams.get("with") === older);
  const other = page.getByLabel("Id of the other request");
  await eventually(() => other.inputValue()).toBe(older!);
  await page.reload();
  await eventually(() => other.inputValue()).toBe(older!);
  await page.getByText("What was said is the same.").waitFor();
  expect(faults).toEqual([]);
});

test("rows are selected by keyboard or all at once, and changed together", async () => {
  await using opened = await it.open(`/requests?filter=${ofBob}`);
  const { page, faults } = opened;
  await rows(page).first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded" }).check();
  await page.getByText("2 selected").waitFor();
  await button(page, "Add score").click();
  // The browser's own message about a wrong value ends with it.
  expect(await page.getByRole("textbox", { name: "Value" }).getAttribute("title")).toBe("A number, true or false.");
  await button(page, "Cancel").click();
  await button(page, "Set property").click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Reviewed");
  await page.getByRole("textbox", { name: "Value" }).fill("yes");
  await page.keyboard.press("Enter");
  await page.getByText("2 of 2 changed").waitFor();
  await button(page, "Close").last().click();
  const filter = { request_response_rmt: { properties: { Reviewed: { equals: "yes" } } } };
  expect(await ask<number>(it.weir, "POST", "/v1/request/count/query", { filter })).toBe(2);
  // The next change is often of the same rows.
  await page.getByText("2 selected").waitFor();
  await rows(page).first().getByRole("checkbox").uncheck();
  await page.getByText("1 selected").waitFor();
  await button(page, "Delete").click();
  // The list is loaded again only after the dialog is closed, as over a slow connection.
  const held = Promise.withResolvers<void>();
  await page.route(/query-fast/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await button(page, "Delete 1 request").click();
  await page.getByText("1 of 1 deleted").waitFor();
  await button(page, "Close").last().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  held.resolve();
  await page.getByRole("region", { name: "Selection" }).waitFor({ state: "detached" });
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(await ask<number>(it.weir, "POST", "/v1/request/count/query", { filter })).toBe(1);
  expect(faults).toEqual([]);
});

test("a table of users, and of keys, is downloaded whole as CSV and as Parquet", async () => {
  await using opened = await it.open("/users");
  const { page, faults } = opened;
  for (const [path, first, held] of [
    ["/users", "user_id,", "carl"],
    ["/keys", "id,", "first key"],
  ] as const) {
    await page.goto(it.weir.api + path);
    const saved = async (format: string) => {
      await button(page, "Download").click();
      const [download] = await Promise.all([page.waitForEvent("download"), button(page, format).click()]);
      return Bun.file(await download.path());
    };
    const bytes = await (await saved("Parquet")).arrayBuffer();
    const rows = await parquetReadObjects({ file: bytes });
    expect(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? Number(value) : value))).toContain(held);
    const text = await (await saved("CSV")).text();
    expect(text).toStartWith(first);
    expect(text).toContain(held);
    expect(text).not.toContain("sk-weir");
  }
  expect(faults).toEqual([]);
});

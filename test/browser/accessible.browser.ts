import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { completion, type Provider, send, startProvider } from "./traffic.ts";

// Each page and each part of a request are looked at in `hostile.browser.ts`, with names that are harder to show.
let it: Dashboard;
let provider: Provider;
let id: string;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider(() => Response.json(completion("yes", { reasoning_content: "hm" })));
  const headers = { "Gateway-User-Id": "ada", "Gateway-Property-Team": "blue", "Gateway-Session-Id": "s" };
  id = await send(it.weir, provider, { headers: { ...headers, "gateway-target-provider": "openai" } });
}, 300_000);
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test("the requests with their builder, menus and keys have no serious finding", async () => {
  await using opened = await it.open("/requests");
  const { page } = opened;
  await page.locator("tr[data-id]").first().waitFor();
  await page.getByRole("button", { name: "Builder" }).click();
  await page.getByRole("button", { name: "Add condition" }).click();
  await page.getByRole("button", { name: "Columns" }).click();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keys" }).click();
  expect(await findingsInBothThemes(page)).toEqual([]);
});

test("a request in the side panel has no serious finding", async () => {
  await using opened = await it.open(`/requests?open=${id}`, { width: 1_440 });
  await opened.page.getByRole("button", { name: "Change Team" }).waitFor();
  await opened.page.locator("tr[data-open]").waitFor();
  expect(await findingsInBothThemes(opened.page)).toEqual([]);
});

test("a narrow screen folds the navigation, and everything fits its width", async () => {
  await using opened = await it.open("/requests", { width: 400, height: 800 });
  const { page } = opened;
  await page.locator("tr[data-id]").first().waitFor();
  await eventually(() => page.getByRole("navigation", { name: "Pages" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.goto(`${it.weir.api}/requests/${id}`);
  await page.getByRole("button", { name: "Change Team" }).waitFor();
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 400);
});

test("the first thing that a key reaches skips to the content", async () => {
  await using opened = await it.open("/requests");
  const { page } = opened;
  await page.locator("tr[data-id]").first().waitFor();
  await page.keyboard.press("Tab");
  await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
  await page.keyboard.press("Enter");
  await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe("content");
});

test("a theme that was chosen stays", async () => {
  await using opened = await it.open("/requests", { theme: "light" });
  const { page } = opened;
  await page.getByText("Dark", { exact: true }).locator("..").click();
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await eventually(scheme).toBe("dark");
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  await eventually(scheme).toBe("dark");
});

test("where the system sets all colours, series have colours of their own and the current page is marked", async () => {
  await using opened = await it.open("/overview", {
    alone: true,
    prepare: (page) => page.emulateMedia({ forcedColors: "active" }),
  });
  const { page } = opened;
  await page.getByText("p99", { exact: true }).first().waitFor();
  const grounds = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).backgroundColor))]);
  expect((await grounds(".legend .swatch")).length).toBeGreaterThan(3);
  expect(await grounds(".nav-link[aria-current]")).not.toEqual(await grounds(".nav-link:not([aria-current])"));
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { callApi, gatewayHeaders, recordsOf } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { expectUsers, filterIn, rows } from "./request-rows.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";

/** Folders of the pages whose code has this name. */
const PAGES = readdirSync(join(import.meta.dir, "../../src/web/pages")).filter((page) =>
  existsSync(join(import.meta.dir, "../../src/web/pages", page, "page.tsx")),
);
let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((path) => Response.json(completion("yes"), { status: path.endsWith("/fail") ? 500 : 200 }));
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test("a first start says how to send a request, and notices the first, on the overview too", async () => {
  await using opened = await it.open("/requests");
  await using overview = await it.open("/");
  const { page, faults } = opened;
  const first = page.getByRole("region", { name: "Send the first request" });
  await first.waitFor();
  const firstOf = overview.page.getByRole("region", { name: "Send the first request" });
  await firstOf.waitFor();
  // Its parts are not drawn apart to the height of the screen.
  expect((await first.locator("h2").boundingBox())!.height).toBeLessThan(40);
  for (const [target, origin] of [
    ["OpenAI", "https://api.openai.com"],
    ["Built-in echo", "http://echo.weir.internal"],
  ] as const) {
    await first.getByRole("button", { name: target }).click();
    for (const language of ["curl", "Python", "TypeScript"]) {
      await first.getByRole("button", { name: language }).click();
      const code = first.getByRole("region", { name: language });
      await eventually(() => code.textContent()).toContain(origin);
      expect(await code.textContent()).toContain(`http://127.0.0.1:${it.weir.gatewayPort}/v1`);
    }
  }
  await send(it.weir, provider, { headers: { "Gateway-User-Id": "ada", "Gateway-Property-Team": "blue" } });
  await rows(page).first().waitFor();
  await expectUsers(page, ["ada"]);
  await firstOf.waitFor({ state: "detached" });
  await overview.page.locator(".tiles").getByText("1", { exact: true }).first().waitFor();
  expect([...faults, ...overview.faults]).toEqual([]);
});

describe("the list", () => {
  beforeAll(async () => {
    for (const user of ["bob", "carl", "bob"]) {
      await send(it.weir, provider, { headers: { "Gateway-User-Id": user }, body: chat(`a question of ${user}`) });
    }
    await send(it.weir, provider, { path: "/v1/chat/completions/fail", headers: { "Gateway-User-Id": "dora" } });
  });

  test("has rows and column heads by their roles, the newest first", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await rows(page).nth(4).waitFor();
    await expectUsers(page, ["dora", "bob", "carl", "bob", "ada"]);
    await eventually(() => page.getByRole("columnheader", { name: "Model" }).count()).toBe(1);
    await eventually(() => page.getByRole("row").count()).toBe(6);
    await page.getByText("5 requests").waitFor();
  });

  test("is sorted by a click on a head, and the address says so", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await page.getByRole("columnheader", { name: "User" }).getByRole("button").click();
    await page.waitForURL(/sort=user_id\.desc/);
    await page.locator("th[aria-sort=descending]", { hasText: "User" }).waitFor();
    await expectUsers(page, ["dora", "carl", "bob", "bob", "ada"]);
    await page.getByRole("columnheader", { name: "User" }).getByRole("button").click();
    await expectUsers(page, ["ada", "bob", "bob", "carl", "dora"]);
  });

  test("is filtered by user without a mouse, and the address shows the same to somebody else", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await rows(page).first().waitFor();
    await page.keyboard.press("/");
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("User");
    await page.keyboard.type("bob");
    await page.keyboard.press("Enter");
    await page.getByText("User is bob").first().waitFor();
    await page.getByText("2 requests").waitFor();
    await expectUsers(page, ["bob", "bob"]);
    await using other = await it.open(new URL(page.url()).pathname + new URL(page.url()).search);
    await other.page.getByText("2 requests").waitFor();
    await expectUsers(other.page, ["bob", "bob"]);
    await page.getByRole("button", { name: "Remove: User is bob" }).press("Enter");
    await page.getByText("5 requests").waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("User");
  });

  test("is searched by words, which it marks, and by the name of a user", async () => {
    await using opened = await it.open("/requests");
    const { page, faults } = opened;
    await rows(page).nth(4).waitFor();
    const box = page.getByRole("searchbox", { name: "Search words, user, session, id" });
    await page.keyboard.press("s");
    await page.keyboard.type("question carl");
    await page.waitForURL(/q=question/);
    await page.getByText("1 found, searched to the end").waitFor();
    await expectUsers(page, ["carl"]);
    await eventually(() => rows(page).locator("mark").allTextContents()).toEqual(["question", "carl"]);
    await eventually(() => page.getByRole("columnheader", { name: "Cost" }).locator(".sort-mark").count()).toBe(0);
    const inBody = encodeURIComponent('{"request_response_rmt":{"request_body":{"contains":"question of carl"}}}');
    await using other = await it.open(`/requests?filter=${inBody}`);
    await other.page.getByText("1 found, searched to the end").waitFor();
    await expectUsers(other.page, ["carl"]);
    await box.fill("nobodysaidthis");
    await page.getByText("No request has these words").waitFor();
    await box.fill("bob");
    await page.getByRole("button", { name: "Requests of user bob" }).click();
    await page.getByText("User is bob").first().waitFor();
    await expectUsers(page, ["bob", "bob"]);
    await eventually(() => box.inputValue()).toBe("");
    expect(faults).toEqual([]);
  });

  test("is filtered by status and by property", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    const form = page.getByRole("form", { name: "Filter requests" });
    await form.getByLabel("Field").selectOption({ label: "Status" });
    await form.getByLabel("Status").fill("500");
    await page.keyboard.press("Enter");
    await page.getByText("Status ≥ 500").first().waitFor();
    await page.getByText("1 request", { exact: true }).waitFor();
    await expectUsers(page, ["dora"]);
    await page.getByRole("button", { name: "Clear" }).click();
    await form.getByLabel("Field").selectOption({ label: "Property" });
    await form.getByLabel("Property name").fill("Team");
    await form.getByLabel("Property", { exact: true }).fill("blue");
    await form.getByRole("button", { name: "Add filter" }).click();
    await page.getByText("Property Team is blue").first().waitFor();
    await page.getByText("1 request", { exact: true }).waitFor();
    await expectUsers(page, ["ada"]);
  });

  test("has menus that arrows go through, and that close when they are left", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await page.getByRole("button", { name: "All time" }).press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Last hour");
    await page.getByRole("button", { name: "Views" }).focus();
    await page.getByRole("button", { name: "Last hour" }).waitFor({ state: "detached" });
  });

  test("is filtered by time, as the reader's clock shows it, and twice by the same", async () => {
    await using opened = await it.open("/requests");
    const { page, faults } = opened;
    const form = page.getByRole("form", { name: "Filter requests" });
    await form.getByLabel("Field").selectOption({ label: "Time" });
    await form.getByLabel("Operator").selectOption({ label: "before" });
    await form.getByLabel("Time", { exact: true }).fill("2024-05-01T12:30:00");
    await page.keyboard.press("Enter");
    await page.getByText("No request matches this filter").waitFor();
    await eventually(() => filterIn(page)).toEqual({
      request_response_rmt: { request_created_at: { lt: "2024-05-01T12:30:00.000Z" } },
    });
    await form.getByLabel("Time", { exact: true }).fill("2024-05-01T12:30:00");
    await page.keyboard.press("Enter");
    const chips = page.getByRole("list", { name: "Filters in force" });
    await chips
      .getByRole("button", { name: /^Remove: Time before May 01, 2024/ })
      .nth(1)
      .waitFor();
    await chips
      .getByRole("button", { name: /^Remove/ })
      .first()
      .click();
    await chips
      .getByRole("button", { name: /^Remove/ })
      .nth(1)
      .waitFor({ state: "detached" });
    await eventually(() => chips.getByRole("button", { name: /^Remove/ }).count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("shows the filter that the API takes, with groups", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await page.getByRole("button", { name: "Builder" }).click();
    const builder = page.getByRole("region", { name: "Filter builder" });
    await builder.getByLabel("How conditions are joined").selectOption("or");
    for (const user of ["carl", "dora"]) {
      await builder.getByRole("button", { name: "Add condition" }).click();
      await builder.getByLabel("User").last().fill(user);
    }
    await page.getByText("2 requests").waitFor();
    await expectUsers(page, ["dora", "carl"]);
    const filter = JSON.parse((await builder.getByRole("region", { name: "Filter as JSON" }).textContent())!);
    expect(filter).toMatchObject({ operator: "or", left: { request_response_rmt: { user_id: { equals: "carl" } } } });
    const response = await callApi(it.weir, "/v1/request/count/query", {
      method: "POST",
      body: JSON.stringify({ filter }),
    });
    expect((await response.json()).data).toBe(2);
    const curl = await builder.getByRole("region", { name: "curl" }).textContent();
    expect(curl).toContain("/v1/request/query-fast");
    expect(curl).not.toContain("sk-weir");
    await eventually(() => builder.getByRole("region", { name: "weir export" }).textContent()).toContain("--filter");
  });

  test("shows new requests by itself while it is live, and not before", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await rows(page).nth(4).waitFor();
    await page.getByRole("button", { name: "Live" }).click();
    await page.waitForURL(/live=true/);
    const id = await send(it.weir, provider, { headers: { "Gateway-User-Id": "eve" } });
    await page.locator(`tr[data-id="${id}"]`).waitFor();
    await eventually(() => rows(page).first().getAttribute("data-id")).toBe(id);
  });

  test("shows what came meanwhile when it is opened again, also where it is not live", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await rows(page).nth(4).waitFor();
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("heading", { name: "Sessions", level: 1 }).waitFor();
    const id = await send(it.weir, provider, { headers: { "Gateway-User-Id": "fred" } });
    await page.getByRole("link", { name: "Requests" }).click();
    await page.locator(`tr[data-id="${id}"]`).waitFor();
  });

  test("keeps the columns that were chosen, and views under their names", async () => {
    await using opened = await it.open("/requests?range=24h");
    const { page } = opened;
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByLabel("Path", { exact: true }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Path" }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByLabel("Name of the view").fill("of today");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "of today", exact: true }).waitFor();
    await page.goto(`${it.weir.api}/requests`);
    await page.getByRole("columnheader", { name: "Path" }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("link", { name: "of today", exact: true }).click();
    await page.waitForURL(/range=24h/);
  });

  test("stays while the service is away, says so, and continues once it is back", async () => {
    await using opened = await it.open("/limits");
    const { page } = opened;
    await page.getByText("No limits").waitFor();
    // The code of the other pages comes while nothing else is to do, one page after the other.
    await page.waitForFunction((pages) => {
      const files = performance.getEntriesByType("resource").map(({ name }) => name);
      return files.filter((name) => name.includes("/assets/page-")).length >= pages;
    }, PAGES.length - 1); // that of the requests comes with the shell
    // A file that has come may still wait for those that it imports.
    await page.evaluate(() => {
      const files = performance.getEntriesByType("resource").map(({ name }) => name);
      return Promise.all(files.filter((name) => name.includes("/assets/page-")).map((file) => import(file)));
    });
    await page.route(/\/(?:v1|assets)\//, (route) => route.abort());
    await page.getByRole("status").getByText("Weir cannot be reached.").waitFor();
    await page.getByText("No limits").waitFor();
    await page.getByRole("link", { name: "Alerts" }).click();
    await page.getByRole("alert").getByText("This could not be loaded").waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByText("No alerts").waitFor();
    await page.getByText("Weir cannot be reached.").waitFor({ state: "detached" });
  });

  test("does not ask whether there is an internet", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await rows(page).nth(4).waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event("offline")));
    await page.getByRole("link", { name: "Storage" }).click();
    await page.getByRole("table", { name: "Disk usage" }).waitFor();
    await page.getByText("Records are kept", { exact: true }).waitFor();
  });

  test("says so when nothing fits, and when the API fails", async () => {
    await using opened = await it.open(
      `/requests?filter=${encodeURIComponent('{"request_response_rmt":{"model":{"equals":"none"}}}')}`,
    );
    await opened.page.getByText("No request matches this filter").waitFor();
    await using wrong = await it.open(
      `/requests?filter=${encodeURIComponent('{"request_response_rmt":{"modell":{"equals":"x"}}}')}`,
    );
    await wrong.page.getByRole("alert").getByText("request_response_rmt.modell").waitFor();
  });
});

describe("a list of many", () => {
  const values = Array.from({ length: 80 }, (_, n) => `lot-${n}`);
  beforeAll(async () => {
    const sent = values.map(async (value) => {
      const headers = { ...gatewayHeaders(provider.origin), "Gateway-Property-Lot": value };
      const response = await fetch(`${it.weir.gateway}/v1/lot`, { method: "POST", headers, body: "{}" });
      await response.arrayBuffer();
      return response.headers.get("gateway-id")!;
    });
    await recordsOf(it.weir, await Promise.all(sent));
  });

  test("is filtered by a value that is found among many as it is typed", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    const form = page.getByRole("form", { name: "Filter requests" });
    await form.getByLabel("Field").selectOption({ label: "Property" });
    await form.getByLabel("Property name").fill("Lot");
    const proposed = () =>
      page.locator("datalist option[value^=lot-]").evaluateAll((all) => all.map((each) => each.getAttribute("value")!));
    await page.locator("datalist option[value^=lot-]").nth(49).waitFor({ state: "attached" });
    const shown = await proposed();
    const hidden = values.find((value) => !shown.includes(value));
    await form.getByLabel("Property", { exact: true }).fill(hidden!);
    await page.locator(`datalist option[value=${hidden}]`).waitFor({ state: "attached" });
  });

  test("brings rows of a fast scroll with their link and one text, then whole, in order, and the focus stays", async () => {
    await using opened = await it.open("/requests");
    const { page } = opened;
    await rows(page).nth(20).waitFor();
    const cells = await rows(page).first().locator("td").count();
    // What each row has when it comes into the page: later it is whole.
    const first = await page.evaluate(async () => {
      const room = document.querySelector(".requests-scroller")!;
      const came = new Promise<{ cells: number[]; links: number; id: string | null }>((note) => {
        new MutationObserver((_, observer) => {
          const added = [...room.querySelectorAll("tbody tr:has(.row-check:empty)")];
          if (added.length === 0) return;
          observer.disconnect();
          const links = added.map((row) => row.querySelector<HTMLElement>("a.row-link"));
          links[0]?.focus({ preventScroll: true });
          note({
            cells: added.map((row) => row.querySelectorAll("td").length),
            links: links.filter(Boolean).length,
            id: added[0]!.getAttribute("data-id"),
          });
        }).observe(room, { subtree: true, childList: true });
      });
      room.scrollTop = room.scrollHeight / 2;
      return came;
    });
    expect(first.links).toBe(first.cells.length);
    expect(new Set(first.cells)).toEqual(new Set([3]));
    await page.waitForFunction(
      (each) =>
        [...document.querySelectorAll("tr[data-id]")].every((row) => row.querySelectorAll("td").length === each),
      cells,
    );
    const after = await rows(page).evaluateAll((all) => ({
      places: all.map((row) => Number(row.getAttribute("aria-rowindex"))),
      focused: document.activeElement?.closest("tr")?.dataset["id"],
      boxes: all.filter((row) => row.querySelector("input") !== null).length,
    }));
    expect(after.places).toEqual([...after.places].sort((a, b) => a - b));
    expect(after.boxes).toBe(after.places.length);
    expect(after.focused).toBe(first.id!);
  });
});

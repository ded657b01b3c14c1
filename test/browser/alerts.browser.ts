import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { runCommand } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { findings } from "./axe.ts";
import { expectCalm, hostileText } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { ask, fillWorld, HOSTILE, type World } from "./world.ts";

let it: Dashboard;
let world: World;
let reader: string;
let listener: Server;
let hook: string;
/** Bodies that were posted to `hook`. */
const delivered: string[] = [];

beforeAll(async () => {
  listener = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      delivered.push(body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  hook = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
  it = await openDashboard({ env: { WEIR_ALERTS_CRON: "* * * * * *" } });
  world = await fillWorld(it.weir);
  const { weir } = it;
  reader = (await runCommand(weir.env, "keys", "create", "--name", "reader", "--scopes", "read")).stdout.trim();
  const alert = { metric: "requests", comparison: "above", threshold: 0, window_seconds: 3_600, group_by: ["user"] };
  await ask(weir, "POST", "/v1/alerts", { ...alert, name: HOSTILE });
  await ask(weir, "POST", "/v1/webhooks", { url: hook, name: HOSTILE });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
  listener.close();
});

test.each([
  ["Alerts", "/alerts"],
  ["Alerts", "/alerts?tab=webhooks"],
])("the page %s at %s shows hostile names as text, has no serious finding and fits a narrow screen", (title, path) =>
  expectCalm(it, path, async (page) => {
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await hostileText(page);
  }),
);

test("the storage page compares nothing with the few bytes of the first day", async () => {
  await using opened = await it.open("/storage");
  const stored = opened.page.locator('.tiles[aria-busy="false"] .tile', { hasText: "Stored" });
  await eventually(() => stored.textContent()).toContain("database files");
  expect(await stored.textContent()).not.toContain("for each byte sent");
});

test("the storage page has no serious finding, and fits a narrow screen", () =>
  expectCalm(it, "/storage", async (page) => {
    await page.getByRole("button", { name: "Save retention" }).waitFor();
    await page.getByRole("slider", { name: /^Size per day/ }).waitFor();
  }));

test("every page is in the navigation, in its order", async () => {
  await using opened = await it.open("/storage");
  const links = opened.page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  await links.first().waitFor();
  const all =
    "Overview Dashboards Requests Sessions Users Properties Prompts Datasets Scores Review Judges Playground Models Credentials Routes Domains Limits Alerts Cache Plugins Keys Members Audit Organizations Storage";
  await eventually(async () => (await links.allTextContents()).join(" ")).toBe(all);
});

test.each([
  ["/alerts", "Create alert", "write"],
  ["/alerts", "Test", "write"],
  ["/alerts?tab=webhooks", "Create webhook", "admin"],
  ["/storage", "Run retention now", "admin"],
])("a read-only key cannot use at %s %s, and the page says why", async (path, label, scope) => {
  await using opened = await it.open(path, { key: reader });
  const button = opened.page.getByRole("button", { name: new RegExp(`^${label}`) }).first();
  await button.waitFor();
  await eventually(() => button.getAttribute("aria-disabled")).toBe("true");
  await eventually(() => button.getAttribute("title")).toContain(`scope ${scope}`);
});

describe("an alert", () => {
  test("is made with a filter, tested, turned off and deleted", async () => {
    await using opened = await it.open("/alerts");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Create alert" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("slow answers");
    await dialog.getByLabel("What is watched").selectOption({ label: "Error rate" });
    await dialog.getByLabel("Threshold, percent").fill("12.5");
    await dialog.getByRole("button", { name: "Add condition", exact: true }).click();
    await dialog.getByLabel("User", { exact: true }).fill("ada");
    await dialog.getByLabel("model", { exact: true }).check();
    await dialog.getByRole("button", { name: "Channel", exact: true }).click();
    await dialog.getByLabel("Address").fill(hook);
    await dialog.getByRole("button", { name: "Create alert" }).click();
    await page.getByRole("heading", { name: "Signing secrets" }).waitFor();
    await eventually(() => dialog.locator("code").textContent()).toStartWith("whsec_");
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row", { name: /^slow answers/ });
    await row.getByText("Error rate above 12.5% within 5 minutes").waitFor();
    const [made] = (await ask<{ name: string; filter: unknown }[]>(it.weir, "GET", "/v1/alerts")).slice(-1);
    expect(made).toMatchObject({
      name: "slow answers",
      threshold: 0.125,
      group_by: ["model"],
      filter: { request_response_rmt: { user_id: { equals: "ada" } } },
    });
    await row.getByRole("button", { name: "Test slow answers" }).click();
    await dialog.getByRole("row", { name: /delivered/ }).waitFor();
    expect(delivered.some((body) => body.includes(`"alert.test"`))).toBe(true);
    await dialog.getByRole("button", { name: "Close" }).click();
    await row.getByRole("button", { name: "Turn off slow answers" }).click();
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await row.getByText("off", { exact: true }).waitFor();
    await row.getByRole("button", { name: "Delete slow answers" }).click();
    await dialog.getByRole("button", { name: "Delete alert" }).click();
    await row.waitFor({ state: "detached" });
  });

  test("is suggested by the calendar, and sent to Slack; without a recipient the form says so", async () => {
    await using opened = await it.open("/alerts");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByLabel("Suggested alerts").selectOption({ index: 1 });
    await eventually(() => dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Spend in a day");
    await eventually(() => dialog.getByLabel("Within").inputValue()).toBe("day");
    await dialog.getByText("Without a recipient").waitFor();
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await dialog.getByRole("button", { name: "Channel", exact: true }).click();
    await dialog.getByLabel("By", { exact: true }).selectOption({ label: "Slack" });
    await dialog.getByLabel("Webhook address").fill(`${hook}/T0/B0/secretOfSlack`);
    await dialog.getByRole("button", { name: "Create alert" }).click();
    const row = page.getByRole("row", { name: /^Spend in a day/ });
    await row.getByText("Cost above $10.00 in a calendar day of Asia/Tokyo").waitFor();
    await row.getByText(/^Slack .*…lack$/).waitFor();
    // Saved again without its address, which no page knows, it is still sent there.
    await row.getByRole("button", { name: "Edit Spend in a day" }).click();
    await eventually(() => dialog.getByLabel("Webhook address").inputValue()).toBe("");
    await dialog.getByRole("button", { name: "Save alert" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Test Spend in a day" }).click();
    await dialog.getByRole("row", { name: /delivered/ }).waitFor();
    expect(delivered.some((body) => body.includes(`"plain_text"`) && body.includes("Spend in a day: test"))).toBe(true);
  });

  test("that fires shows for whom, since when and its history", async () => {
    await using opened = await it.open("/alerts");
    const { page } = opened;
    await page.getByText("firing", { exact: true }).waitFor();
    await page.getByRole("button", { name: HOSTILE, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("row", { name: /user ada/ })
      .getByText("triggered")
      .waitFor();
    await page.waitForURL(/id=/);
    await dialog.getByRole("link", { name: "those that it watches" }).waitFor();
    await page.setViewportSize({ width: 500, height: 700 }); // the table scrolls then
    expect(await findings(page)).toEqual([]);
  });

  test("that the API refuses shows the reason at the field", async () => {
    await using opened = await it.open("/alerts");
    const { page } = opened;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Create alert" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("x");
    await dialog.getByLabel("Threshold, percent").fill("500");
    await dialog.getByRole("button", { name: "Create alert" }).click();
    await dialog.getByRole("alert").getByText(/share/).first().waitFor();
  });
});

test("a webhook is made, its secret shown once, tested, changed and deleted", async () => {
  await using opened = await it.open("/alerts?tab=webhooks");
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("warehouse");
  await dialog.getByLabel("Address").fill(`${hook}?2`);
  await dialog.getByRole("button", { name: "Property", exact: true }).click();
  await dialog.getByLabel("Name", { exact: true }).nth(1).fill("Team");
  await dialog.getByRole("button", { name: "Create webhook" }).click();
  await page.getByRole("heading", { name: "Signing secrets" }).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: /^warehouse/ });
  await row.getByRole("button", { name: "Test warehouse" }).click();
  await dialog.getByRole("row", { name: /delivered/ }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await row.getByRole("button", { name: "Edit warehouse" }).click();
  await dialog.getByLabel("Share of the requests, percent").fill("25");
  await dialog.getByRole("button", { name: "Save webhook" }).click();
  await row.getByText("25%").waitFor();
  await row.getByText("Team").waitFor();
  await row.getByRole("button", { name: "Delete warehouse" }).click();
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await row.waitFor({ state: "detached" });
});

test("retention is read, set and kept, and a run can be ordered", async () => {
  await using opened = await it.open("/storage");
  const { page } = opened;
  await page.getByLabel("Days that bodies are kept").fill("30");
  await page.getByRole("button", { name: "Property", exact: true }).click();
  await page.getByLabel("Property", { exact: true }).fill(HOSTILE);
  await page.getByLabel("Days", { exact: true }).fill("365");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Save retention" }).click();
  await dialog.getByText("Bodies of records older than 30 days; kept forever until now").waitFor();
  await dialog.getByText(`Records with ${HOSTILE} older than 365 days; kept forever until now`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await ask(it.weir, "GET", "/v1/retention")).toMatchObject({
    days: null,
    body_days: null,
    properties: [],
  });
  await page.getByRole("button", { name: "Save retention" }).click();
  await dialog.getByRole("button", { name: "Save and remove" }).click();
  await page.getByText("Saved; it holds from the next run on").or(page.getByText("30 days")).first().waitFor();
  await page.reload();
  await page.locator(".facts").getByText("30 days").waitFor();
  await eventually(() => page.getByLabel("Property", { exact: true }).inputValue()).toBe(HOSTILE);
  await page.getByRole("button", { name: "Run retention now" }).click();
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  // Keeping more removes nothing, so there is nothing to confirm.
  await page.getByLabel("Days that bodies are kept").fill("31");
  await page.getByRole("button", { name: "Save retention" }).click();
  await page.locator(".facts").getByText("31 days").waitFor();
  await eventually(() => dialog.count()).toBe(0);
});

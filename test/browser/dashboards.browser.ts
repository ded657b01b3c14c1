import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import { expectCalm, hostileText } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { ask, fillWorld, type World } from "./world.ts";

let it: Dashboard;
let world: World;
beforeAll(async () => {
  it = await openDashboard();
  world = await fillWorld(it.weir);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
});

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly panels: readonly { readonly title: string; readonly kind: string; readonly place: object }[];
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const read = (id: string) => ask<Stored>(it.weir, "GET", `/v1/dashboards/${id}`);
const make = (body: object) => ask<Stored>(it.weir, "POST", "/v1/dashboards", body);

const PANELS = [
  { title: "Requests", kind: "number", metrics: ["requests"], place: { x: 0, y: 0, w: 6, h: 2 } },
  {
    ...{
      title: "By user",
      kind: "table",
      metrics: ["requests"],
      split_by: ["user"],
      place: { x: 0, y: 2, w: 6, h: 4 },
    },
    thresholds: [{ comparison: "above", value: 2, colour: "bad" }],
  },
];

/** Waits for the dialog or the page that comes once a change is stored. */
const saved = async (page: Page) => {
  await button(page, "Save").click();
  await button(page, "Edit").waitFor();
};

test("a dashboard that comes with Weir is copied, rearranged by keyboard, and given a panel", async () => {
  await using opened = await it.open("/dashboards");
  const { page, faults } = opened;
  await page.getByRole("link", { name: "Spend", exact: true }).click();
  await panel(page, "Requests").getByText("8", { exact: true }).waitFor();
  await button(page, "Copy").click();
  await page.getByRole("textbox", { name: "Name" }).fill("Our spend");
  await button(page, "Copy dashboard").click();
  await page.getByRole("heading", { level: 1, name: "Our spend" }).waitFor();
  await button(page, "Resize Cost").press("ArrowDown");
  await page.getByText("Cost: column 1, row 1, 3 wide, 3 high").waitFor();
  await button(page, "Move Cost by model").press("ArrowUp");
  await page.getByText("Cost by model: column 1, row 1, 12 wide, 5 high").waitFor();
  await button(page, "Add panel").click();
  await page.getByRole("textbox", { name: "Title" }).fill("By team");
  await page.getByLabel("Kind").selectOption("table");
  await button(page, "Add panel").last().click();
  await page.getByText("Choose what it is split by").waitFor();
  await page.getByLabel("Split by").selectOption({ label: "Property Team" });
  await button(page, "Add panel").last().click();
  await panel(page, "By team").getByRole("link", { name: "night" }).waitFor();
  await saved(page);
  const [id] = /[0-9a-f-]{36}/.exec(page.url())!;
  const { panels } = await read(id);
  const placeOf = (title: string) => panels.find((each) => each.title === title)?.place;
  expect(panels[0]).toMatchObject({ title: "Cost by model", place: { x: 0, y: 0, w: 12, h: 5 } });
  expect(placeOf("Cost")).toEqual({ x: 0, y: 5, w: 3, h: 3 });
  expect(panels.at(-1)).toMatchObject({ title: "By team", kind: "table", place: { x: 0, w: 6, h: 4 } });
  expect(faults).toEqual([]);
});

test("a panel is dragged to another place, resized, duplicated and removed", async () => {
  const { id } = await make({ name: "Dragged", panels: PANELS });
  await using opened = await it.open(`/dashboards/${id}`);
  const { page, faults } = opened;
  await button(page, "Edit").click();
  const drag = async (name: string, right: number, down: number) => {
    const box = (await button(page, name).boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + right, y + down, { steps: 4 });
    await page.mouse.up();
  };
  const board = (await page.locator(".board").boundingBox())!;
  await drag("Move By user", board.width / 2, -140);
  await drag("Resize Requests", 0, 140);
  await button(page, "Actions of Requests").click();
  await button(page, "Duplicate").click();
  await panel(page, "Requests").nth(1).waitFor();
  await saved(page);
  expect((await read(id)).panels).toMatchObject([
    { title: "Requests", place: { x: 0, y: 0, w: 6, h: 4 } },
    { title: "By user", place: { x: 6, y: 0, w: 6, h: 4 } },
    { title: "Requests", place: { x: 0, y: 4, w: 6, h: 4 } },
  ]);
  await button(page, "Edit").click();
  await button(page, "Actions of By user").click();
  await button(page, "Remove").click();
  await panel(page, "By user").waitFor({ state: "detached" });
  await button(page, "Cancel").click();
  await panel(page, "By user").waitFor();
  expect(faults).toEqual([]);
});

test("a filter goes over all panels, and a panel leads to its requests and becomes an alert in two clicks", async () => {
  const { id } = await make({ name: "Leading", panels: PANELS });
  await using opened = await it.open(`/dashboards/${id}`);
  const { page, faults } = opened;
  const users = panel(page, "By user");
  await users.getByRole("row", { name: /no user/ }).waitFor();
  const form = page.getByRole("form", { name: "Filter all panels" });
  await form.getByLabel("User", { exact: true }).fill("ada");
  await form.getByRole("button", { name: "Add filter" }).click();
  await users.getByRole("row", { name: /no user/ }).waitFor({ state: "detached" });
  await panel(page, "Requests").getByText("3", { exact: true }).waitFor();
  await users.locator(".tone-bad").waitFor();
  await users.getByRole("link", { name: "ada", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  await page.waitForURL(/\bfrom=/);
  await page.goBack();
  await button(page, "Actions of By user").click();
  await page.getByRole("link", { name: "Create alert" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an alert" });
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Create alert" }).click();
  await dialog.waitFor({ state: "detached" });
  await page
    .getByRole("table", { name: "Alerts" })
    .getByRole("button", { name: "By user: Requests", exact: true })
    .waitFor();
  const [alert] = await ask<object[]>(it.weir, "GET", "/v1/alerts");
  expect(alert).toMatchObject({
    ...{ metric: "requests", comparison: "above", threshold: 2, group_by: ["user"], window_seconds: 604_800 },
    filter: { request_response_rmt: { user_id: { equals: "ada" } } },
  });
  await page.waitForURL(({ search }) => !search.includes("draft"));
  expect(faults).toEqual([]);
});

test("a dashboard is exported, and imported again; what is wrong with a file is said", async () => {
  const made = await make({ name: "Out and in", panels: PANELS });
  await using opened = await it.open(`/dashboards/${made.id}`);
  const { page, faults } = opened;
  await button(page, "More").click();
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Export").click()]);
  expect(download.suggestedFilename()).toBe("Out-and-in.json");
  const path = await download.path();
  await page.goto(`${it.weir.api}/dashboards`);
  await button(page, "Import").click();
  const text = page.getByLabel("Or its text");
  await text.fill('{"name": "x", "panels": [');
  await button(page, "Import dashboard").click();
  await page.getByText("This is not JSON").waitFor();
  await text.fill('{"name": "x", "panels": [{"title": "a", "kind": "pie", "metrics": ["cost"]}]}');
  await button(page, "Import dashboard").click();
  await page.getByText('panels.0.kind: give one of "line"').waitFor();
  await page.getByLabel("File").setInputFiles(path);
  await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("Out and in"));
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("In again");
  await button(page, "Import dashboard").click();
  await page.getByRole("heading", { level: 1, name: "In again" }).waitFor();
  await page.waitForURL(/[0-9a-f-]{36}/);
  const [id] = /[0-9a-f-]{36}/.exec(page.url())!;
  expect((await read(id)).panels).toEqual(made.panels);
  expect(faults).toEqual([]);
});

test("a heat map is one control with the keyboard, and leads to the requests of a cell", async () => {
  const heat = { title: "Users and models", kind: "heatmap", metrics: ["cost"], split_by: ["user", "model"] };
  const { id } = await make({
    name: "Heat",
    panels: [heat, { ...heat, title: "Users over time", split_by: ["user"] }],
  });
  await using opened = await it.open(`/dashboards/${id}`);
  const { page, faults } = opened;
  await panel(page, "Users over time").getByRole("table").waitFor();
  const cells = panel(page, "Users and models").locator("[data-cell]");
  await cells.first().waitFor();
  const names = await cells.evaluateAll((all) => all.map(({ ariaLabel, textContent }) => [ariaLabel!, textContent!]));
  expect(names.filter(([name, text]) => !name!.endsWith(`: ${text}`))).toEqual([]);
  await cells.first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("data-cell"))).toBe("1 1");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  await page.waitForURL(/filter=.*model/);
  expect(faults).toEqual([]);
});

test("dashboards have no serious finding, show hostile names as text and fit a narrow screen", async () => {
  await expectCalm(it, "/dashboards/usage", hostileText);
  await using opened = await it.open("/dashboards/errors");
  const { page } = opened;
  await button(page, "Copy").click();
  await button(page, "Copy dashboard").click();
  await button(page, "Actions of Errors by status").click();
  await button(page, "Edit").click();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
});

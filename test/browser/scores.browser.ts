import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { ListedScore } from "../../src/engine/aggregates.ts";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import { expectCalm } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { ask, fillWorld, HOSTILE, type World } from "./world.ts";

let it: Dashboard;
let world: World;
beforeAll(async () => {
  it = await openDashboard();
  world = await fillWorld(it.weir);
  const score = (at: number, scores: object) => ask(it.weir, "POST", `/v1/request/${world.ids[at]}/score`, { scores });
  await score(0, { helpful: 0.25, [HOSTILE]: true });
  await score(1, { helpful: 0.75 });
  await score(4, { helpful: 0.5 }); // by gpt-4o
  await ask(it.weir, "POST", `/v1/request/${world.ids[4]}/feedback`, { rating: false });
  // A page asks once; where the recorder is behind, it would show what was before.
  const counts = async () =>
    (await ask<readonly ListedScore[]>(it.weir, "POST", "/v1/score/query", {})).map(({ requests }) => requests);
  await eventually(counts).toEqual([3, 1, 1]);
}, 300_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await it[Symbol.asyncDispose]();
});

const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const scores = (page: Page) => page.getByRole("table", { name: "Scores", exact: true });

test("scores are listed; one is charted, distributed and split by model, and leads to its requests", async () => {
  await using opened = await it.open("/scores");
  const { page, faults } = opened;
  const row = scores(page).getByRole("row", { name: /^helpful/ });
  await row.getByRole("cell", { name: "3", exact: true }).waitFor();
  await row.getByRole("cell", { name: "0.5", exact: true }).waitFor();
  await panel(page, "Score helpful, mean").locator("canvas").waitFor();
  await panel(page, "Requests with helpful").locator("canvas").waitFor();
  const models = panel(page, "Score helpful by model");
  await models.getByRole("row", { name: "gpt-4o 0.5 1", exact: true }).waitFor();
  const values = panel(page, "Distribution");
  for (const value of ["0.25", "0.5", "0.75"]) await values.getByRole("link", { name: value, exact: true }).waitFor();
  await page.getByLabel("Split by").selectOption({ label: "Model" });
  await page.waitForURL(/by=model/);
  await panel(page, "Score helpful, mean").getByText("gpt-4o", { exact: true }).first().waitFor();

  await scores(page).getByRole("link", { name: "Feedback", exact: true }).click();
  await panel(page, "Feedback, mean").locator("canvas").waitFor();
  await page.goBack();
  await scores(page).getByRole("link", { name: HOSTILE, exact: true }).click();
  await page.getByRole("heading", { level: 2, name: HOSTILE, exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 2, name: "helpful", exact: true }).waitFor();
  await values.getByRole("link", { name: "0.75", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  const listed = page.getByRole("table", { name: "Requests" });
  await listed.getByText("ada", { exact: true }).first().waitFor();
  await page.getByText("1 request", { exact: true }).first().waitFor();
  expect(faults).toEqual([]);
});

test("a chart of a score is put onto a new dashboard, then another below it, and becomes an alert", async () => {
  await using opened = await it.open("/scores?score=helpful");
  const { page, faults } = opened;
  const dialog = page.getByRole("dialog");
  const add = async (title: string) => {
    await page.getByRole("button", { name: `Actions of ${title}`, exact: true }).click();
    await page.getByRole("button", { name: "Add to a dashboard", exact: true }).click();
  };
  await add("Score helpful by model");
  await dialog.getByLabel("Name", { exact: true }).fill("How good");
  await dialog.getByRole("button", { name: "Add panel", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "How good", exact: true }).waitFor();
  await panel(page, "Score helpful by model").getByRole("row", { name: "gpt-4o 0.5 1", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Scores", exact: true }).waitFor();
  await add("Score helpful, mean");
  await dialog.getByLabel("Dashboard", { exact: true }).selectOption({ label: "How good" });
  await dialog.getByRole("button", { name: "Add panel", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "How good", exact: true }).waitFor();
  await panel(page, "Score helpful, mean").locator("canvas").waitFor();
  await page.waitForURL(/\/dashboards\/[0-9a-f-]{36}/);
  const [id] = /[0-9a-f-]{36}/.exec(page.url())!;
  const { panels } = await ask<{ panels: readonly object[] }>(it.weir, "GET", `/v1/dashboards/${id}`);
  expect(panels).toMatchObject([
    { title: "Score helpful by model", kind: "table", place: { x: 0, y: 0, w: 6, h: 4 } },
    { title: "Score helpful, mean", kind: "line", metrics: ["score:helpful"], place: { x: 0, y: 4, w: 6, h: 4 } },
  ]);

  await page.getByRole("button", { name: "Actions of Score helpful, mean", exact: true }).click();
  await page.getByRole("link", { name: "Create alert" }).click();
  await dialog.getByRole("button", { name: "Create alert", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const [alert] = await ask<readonly object[]>(it.weir, "GET", "/v1/alerts");
  expect(alert).toMatchObject({ name: "Score helpful, mean", metric: "score:helpful", comparison: "below" });
  expect(faults).toEqual([]);
});

test("the scores have no serious finding, show hostile names as text and fit a narrow screen", async () => {
  const ready = (page: Page) => scores(page).getByRole("link", { name: HOSTILE, exact: true }).waitFor();
  await expectCalm(it, "/scores", async (page) => {
    await ready(page);
    await panel(page, "Distribution").getByRole("link", { name: "0.5", exact: true }).waitFor();
  });
  await expectCalm(it, `/scores?score=${encodeURIComponent(HOSTILE)}`, async (page) => {
    await ready(page);
    await panel(page, "Distribution").getByRole("link", { name: "1", exact: true }).waitFor();
  });
});

test("with no scores the page says where they come from; a broken filter is reported", async () => {
  await using opened = await it.open("/scores?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z");
  const { page, faults } = opened;
  await page.getByText("No request in this time has a score").waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.goto(`${it.weir.api}/scores?filter=broken`);
  await page.getByText("This link's filter cannot be read").waitFor();
  expect(faults).toEqual([]);
});

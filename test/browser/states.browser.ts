import { afterAll, beforeAll, expect, test } from "bun:test";
import { findings } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { startWalk, type Walk } from "./walk.ts";

/** A service that nothing has passed through yet. */
let it: Dashboard;
let walk: Walk;
beforeAll(async () => {
  it = await openDashboard({ env: { WEIR_APPROVED_DOMAINS: "" } });
  walk = await startWalk(it);
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

/** Whatever a page asks of the API but who is logged in. */
const OF_API = /\/v1\/(?!session$)/;

const PAGES = [
  ["/sessions", "No sessions in this time"],
  ["/sessions/none", "No request belongs to this session"],
  ["/users", "No requests of any user in this time"],
  ["/properties", "No request has a property yet"],
  ["/overview", "Send the first request"],
  ["/overview?range=all&by=model", "Send the first request"],
  ["/models", "No model was seen yet"],
  ["/models?tab=prices", "No prices of your own"],
  ["/domains", "No domain was used today, and none has a decision"],
  ["/limits", "No limits"],
  ["/alerts", "No alerts"],
  ["/alerts?tab=webhooks", "No webhooks"],
  ["/cache", "No responses are cached"],
  ["/plugins?q=nothing", "No plugin with this name"],
  ["/storage", "none yet"],
] as const;

test.each(PAGES)("%s says what it means that there is nothing: %s", async (path, text) => {
  const { page, faults } = walk;
  await walk.to(path, () => page.getByText(text, { exact: true }).first().waitFor());
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await walk.leave();
});

test.each([...PAGES.map(([path]) => path), "/keys", "/organizations"])(
  "%s says that it could not be loaded, and shows it once it can",
  async (path) => {
    let fails = true;
    const json = { data: [], error: 400, code: "invalid_body", message: "not now, please", path: null };
    await using opened = await it.open(path, {
      prepare: (page) =>
        page.route(OF_API, (route) => (fails ? route.fulfill({ status: 400, json }) : route.continue())),
    });
    const { page, faults } = opened;
    const alert = page.getByRole("alert").first();
    await alert.getByText("not now, please").waitFor();
    fails = false;
    // A page sends several requests; the failure of one may show after another was sent again.
    await page.waitForFunction(() => {
      for (const button of document.querySelectorAll("button")) {
        const { clickedAt } = button.dataset;
        // Asking again ends what is under way: it gets the time to come.
        if (button.textContent !== "Try again" || performance.now() - Number(clickedAt ?? -5_000) < 5_000) continue;
        button.dataset["clickedAt"] = String(performance.now());
        button.click();
      }
      return document.querySelector("[role=alert]") === null;
    });
    expect(faults).toEqual([]);
  },
);

test.each(["/overview", "/users", "/storage"])("%s keeps its heading in place while its metrics load", async (path) => {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using opened = await it.open(path, {
    prepare: (page) =>
      page.route(OF_API, async (route) => {
        requested.resolve();
        await released.promise;
        await route.continue();
      }),
  });
  const { page } = opened;
  const heading = page.getByRole("heading", { level: 1 });
  await heading.waitFor();
  const before = await heading.boundingBox();
  await page.getByRole("status").or(page.locator("[aria-busy=true]")).first().waitFor();
  await requested.promise;
  await page.unrouteAll({ behavior: "ignoreErrors" });
  released.resolve();
  await page.waitForLoadState("networkidle");
  expect(await heading.boundingBox()).toEqual(before);
});

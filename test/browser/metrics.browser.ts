import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { recordsOf } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { until } from "../until.ts";
import { findings } from "./axe.ts";
import { expectCalm, hostileText } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { expectUsers, filterIn } from "./request-rows.ts";
import { ask, fillWorld, HOSTILE, send, type World } from "./world.ts";

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

const SESSION = `/sessions/${encodeURIComponent(`s ${HOSTILE}`)}`;

test.each([
  ["Overview", "/overview?by=user"],
  ["Overview", "/overview?by=model"],
  ["Users", "/users"],
  ["Sessions", "/sessions"],
  [HOSTILE, SESSION],
  ["Properties", "/properties?name=Team"],
])("the page %s at %s shows hostile names as text, has no serious finding and fits a narrow screen", (title, path) =>
  expectCalm(it, path, async (page) => {
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await hostileText(page);
    await page.getByRole("row").nth(1).waitFor();
  }),
);

describe.each([
  [1_024, 768],
  [512, 384],
])("a screen of %i by %i pixels, as it is or magnified", (width, height) => {
  test("holds the page of a request whose names are long", async () => {
    await using opened = await it.open(`/requests/${world.ids[0]}`, { width, height });
    const { page } = opened;
    await page.getByRole("region", { name: "Session" }).getByRole("listitem").first().waitFor();
    await page.waitForFunction((most) => document.documentElement.scrollWidth <= most, width);
  });

  test("leaves the list of requests room for several rows", async () => {
    await using opened = await it.open("/requests", { width, height });
    const { page } = opened;
    await page.locator("tr[data-id]").nth(4).waitFor();
    await page.waitForFunction(
      () => document.querySelector(".requests-scroller")!.getBoundingClientRect().height >= 240,
    );
  });
});

test("a search is one step of the way back, however many letters it has", async () => {
  await using opened = await it.open("/requests");
  const { page } = opened;
  await page.getByRole("link", { name: "Users" }).click();
  const box = page.getByLabel("Search user ids");
  for (const text of ["a", "ad", "ada"]) {
    await box.fill(text);
    await page.waitForURL(new RegExp(`q=${text}$`));
  }
  await page.goBack();
  await page.waitForURL(/\/users$/);
  await until(async () => (await box.inputValue()) === "");
});

describe("Overview", () => {
  test("writes numbers alike in every browser", async () => {
    await using opened = await it.open("/overview?range=1h", { locale: "de-DE" });
    await opened.page.locator(".tiles").getByText("12.5%").waitFor();
  });

  test("adds up what passed", async () => {
    await using opened = await it.open("/overview?range=1h");
    const { page } = opened;
    const tiles = page.locator(".tiles");
    await tiles.getByText("8", { exact: true }).waitFor();
    await eventually(() => tiles.getByText("1 error", { exact: true }).count()).toBe(1);
    await tiles.getByText("1 hit, 50%").waitFor();
  });

  test("leads from a row of a chart's table to the requests of that time, by keyboard alone", async () => {
    await using opened = await it.open("/overview?range=24h");
    const { page } = opened;
    const toggle = page.getByRole("button", { name: "Table of Errors", exact: true });
    await toggle.waitFor();
    await toggle.focus();
    await page.keyboard.press("Enter");
    const row = page.getByRole("table", { name: "Errors" }).getByRole("button").first();
    await row.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    await eventually(() => filterIn(page)).toEqual({
      left: { request_response_rmt: { status: { gte: 400 } } },
      operator: "and",
      right: { request_response_rmt: { outcome: { "not-equals": "refused" } } },
    });
    const search = new URL(page.url()).searchParams;
    expect(Date.parse(search.get("to")!) - Date.parse(search.get("from")!)).toBeLessThanOrEqual(3_600_000);
  });

  test("a chart is walked through with arrows, read out, and opened with Enter", async () => {
    await using opened = await it.open("/overview?range=24h&by=user");
    const { page } = opened;
    const chart = page.getByRole("slider", { name: /^Requests;/ });
    await chart.focus();
    await page.keyboard.press("End");
    const last = (await chart.getAttribute("aria-valuetext"))!;
    await page.keyboard.press("ArrowLeft");
    const before = (await chart.getAttribute("aria-valuetext"))!;
    // All in the last hour, unless an hour has begun meanwhile.
    const ofAda = [last, before].map((text) => Number(/\bada (\d+)/.exec(text)![1]));
    expect(ofAda[0]! + ofAda[1]!).toBe(3);
    expect(before).not.toBe(last);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  });

  test("a click on a bar opens its requests", async () => {
    await using opened = await it.open("/overview?range=24h");
    const { page } = opened;
    const chart = page.getByRole("slider", { name: /^Requests;/ });
    const { width, height } = (await chart.boundingBox())!;
    const position = { x: width - 40, y: height / 2 };
    await chart.hover({ position });
    await page.getByText("Click to see the requests").waitFor();
    await chart.click({ position });
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
  });

  test("a part of the time that is drawn over is looked at closer, and opens nothing", async () => {
    await using opened = await it.open("/overview?range=24h&by=user");
    const { page } = opened;
    const chart = page.getByRole("slider", { name: /^Requests;/ });
    await chart.hover(); // once it has come to rest
    const box = (await chart.boundingBox())!;
    const height = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 40, height);
    await page.getByText("Drag to look closer").waitFor();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, height, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/overview\?from=.*by=user/);
    const { searchParams } = new URL(page.url());
    const [from, to] = ["from", "to"].map((name) => Date.parse(searchParams.get(name)!)) as [number, number];
    expect([from % 300_000, to % 300_000]).toEqual([0, 0]);
    expect(to - from).toBeLessThan(86_400_000);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  test("what it is split by and its time are in its address, and are restored from it", async () => {
    await using opened = await it.open("/overview");
    const { page } = opened;
    await page.getByLabel("Split by").selectOption({ label: "Team" });
    await page.getByRole("heading", { name: "By property Team" }).waitFor();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByRole("button", { name: /^This month/ }).click();
    await page.waitForURL(/range=this-month/);
    await page.getByRole("button", { name: /^This month \(/ }).click();
    await eventually(() => page.getByLabel("From").inputValue()).toMatch(/-01T00:00/);
    await page.reload();
    await page.getByRole("heading", { name: "By property Team" }).waitFor();
    await eventually(() => page.getByLabel("Split by").inputValue()).toBe("property:Team");
    await page.getByRole("link", { name: "night" }).click();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    await eventually(() => filterIn(page)).toEqual({
      request_response_rmt: { properties: { Team: { equals: "night" } } },
    });
  });

  test("says so where there is nothing in a time", async () => {
    await using opened = await it.open("/overview?from=2001-01-01&to=2001-02-01");
    await opened.page.getByText("No requests in this time").waitFor();
  });

  test("is found under its old address", async () => {
    await using opened = await it.open("/costs?range=24h&by=user");
    await opened.page.waitForURL(/\/overview\?range=24h&by=user/);
    await opened.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  test("says what is wrong with a filter that its address brings", async () => {
    const filter = encodeURIComponent(JSON.stringify({ request_response_rmt: { modle: { equals: "x" } } }));
    await using opened = await it.open(`/overview?filter=${filter}`);
    await opened.page.getByRole("alert").getByText(/modle/).first().waitFor();
  });
});

describe("Users", () => {
  test("are found by a part of their id, sorted, and lead to their requests", async () => {
    await using opened = await it.open("/users");
    const { page } = opened;
    await page.getByRole("button", { name: "Requests", exact: true }).click();
    await page.waitForURL(/sort=requests.desc/);
    await page.getByRole("row").nth(1).getByText("ada", { exact: true }).waitFor();
    await page.getByLabel("Search user ids").fill("img");
    await page.waitForURL(/q=img/);
    await page.getByText("ada", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: HOSTILE, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    await eventually(() => filterIn(page)).toEqual({
      request_response_rmt: { user_id: { equals: HOSTILE } },
    });
    await expectUsers(page, [HOSTILE]);
  });

  test("that no user has show an empty page", async () => {
    await using opened = await it.open("/users?q=nobody");
    await opened.page.getByText("No matching user").waitFor();
  });
});

describe("a session", () => {
  test("is a tree of its paths, which close and open", async () => {
    await using opened = await it.open(SESSION);
    const { page } = opened;
    const search = page.getByRole("button", { name: /^search/ });
    await search.waitFor();
    const plan = page.getByRole("button", { name: /^plan/ });
    await eventually(() => plan.getAttribute("aria-expanded")).toBe("true");
    await plan.press("Enter");
    await search.waitFor({ state: "detached" });
    await eventually(() => page.getByText("1 failed").count()).toBe(1);
    await plan.press("Enter");
    await page.setViewportSize({ width: 800, height: 800 });
    await page.locator("[data-step]").first().click();
    await page.waitForURL(new RegExp(`/requests/${world.ids[0]}`));
  });

  test("is stepped through with each request next to the others, and errors are a link away", async () => {
    await using opened = await it.open(SESSION, { width: 1_440 });
    const { page, faults } = opened;
    const steps = page.locator("[data-step]");
    await steps.first().waitFor();
    const ids = await steps.evaluateAll((all) => all.map((each) => each.getAttribute("data-step")!));
    const shown = (id: string) => page.locator(`.request-panel a[href="/requests/${id}"]`, { hasText: "Open page" });
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await shown(ids[0]!).waitFor();
    await page.keyboard.press("j");
    await shown(ids[1]!).waitFor();
    await eventually(() => page.locator("[data-step][aria-current]").getAttribute("data-step")).toBe(ids[1]!);
    expect(await findings(page)).toEqual([]);
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 1_440);
    await page.keyboard.press("Escape");
    await page.locator(".request-panel").waitFor({ state: "detached" });
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("data-step"))).toBe(ids[1]!);
    await page.getByRole("link", { name: "Show them" }).click();
    await page.locator("tr[data-id]").waitFor();
    await eventually(() => page.locator("tr[data-id]").count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test("names each step by what happened in it, in time and as a conversation too", async () => {
    await using opened = await it.open(SESSION);
    const { page, faults } = opened;
    await page.getByRole("button", { name: /^plan/ }).waitFor();
    await page.getByRole("button", { name: "In time" }).click();
    await page.getByRole("button", { name: /^plan/ }).waitFor({ state: "detached" });
    const count = await page.locator("[data-step]").count();
    await page.keyboard.press("j");
    await eventually(() => page.evaluate(() => document.activeElement?.matches("[data-step]"))).toBe(true);
    await page.getByRole("button", { name: "Conversation" }).click();
    await page.locator(".said .message-assistant").first().waitFor();
    await eventually(() => page.locator("[data-step]").count()).toBe(count);
    await page.waitForURL(/view=conversation/);
    expect(faults).toEqual([]);
  });

  test("is tagged, and keeps its tag", async () => {
    await using opened = await it.open(SESSION);
    const { page } = opened;
    await page.getByLabel("Tag of this session").fill(HOSTILE);
    await page.getByRole("button", { name: "Set tag" }).click();
    await page.getByText("Tag set").waitFor();
    await page.reload();
    await page.waitForFunction((tag) => document.querySelector<HTMLInputElement>("[name=tag]")?.value === tag, HOSTILE);
  });

  test("that is not there is said not to be", async () => {
    await using opened = await it.open("/sessions/none");
    await opened.page.getByText("No request belongs to this session").waitFor();
  });
});

test("sessions are filtered by what one of their requests is, and found by words", async () => {
  const failed = encodeURIComponent(JSON.stringify({ request_response_rmt: { status: { gte: 500 } } }));
  await using opened = await it.open(`/sessions?filter=${failed}`);
  const { page, faults } = opened;
  const session = page.getByRole("table", { name: "Sessions" }).getByRole("row").nth(1);
  await session.getByRole("cell", { name: "3", exact: true }).waitFor(); // all of its requests, not the failed one alone
  await page.getByText("Status ≥ 500").waitFor();
  const long = { "Gateway-Session-Id": "long", "Gateway-Session-Name": HOSTILE, "Gateway-User-Id": HOSTILE };
  const id = await send(it.weir, world.upstream, { headers: long });
  await recordsOf(it.weir, [id]);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("table", { name: "Sessions" }).getByRole("row").nth(2).waitFor();
  await page.waitForFunction(() => {
    const list = document.querySelector(".table-scroller")!;
    return list.scrollWidth <= list.clientWidth;
  });
  await ask(it.weir, "DELETE", "/v1/request", { requestIds: [id] }); // other tests count the requests
  await page.getByLabel("Search in").selectOption("Words");
  await page.getByLabel("Search input and output").fill("nobodysaidthis");
  await page.getByText("No matching session").waitFor();
  await page.getByLabel("Search input and output").fill("how deep");
  await session.waitFor();
  await page.waitForURL(/words=how/);
  // As it is where there are more hits than one search looks at.
  await page.route("**/v1/session/query", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), searched_to: "2026-01-02T12:00:00.000Z" } });
  });
  await page.reload();
  await page.getByText(/^Searched back to Jan 02[ ,]/).waitFor();
  await page.unroute("**/v1/session/query");
  await page.goto(`${it.weir.api}/sessions?filter=%7Bbroken`);
  await page.getByText("This link's filter cannot be read").waitFor();
  expect(faults).toEqual([]);
});

test("the overview lists models, users, keys and the values of a property that is chosen", async () => {
  await using opened = await it.open("/overview");
  const { page, faults } = opened;
  for (const name of ["By model", "By user", "By key", "By provider"]) {
    await page.getByRole("region", { name }).scrollIntoViewIfNeeded();
    await page.getByRole("table", { name }).getByRole("row").nth(1).waitFor();
  }
  await eventually(() => page.getByRole("region", { name: "By prompt version" }).count()).toBe(0);
  await page.getByRole("combobox", { name: "Property", exact: true }).selectOption("Team");
  await page.getByRole("table", { name: "By property Team" }).getByRole("link", { name: "night" }).waitFor();
  expect(faults).toEqual([]);
});

test("metrics stay while the time advances", async () => {
  await using opened = await it.open("/requests", { alone: true });
  const { page } = opened;
  await page.clock.install({ time: Date.now() });
  await page.goto(`${it.weir.api}/overview?range=24h&by=model`);
  const row = page.getByRole("table", { name: "By model" }).getByRole("row").nth(1);
  await row.waitFor();
  await page.waitForLoadState("networkidle");
  await page.locator(".loading").first().waitFor({ state: "detached" });
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      if (document.querySelector(".loading") !== null) seen.push("loading");
    }).observe(document.body, { subtree: true, childList: true });
  });
  const pending = page.waitForResponse(/cache\/metrics/);
  await page.clock.runFor(61_000);
  await pending;
  await row.waitFor();
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
});

test("a user's metrics over time are filtered by that user, and the filter can be removed", async () => {
  await using opened = await it.open("/users");
  const { page } = opened;
  await page.getByRole("link", { name: "Over time of ada" }).click();
  await page.getByText("User is ada").waitFor();
  await page.locator(".tiles").getByText("3", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Remove: User is ada" }).click();
  await page.locator(".tiles").getByText("8", { exact: true }).waitFor();
  // The filter stands in the address, and what was typed is added as on the list of requests.
  const form = page.getByRole("form", { name: "Filter requests" });
  await form.getByLabel("User", { exact: true }).fill("ada");
  await form.getByRole("button", { name: "Add filter" }).click();
  await page.waitForURL(/overview\?.*filter=/);
});

test("a property's values are searched, and lead to their requests", async () => {
  await using opened = await it.open("/properties");
  const { page } = opened;
  await page.getByRole("navigation", { name: "Property names" }).getByText("Team").click();
  await page.getByRole("link", { name: "day", exact: true }).waitFor();
  await page.getByLabel("Search values").fill("nig");
  await page.getByRole("link", { name: "day", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "night" }).click();
  await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
});

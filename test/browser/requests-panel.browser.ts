import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { eventually } from "../eventually.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { columns, expectUsers, rows } from "./request-rows.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";

let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((path) => Response.json(completion("yes"), { status: path.endsWith("/fail") ? 500 : 200 }));
  await send(it.weir, provider, { headers: { "Gateway-User-Id": "ada", "Gateway-Property-Team": "blue" } });
  for (const user of ["bob", "carl", "bob"]) {
    await send(it.weir, provider, { headers: { "Gateway-User-Id": user }, body: chat(`a question of ${user}`) });
  }
  await send(it.weir, provider, { path: "/v1/chat/completions/fail", headers: { "Gateway-User-Id": "dora" } });
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test("the list is walked through by key, into a request in the panel and back to the same row", async () => {
  await using opened = await it.open("/requests");
  const { page, faults } = opened;
  await rows(page).nth(4).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.closest("tr")?.dataset["id"]);
  for (const key of ["j", "j", "ArrowDown", "k"]) await page.keyboard.press(key);
  const ids = await rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset["id"]!));
  await eventually(focused).toBe(ids[1]!);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/requests?open=${ids[1]}`);
  const panel = page.getByRole("region", { name: "Request", exact: true });
  await panel.locator(".message").getByText("a question of bob").waitFor();
  await eventually(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Request");
  await page.keyboard.press("]");
  await panel.locator("nav [aria-current]").getByText("Request", { exact: true }).waitFor();
  await page.keyboard.press("[");
  await page.keyboard.press("j");
  await panel.locator(".message").getByText("a question of carl").waitFor();
  await panel.getByRole("button", { name: "Previous request (k)" }).click();
  await page.waitForURL(`**/requests?open=${ids[1]}`);
  await page.keyboard.press("j");
  await page.waitForURL(`**/requests?open=${ids[2]}`);
  await page.locator(`tr[data-id="${ids[2]}"][data-open]`).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL("**/requests");
  await panel.waitFor({ state: "detached" });
  await page.waitForFunction((id) => document.activeElement?.closest("tr")?.dataset["id"] === id, ids[2]);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await eventually(() => page.getByRole("dialog").count()).toBe(0);
  expect(faults).toEqual([]);
});

test("the list is walked through on a request's page, also one that a link led to, within the filter", async () => {
  const ofBob = encodeURIComponent('{"request_response_rmt":{"user_id":{"equals":"bob"}}}');
  await using opened = await it.open(`/requests?filter=${ofBob}`);
  const { page } = opened;
  await page.getByText("2 requests").waitFor();
  await expectUsers(page, ["bob", "bob"]);
  const ids = await rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset["id"]!));
  await page.goto(`${it.weir.api}/requests/${ids[0]}`);
  for (const [key, id] of [
    ["j", ids[1]],
    ["k", ids[0]],
    ["j", ids[1]],
  ]) {
    const name = key === "j" ? "Next request (j)" : "Previous request (k)";
    await page.locator(`button[aria-label="${name}"]:not([aria-disabled])`).waitFor();
    await page.keyboard.press(key!);
    await page.waitForURL(`**/requests/${id}`);
    await page.locator("h1 + p code", { hasText: id! }).waitFor();
  }
  await page.locator('button[aria-label="Next request (j)"][aria-disabled]').waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/requests\?filter=/);
  await page.waitForFunction((id) => document.activeElement?.closest("tr")?.dataset["id"] === id, ids[1]);
});

test("the list opens a request as a page if there is no room for the panel", async () => {
  await using opened = await it.open("/requests", { width: 800 });
  const { page } = opened;
  await rows(page).first().click();
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}$/);
});

test("the list has columns that are moved and resized by key and by mouse, and of any property", async () => {
  await using opened = await it.open("/requests");
  const { page, faults } = opened;
  await rows(page).nth(4).waitFor();
  await eventually(async () => (await columns(page)).slice(0, 5)).toEqual([
    "time",
    "status",
    "input",
    "output",
    "model",
  ]);
  const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
  const width = async (name: string) => Math.round((await head(name).boundingBox())!.width);
  await head("Output").getByRole("button").press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft"); // the focus went with it
  await page.getByText("Column 2 of 14").waitFor({ state: "attached" });
  await eventually(async () => (await columns(page)).slice(0, 4)).toEqual(["time", "output", "status", "input"]);
  const before = await width("Output");
  await page.keyboard.press("+");
  await page.getByText(`${before + 16} pixels wide`).waitFor({ state: "attached" });
  await eventually(() => width("Output")).toBe(before + 16);
  const edge = (await head("Output").locator(".column-edge").boundingBox())!;
  await page.mouse.move(edge.x + 4, edge.y + 10);
  await page.mouse.down();
  await page.mouse.move(edge.x + 104, edge.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.getByText(`${before + 116} pixels wide`).waitFor({ state: "attached" });
  const [from, to] = [(await head("Status").boundingBox())!, (await head("Output").boundingBox())!];
  await page.mouse.move(from.x + 30, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.getByText("Column 2 of 14").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByLabel("Name of the property").fill("Team");
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "Provider" }).uncheck();
  await page.keyboard.press("Escape");
  await head("Team").waitFor();
  const chosen = await columns(page);
  expect(chosen.slice(0, 4)).toEqual(["time", "status", "output", "input"]);
  expect(chosen.at(-1)).toBe("property:Team");
  expect(chosen).not.toContain("provider");
  await page
    .locator("tr[data-id] td")
    .filter({ hasText: /^blue$/ })
    .waitFor();
  await page.reload();
  await rows(page).nth(4).waitFor();
  await eventually(() => columns(page)).toEqual(chosen);
  await eventually(() => width("Output")).toBe(before + 116);
  await head("Output").locator(".column-edge").dblclick();
  await page.getByText("Width reset").waitFor({ state: "attached" });
  expect(faults).toEqual([]);
});

test("the list has values with their numbers, which filter it, and follow the filter", async () => {
  await using opened = await it.open("/requests", { width: 1_440, height: 900 });
  const { page, faults } = opened;
  const values = page.getByRole("complementary", { name: "Facets" });
  const user = (name: string) => values.getByRole("region", { name: "User" }).getByRole("button", { name });
  await user("bob 2").click();
  await page.getByText("2 requests").waitFor();
  await expectUsers(page, ["bob", "bob"]);
  await values.getByRole("region", { name: "Status" }).getByRole("button", { name: "200 2" }).waitFor();
  await user("carl 1").click();
  await expectUsers(page, ["bob", "carl", "bob"]);
  await page.getByText("(User is bob or User is carl)").first().waitFor();
  await eventually(() => user("bob 2").getAttribute("aria-pressed")).toBe("true");
  await user("bob 2").click();
  await expectUsers(page, ["carl"]);
  await page.getByRole("button", { name: "Clear" }).click();
  await values.getByRole("button", { name: "Team", exact: true }).click();
  await values.getByRole("region", { name: "Team" }).getByRole("button", { name: "blue 1" }).click();
  await expectUsers(page, ["ada"]);
  await page.getByRole("heading", { level: 1 }).click();
  // Hits of a search are not counted.
  const facets = page.getByRole("button", { name: "Facets", exact: true });
  await page.getByLabel("Search words, user, session, id").fill("hello");
  await eventually(() => facets.getAttribute("aria-pressed")).toBe("false");
  expect(await facets.getAttribute("aria-disabled")).toBe("true");
  await page.getByLabel("Search words, user, session, id").fill("");
  await values.waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("f");
  await values.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

test("a list of values is searched, and shows more of them", async () => {
  const values = Array.from({ length: 60 }, (_, at) => ({ value: `m-${at}`, requests: 60 - at }));
  await using opened = await it.open("/requests", { width: 1_440, height: 900 });
  const { page, faults } = opened;
  const model = page.getByRole("complementary", { name: "Facets" }).getByRole("region", { name: "Model" });
  await page.route("**/v1/request/facets/query", async (route) => {
    const { facets, limit, filter } = route.request().postDataJSON() as {
      facets: string[];
      limit: number;
      filter: unknown;
    };
    if (!facets.includes("model")) return route.continue();
    const text = /"contains":"([^"]*)"/.exec(JSON.stringify(filter))?.[1] ?? "";
    const fitting = values.filter(({ value }) => value.includes(text));
    const data = facets.map((name) => ({ name, values: fitting.slice(0, limit), more: fitting.length > limit }));
    return route.fulfill({ json: { data, error: null } });
  });
  await page.reload();
  await model.getByRole("button", { name: "m-7 53" }).waitFor();
  await eventually(() => model.getByRole("listitem").count()).toBe(8);
  await model.getByRole("button", { name: "More values of Model" }).click();
  await model.getByRole("listitem").nth(49).waitFor();
  await model.getByRole("button", { name: "More values of Model" }).click();
  await model.getByRole("listitem").nth(59).waitFor();
  await model.getByLabel("Search Model").fill("-59");
  await model.getByRole("listitem").nth(1).waitFor({ state: "detached" });
  await model.getByRole("button", { name: "m-59 1" }).waitFor();
  await model.getByLabel("Search Model").fill("none such");
  await model.getByText("No matching value").waitFor();
  expect(faults).toEqual([]);
});

test("the list's histogram chooses a time by drawing and by key", async () => {
  await using opened = await it.open("/requests?range=1h", { width: 1_440, height: 900 });
  const { page, faults } = opened;
  const bars = page.getByRole("slider", { name: /^Requests over time/ });
  await bars.waitFor();
  const { x, y, width, height } = (await bars.boundingBox())!;
  await page.mouse.move(x + width * 0.8, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width - 1, y + height / 2, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  await expectUsers(page, ["dora", "bob", "carl", "bob", "ada"]);
  await page.goBack();
  await page.waitForURL(/range=1h$/);
  await bars.focus();
  for (const key of ["End", "Home", "Enter"]) await page.keyboard.press(key);
  await page.waitForURL(/from=.*&to=/);
  await page.getByText("No request matches this filter").waitFor();
  expect(faults).toEqual([]);
});

test("the list is downloaded as it is filtered, as a table, as Parquet and as lines with bodies", async () => {
  const ofBob = encodeURIComponent('{"request_response_rmt":{"user_id":{"equals":"bob"}}}');
  await using opened = await it.open(`/requests?filter=${ofBob}`);
  const { page, faults } = opened;
  await expectUsers(page, ["bob", "bob"]);
  await page.getByRole("button", { name: "Download" }).click();
  const dialog = page.getByRole("dialog", { name: "Download" });
  const saved = async () => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download" }).click(),
    ]);
    await dialog.getByText("2 requests saved").waitFor();
    const bytes = readFileSync(await file.path());
    return { name: file.suggestedFilename(), bytes, text: bytes.toString() };
  };
  const table = await saved();
  expect(table.name).toMatch(/^requests-.*\.csv$/);
  const [head, ...lines] = table.text.trimEnd().split("\r\n");
  expect(head).toStartWith("request_id,");
  expect(lines.length).toBe(2);
  await dialog.getByLabel("Parquet").check();
  const { buffer, byteOffset, byteLength } = (await saved()).bytes;
  const typed = await parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
  expect(typed.map(({ request_user_id, response_status }) => [request_user_id, response_status])).toEqual([
    ["bob", 200n],
    ["bob", 200n],
  ]);
  expect(typed[0]!["request_created_at"]).toBeInstanceOf(Date);
  await dialog.getByLabel("JSONL").check();
  await dialog.getByLabel("With bodies").check();
  const { text } = await saved();
  const records = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.map(({ request_user_id }) => request_user_id)).toEqual(["bob", "bob"]);
  expect(records[0].request_body.messages[0].content).toBe("a question of bob");
  expect(faults).toEqual([]);
});

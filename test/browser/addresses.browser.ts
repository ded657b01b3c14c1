import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../eventually.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { completion, type Provider, send, startProvider } from "./traffic.ts";

let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider(() => Response.json(completion("yes")));
  for (const session of [".", ".."]) {
    await send(it.weir, provider, { headers: { "Gateway-Session-Id": session, "Gateway-User-Id": `of ${session}` } });
  }
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test.each([
  [".", "~."],
  ["..", "~.."],
])("the session %s, which no address can say as it is, opens from the list and by its address", async (id, segment) => {
  await using opened = await it.open("/sessions");
  const { page, faults } = opened;
  await page.getByRole("link", { name: id, exact: true }).click();
  await page.waitForURL(`**/sessions/${segment}`);
  for (const again of [false, true]) {
    if (again) await page.reload();
    await page.getByRole("heading", { level: 1, name: id, exact: true }).waitFor();
    await page.getByText("gpt-4o-mini").first().waitFor();
  }
  expect(faults).toEqual([]);
});

test.each([
  ["/requests/%E0%A4%A", "There is no request with this id"],
  ["/sessions/%E0%A4%A", "No request belongs to this session"],
  ["/%E0%A4%A", "Nothing is at this address."],
])("an address with escapes that are none, %s, says: %s", async (path, text) => {
  await using opened = await it.open(path);
  const { page, faults } = opened;
  await page.getByText(text).waitFor();
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  expect(faults).toEqual([]);
});

test("an order that there is not shows the list in its usual one", async () => {
  await using opened = await it.open("/requests?sort=nothing.desc");
  const { page } = opened;
  await page.getByRole("table", { name: "Requests" }).getByText("of ..").waitFor();
  await eventually(() => page.getByRole("columnheader", { name: "Time" }).getAttribute("aria-sort")).toBe("descending");
  await eventually(() => page.getByRole("alert").count()).toBe(0);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { uuidv7 } from "../../src/runtime/uuid.ts";
import { eventually } from "../eventually.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { chat, completion } from "./traffic.ts";
import { ask } from "./world.ts";

let it: Dashboard;
beforeAll(async () => {
  it = await openDashboard();
});
afterAll(() => it[Symbol.asyncDispose]());

const BEGIN = Date.now() - 3_600_000;

/** Imports a request for each of `made`, a second apart. @returns their ids. */
async function record(made: readonly Json[]): Promise<readonly string[]> {
  const records = made.map((each, at) => {
    const time = BEGIN + at * 1_000;
    return {
      request_id: uuidv7(time),
      request_created_at: new Date(time).toISOString(),
      response_status: 200,
      request_path: "/v1/chat/completions",
      provider: "OPENAI",
      request_model: "gpt-4o",
      cost: 0.5,
      ...each,
    };
  });
  for (let at = 0; at < records.length; at += 1_000)
    await ask(it.weir, "POST", "/v1/import", records.slice(at, at + 1_000));
  return records.map(({ request_id }) => request_id);
}

const saying = (text: string) => ({ request_body: chat("how long?"), response_body: completion(text) });

test("two long responses are compared line by line, from their first lines on", async () => {
  const long = (word: string) => Array.from({ length: 2_500 }, (_, at) => `${word} ${at}`).join("\n");
  const [one, other] = await record([saying(long("one")), saying(`${"x".repeat(50_000)}\n${long("other")}`)]);
  await using opened = await it.open(`/requests/${one}?tab=compare&with=${other}`);
  const { page, faults } = opened;
  const lines = page.getByRole("region", { name: "What was said, line by line" }).locator("> :is(p, div)");
  const more = page.getByRole("button", { name: /^Show more: [\d,]+ lines left$/ });
  await more.waitFor();
  expect(await lines.count()).toBeLessThan(2_500);
  await page.getByRole("button", { name: "Show all 50,000 characters" }).waitFor();
  for (let before = 0; await more.isVisible(); before = await lines.count()) {
    await more.click();
    await eventually(async () => (await lines.count()) > before).toBe(true);
  }
  await page.getByText("one 2499", { exact: false }).waitFor();
  expect(faults).toEqual([]);
});

test("a session of more requests than the page shows has the metrics of all, and shows its end", async () => {
  await record(Array.from({ length: 1_002 }, (_, at) => ({ session_id: "long", ...saying(`step ${at}.`) })));
  await using opened = await it.open("/sessions/long?view=time");
  const { page, faults } = opened;
  await page.getByText("The first 1,000 of 1,002 requests.").waitFor();
  const tile = (name: string) => page.locator(".tile", { hasText: name }).locator(".tile-value").textContent();
  await eventually(() => tile("Requests")).toBe("1,002");
  expect(await tile("Cost")).toBe("$501.00");
  await page.getByRole("link", { name: "Show the last ones" }).click();
  await page.getByText("The last 1,000 of 1,002 requests.").waitFor();
  await page.getByRole("link", { name: "step 1001." }).waitFor();
  expect(await page.getByRole("link", { name: "step 1.", exact: true }).count()).toBe(0);
  expect(page.url()).toContain("view=time");
  expect(faults).toEqual([]);
});

test("a long table begins with its first rows, in its order, and has a button for more", async () => {
  await record(Array.from({ length: 501 }, (_, at) => ({ prompt_id: `prompt ${at}` })));
  await using opened = await it.open("/prompts");
  const { page, faults } = opened;
  const rows = page.getByRole("table", { name: "Prompts" }).locator("tbody tr");
  const more = page.getByRole("button", { name: "Show more: 500 of 501 rows are shown" });
  await more.waitFor();
  expect(await rows.count()).toBe(500);
  await more.click();
  await more.waitFor({ state: "detached" });
  expect(await rows.count()).toBe(501);
  expect(faults).toEqual([]);
});

test("facets count prompts, and say how many properties have no list of their own", async () => {
  const properties = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`property ${at}`, "x"]));
  await record([{ properties, prompt_id: "of the facets" }]);
  await using opened = await it.open("/requests", { width: 1_440, height: 600 });
  const { page, faults } = opened;
  const facets = page.getByRole("complementary", { name: "Facets" });
  await facets.getByText("The first 30 of 31 properties.").waitFor();
  await facets.getByRole("button", { name: "Prompt", exact: true }).click();
  await facets.getByRole("button", { name: "More values of Prompt", exact: true }).waitFor();
  // The list of facets scrolls, not the page.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(600);
  await facets
    .getByRole("region", { name: "Prompt", exact: true })
    .getByRole("button", { name: /of the facets/ })
    .click();
  await page.locator("tr[data-id]").nth(1).waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

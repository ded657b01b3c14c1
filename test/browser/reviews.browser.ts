import { afterAll, beforeAll, expect, test } from "bun:test";
import { findingsInBothThemes } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";

let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((_path, body) => Response.json(completion("Two metres.", {}, body.model)));
  const headers = { "Gateway-Target-Provider": "OPENAI" };
  for (const question of ["How deep?", "How wide?", "How old?"])
    await send(it.weir, provider, { headers, body: chat(question) });
}, 300_000);
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test("three requests are scored by keyboard alone, one of them again, and show their author and reason", async () => {
  await using opened = await it.open("/requests");
  const { page, faults } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByText("How old?").first().waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded" }).check();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Review", exact: true }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("depths");
  await dialog.getByLabel("Order").selectOption("oldest");
  await dialog.getByRole("button", { name: "Add a score" }).click();
  await dialog.getByLabel("Score", { exact: true }).nth(1).fill("tone");
  await dialog.getByLabel("Kind").nth(1).selectOption("choice");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("3 added").waitFor();
  await dialog.getByRole("link", { name: "Begin to review" }).click();

  const request = page.getByRole("region", { name: "Request", exact: true });
  /** Keys are taken once what was pressed before is stored. */
  const press = async (...keys: string[]) => {
    await page.getByRole("button", { name: /^Back/, disabled: false }).waitFor();
    for (const key of keys) await page.keyboard.press(key);
  };
  await request.getByText("How deep?").first().waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await press("y", "2", "c");
  await page.keyboard.type("names the depth");
  await press("Enter");
  await request.getByText("How wide?").first().waitFor();
  await press("n", "Enter");
  await request.getByText("How old?").first().waitFor();
  await press("b");
  await request.getByText("How wide?").first().waitFor();
  await page.getByRole("button", { name: /^No/, pressed: true }).waitFor();
  await press("y", "Enter");
  await request.getByText("How old?").first().waitFor();
  await press("s");
  await page.getByText("You are done").waitFor();
  await page.getByText("2 scored, 1 skipped").waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);

  await press("b");
  await request.getByText("How old?").first().waitFor();
  await press("b");
  await request.getByText("How wide?").first().waitFor();
  await press("b");
  await request.getByText("How deep?").first().waitFor();
  await request.getByRole("link", { name: "open the request" }).click();
  const rated = page.getByRole("region", { name: "Who scored" });
  await rated.getByText("names the depth").first().waitFor();
  await rated.getByText("fair").waitFor();
  expect(faults).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi, runCommand } from "../e2e/weir.ts";
import { expectCalm } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { completion, type Provider, startProvider } from "./traffic.ts";

const SECRET = "sk-planted-0123456789-wxyz";

let it: Dashboard;
let provider: Provider;
let reader: string;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider(() => Response.json({ ...completion("yes"), data: [{ id: "m-1" }] }));
  reader = (await runCommand(it.weir.env, "keys", "create", "--name", "reader", "--scopes", "read")).stdout.trim();
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

const dataOf = async (path: string) => ((await (await callApi(it.weir, path)).json()) as { data: unknown }).data;

test("a credential is added, tried, changed and deleted, and its secret is not shown again", async () => {
  await using opened = await it.open("/credentials");
  const { page, faults } = opened;
  await page.getByText("No credentials").waitFor();
  await page.getByRole("button", { name: "Add credential" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Provider").selectOption("CUSTOM");
  await dialog.getByLabel("Name").fill("box");
  await dialog.getByLabel("api_key").fill(SECRET);
  await dialog.getByLabel("Limit").fill("600");
  await dialog.getByLabel("Base URL", { exact: true }).fill(provider.origin);
  await dialog.getByRole("button", { name: "Add credential" }).click();
  await dialog.getByText("the window is missing").waitFor();
  await dialog.getByLabel("Limit").fill("600;w=60");
  await dialog.getByRole("button", { name: "Add credential" }).click();
  await page.getByRole("cell", { name: "…wxyz" }).waitFor();
  expect(await page.content()).not.toContain(SECRET);
  await page.getByRole("button", { name: "Test box" }).click();
  await dialog.getByText("it lists 1 models").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Edit box" }).click();
  await dialog.getByLabel(/^enabled/).uncheck();
  await dialog.getByLabel("Models").fill("m-*, !m-2");
  await dialog.getByRole("button", { name: "Save credential" }).click();
  await page.getByRole("cell", { name: "disabled" }).waitFor();
  expect(await dataOf("/v1/credentials/box")).toMatchObject({
    models: ["m-*", "!m-2"],
    enabled: false,
    limit: "600;w=60",
    secrets: { api_key: { last4: "wxyz" } },
  });
  if (process.env["WEIR_TEST_PICTURES"])
    await page.screenshot({ path: `${process.env["WEIR_TEST_PICTURES"]}/credentials.png` });
  await page.getByRole("button", { name: "Delete box" }).click();
  await dialog.getByRole("button", { name: "Delete credential" }).click();
  await page.getByText("No credentials").waitFor();
  expect(faults).toEqual([]);
});

test("a route is created, corrected, changed and deleted", async () => {
  await using opened = await it.open("/routes");
  const { page, faults } = opened;
  await page.getByRole("button", { name: "Create route" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("fast");
  await dialog.getByLabel("Targets").fill('groq/llama-3.3-70b\n{"model":"openai/gpt-5-mini","on":["6xx"]}');
  await dialog.getByRole("button", { name: "Create route" }).click();
  await dialog.getByText("targets.1.on.0").waitFor();
  await dialog.getByLabel("Targets").fill('groq/llama-3.3-70b\n{"model":"openai/gpt-5-mini","on":["5xx"]}');
  await dialog.getByRole("button", { name: "Create route" }).click();
  await page.getByRole("cell", { name: "openai/gpt-5-mini" }).waitFor();
  await page.getByRole("button", { name: "Edit fast" }).click();
  expect(await dialog.getByLabel("Targets").inputValue()).toBe(
    'groq/llama-3.3-70b\n{"model":"openai/gpt-5-mini","weight":1,"on":["5xx"]}',
  );
  await dialog.getByLabel("Strategy").selectOption("cheapest");
  await dialog.getByRole("button", { name: "Save route" }).click();
  await page.getByRole("cell", { name: "cheapest" }).waitFor();
  expect(await dataOf("/v1/routes/fast")).toMatchObject({ strategy: "cheapest", targets: [{}, { on: ["5xx"] }] });
  if (process.env["WEIR_TEST_PICTURES"])
    await page.screenshot({ path: `${process.env["WEIR_TEST_PICTURES"]}/routes.png` });
  await page.getByRole("button", { name: "Delete fast" }).click();
  await dialog.getByRole("button", { name: "Delete route" }).click();
  await page.getByText("No routes").waitFor();
  expect(faults).toEqual([]);
});

test.each([
  ["/credentials", "Credentials"],
  ["/routes", "Routes"],
])("%s has no serious finding, and fits a narrow screen", async (path, title) => {
  const body = { provider: "openai", name: "x".repeat(100), api_key: SECRET, models: ["y".repeat(150)] };
  await callApi(it.weir, "/v1/credentials", { method: "POST", body: JSON.stringify(body) });
  const route = { targets: ["z".repeat(150)], description: "<script>alert(1)</script>".repeat(20) };
  await callApi(it.weir, `/v1/routes/${"r".repeat(100)}`, { method: "PUT", body: JSON.stringify(route) });
  await expectCalm(it, path, async (page) => {
    await page.getByRole("heading", { level: 1, name: title, exact: true, includeHidden: true }).waitFor();
    await page.getByRole("row").nth(1).waitFor();
  });
});

test.each([
  ["/credentials", "Add credential"],
  ["/routes", "Create route"],
])("a key that only reads cannot use the button of %s, and is told why", async (path, label) => {
  await using opened = await it.open(path, { key: reader });
  const button = opened.page.getByRole("button", { name: new RegExp(`^${label}`) });
  await button.waitFor();
  expect(await button.getAttribute("aria-disabled")).toBe("true");
  expect(await button.getAttribute("title")).toContain("scope admin");
});

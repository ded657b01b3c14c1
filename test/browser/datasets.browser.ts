import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import { expectCalm } from "./calm.ts";
import { delayFirstList } from "./late-list.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";
import { ask } from "./world.ts";

let it: Dashboard;
let provider: Provider;
const ids: string[] = [];
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((_path, body) => Response.json(completion("Two <b>metres</b>.", {}, body.model)));
  const headers = { "Gateway-Target-Provider": "OPENAI" };
  for (const body of [chat("How deep?"), chat("How wide?"), chat("How old?")])
    ids.push(await send(it.weir, provider, { headers, body }));
}, 300_000);
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test("requests are put into a new dataset, corrected, read in an earlier version and downloaded", async () => {
  await using opened = await it.open(`/requests/${ids[0]}`, {
    prepare: (page) => delayFirstList(page, ["GET", "/v1/datasets"], ["POST", "/items"]),
  });
  const { page, faults } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Add to dataset" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("depths");
  await dialog.getByLabel("Labels").fill("deep, first");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("1 added").waitFor();
  await dialog.getByRole("link", { name: "Open the dataset" }).click();
  await page.getByRole("heading", { level: 1, name: "depths" }).waitFor();
  await page.getByRole("link", { name: "All datasets" }).click();
  await page.getByRole("link", { name: "depths" }).click();
  const row = page.getByRole("row", { name: /How deep\?/ });
  await eventually(() => row.textContent()).toContain("deep, first");
  await row.getByRole("button", { name: "How deep?" }).click();
  await dialog.getByLabel("Right output").fill("Two metres and a half.");
  expect(await findingsInBothThemes(page)).toEqual([]);
  // The examples are read again before the page knows of the new version.
  const read = page.waitForResponse(/\/items\?/);
  await page.route(/\/v1\/datasets\/[^/?]+$/, async (route) => {
    await read;
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Save example" }).click();
  await row.getByText("Two metres and a half.").waitFor();
  await page.getByLabel("Version").selectOption({ label: "Version 1 (1 added)" });
  await row.getByText("Two <b>metres</b>.").waitFor();
  await page.getByRole("button", { name: "Download" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "OpenAI fine-tuning" }).click();
  expect((await download).suggestedFilename()).toBe("depths-v1-openai.jsonl");
  expect(faults).toEqual([]);
});

test("all that is selected in the list goes into a dataset, once", async () => {
  await using opened = await it.open("/requests");
  const { page } = opened;
  const dialog = page.getByRole("dialog");
  await page.locator(`tr[data-id="${ids[2]}"]`).waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded" }).check();
  await page.getByText("3 selected").waitFor();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Add to dataset" }).click();
  await dialog.getByLabel("Dataset", { exact: true }).selectOption({ label: "depths" });
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("2 added").waitFor();
  const [dataset] = await ask<{ items: number }[]>(it.weir, "GET", "/v1/datasets");
  expect(dataset!.items).toBe(3);
});

test("the list of datasets, and one of them, have no serious finding and fit a narrow screen", async () => {
  const [dataset] = await ask<{ id: string }[]>(it.weir, "GET", "/v1/datasets");
  await expectCalm(it, "/datasets", (page) => page.getByRole("link", { name: "depths" }).waitFor());
  await expectCalm(it, `/datasets/${dataset!.id}`, (page) => page.getByText("How wide?").waitFor());
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { findingsInBothThemes } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { ask } from "./world.ts";

let it: Dashboard;
beforeAll(async () => {
  it = await openDashboard();
}, 300_000);
afterAll(() => it[Symbol.asyncDispose]());

test("a judge is made, refused where it is wrong, switched on and deleted", async () => {
  await using opened = await it.open("/judges");
  const { page, faults } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByText("No judges").waitFor();
  await page.getByRole("button", { name: "Create judge" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("helpful <b>");
  await dialog.getByLabel("Model", { exact: true }).fill("openai/gpt-4o-mini");
  await dialog.locator('select[name="key"] option').first().waitFor({ state: "attached" });
  await dialog.getByLabel("Prompt", { exact: true }).fill("nothing of the response");
  await dialog.getByRole("button", { name: "Create judge" }).click();
  await dialog.getByText("write {{output}} where it belongs").waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await dialog.getByLabel("Prompt", { exact: true }).fill("Good? {{output}}");
  await dialog.getByRole("button", { name: "Add a score" }).click();
  await dialog.getByLabel("Score", { exact: true }).nth(1).fill("tone");
  await dialog.getByLabel("Kind", { exact: true }).nth(1).selectOption("choice");
  await dialog.getByLabel("Choices").fill("warm=1, cold");
  await dialog.getByRole("button", { name: "Create judge" }).click();
  await dialog.getByRole("alert").first().waitFor();
  await dialog.getByLabel("Choices").fill("warm=1, cold=0");
  await dialog.getByRole("button", { name: "Add a score" }).click();
  await dialog.getByRole("button", { name: "Remove the score", exact: false }).last().click();
  await dialog.getByRole("button", { name: "Add condition", exact: true }).click();
  await dialog.getByLabel("User", { exact: true }).fill("ada");
  await dialog.getByRole("button", { name: "Create judge" }).click();
  const row = page.getByRole("row", { name: /helpful <b>/ });
  await row.getByText("off", { exact: true }).waitFor();
  const [made] = await ask<{ filter: unknown; scores: unknown }[]>(it.weir, "GET", "/v1/judges");
  expect(made!.scores).toEqual([
    { name: "helpful", kind: "number", description: "1 helps, 0 does not" },
    {
      name: "tone",
      kind: "choice",
      choices: [
        { label: "warm", value: 1 },
        { label: "cold", value: 0 },
      ],
    },
  ]);
  expect(made!.filter).toEqual({ request_response_rmt: { user_id: { equals: "ada" } } });
  await row.getByRole("button", { name: "Edit helpful <b>" }).click();
  expect(await dialog.getByLabel("Choices").inputValue()).toBe("warm=1, cold=0");
  await dialog.getByLabel("Judge new requests").check();
  await dialog.getByRole("button", { name: "Save judge" }).click();
  await row.getByText("on", { exact: true }).waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await row.getByRole("button", { name: "Delete helpful <b>" }).click();
  await dialog.getByRole("button", { name: "Delete judge" }).click();
  await page.getByText("No judges").waitFor();
  expect(faults).toEqual([]);
});

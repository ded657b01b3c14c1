import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ListedScore } from "../../src/engine/aggregates.ts";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import { expectCalm } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";
import { ask } from "./world.ts";

let it: Dashboard;
let provider: Provider;
let bad: string;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((_path, body) => {
    if (body === undefined) return Response.json({ data: [] }); // what it lists
    const isPrecise = JSON.stringify(body.messages).includes("Be precise.");
    const text = isPrecise ? "<b>4</b> metres." : "Some metres, perhaps.";
    return Response.json(completion(text, {}, body.model));
  });
  const base_url = `${provider.origin}/v1`;
  await ask(it.weir, "POST", "/v1/credentials", {
    provider: "openai",
    name: "box",
    api_key: "k",
    base_url,
    private: true,
  });
  const messages = [
    { role: "system", content: "You know rivers.\nBe friendly." },
    { role: "user", content: "How deep is it?" },
  ];
  const headers = { "Gateway-Target-Provider": "OPENAI", "Gateway-Prompt-Id": "rivers", "Gateway-Prompt-Version": "1" };
  bad = await send(it.weir, provider, { headers, body: { ...chat(""), messages } });
}, 300_000);
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

test("a bad response becomes an example, is run with a new prompt against two models, and the versions are compared by their scores", async () => {
  await using opened = await it.open("/requests");
  const { page, faults } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByRole("table", { name: "Requests" }).getByText("Some metres, perhaps.").first().click();
  await page.getByRole("link", { name: "Open page", exact: true }).click();
  await page.waitForURL(`**/requests/${bad}`);
  await page.getByRole("button", { name: "Add to dataset" }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("bad answers");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByRole("link", { name: "Open the dataset" }).click();
  await page.getByRole("heading", { level: 1, name: "bad answers" }).waitFor();

  await page.getByRole("button", { name: "Run", exact: true }).click();
  await dialog.getByLabel("Model or route").fill("openai/gpt-4o-mini");
  await dialog.getByText("Another prompt and settings").click();
  await dialog.getByLabel("System prompt").fill("You know rivers.\nBe precise.");
  await dialog.getByLabel("Prompt id").fill("rivers");
  await dialog.getByLabel("Prompt version").fill("2");
  await dialog.getByRole("button", { name: "Add target" }).click();
  await dialog.getByRole("group", { name: "Target 2" }).getByLabel("Model or route").fill("openai/gpt-4o");
  await dialog.getByRole("button", { name: "Estimate the cost" }).click();
  await dialog.getByText("for 1 call").nth(1).waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Start run" }).click();

  await page.getByText("2 of 2 calls, 0 failed").waitFor();
  const responseOf = (target: string) => page.getByRole("region", { name: target, exact: true });
  await responseOf("Original").getByText("Some metres, perhaps.").waitFor();
  await responseOf("openai/gpt-4o-mini").getByText("<b>4</b> metres.", { exact: true }).waitFor();
  await responseOf("openai/gpt-4o").getByText("What differs").click();
  await page.getByLabel("openai/gpt-4o against the original").getByText("Some metres").waitFor();
  await page.getByRole("button", { name: "Download" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV", exact: true }).click();
  expect((await download).suggestedFilename()).toBe("openai-gpt-4o-mini-openai-gpt-4o.csv");

  await responseOf("openai/gpt-4o").getByRole("link", { name: "Record" }).click();
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}/);
  const id = /[0-9a-f-]{36}/.exec(page.url())![0];
  await ask(it.weir, "POST", `/v1/request/${id}/score`, { scores: { helpful: 1 } });
  await ask(it.weir, "POST", `/v1/request/${bad}/score`, { scores: { helpful: 0 } });
  // A page asks once; where the recorder is behind, it would show what was before.
  const counts = async () =>
    (await ask<readonly ListedScore[]>(it.weir, "POST", "/v1/score/query", {})).map(({ requests }) => requests);
  await eventually(counts).toEqual([2]);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Prompts" }).click();
  await page.getByRole("link", { name: "rivers", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "rivers" }).waitFor();
  await page.getByRole("columnheader", { name: "helpful" }).waitFor();
  const changes = page.getByLabel("How the prompt changed");
  await changes.getByText("Be friendly.").waitFor();
  await changes.getByText("Be precise.").waitFor();
  await page.getByLabel("First version").selectOption("2");
  await page.getByLabel("Second version").selectOption("1");
  await page.getByRole("region", { name: "Examples of 1", exact: true }).getByText("Some metres, perhaps.").waitFor();

  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Scores", exact: true }).click();
  const difference = page.getByRole("region", { name: "Score helpful by prompt version", exact: true });
  await difference.getByRole("row", { name: "1 0 1", exact: true }).waitFor();
  await difference.getByRole("row", { name: "2 1 1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Actions of Score helpful by prompt version", exact: true }).click();
  await page.getByRole("button", { name: "Add to a dashboard", exact: true }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("Rivers");
  await dialog.getByRole("button", { name: "Add panel", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Rivers", exact: true }).waitFor();
  await difference.getByRole("row", { name: "1 0 1", exact: true }).waitFor();
  await difference.getByRole("row", { name: "2 1 1", exact: true }).waitFor();
  expect(faults).toEqual([]);
}, 300_000);

test("a run, prompts and a prompt have no serious finding and fit a narrow screen", async () => {
  const [dataset] = await ask<{ id: string }[]>(it.weir, "GET", "/v1/datasets");
  const runs = `/datasets/${dataset!.id}/runs`;
  const [run] = await ask<{ id: string }[]>(it.weir, "GET", `/v1${runs}`);
  await expectCalm(it, `${runs}/${run!.id}`, (page) => page.getByText("<b>4</b> metres.").first().waitFor());
  await expectCalm(it, "/prompts", (page) => page.getByRole("link", { name: "rivers", exact: true }).waitFor());
  await expectCalm(it, "/prompts/rivers", (page) => page.getByLabel("How the prompt changed").waitFor());
}, 300_000);

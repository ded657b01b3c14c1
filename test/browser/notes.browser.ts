import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";
import { findings, findingsInBothThemes } from "./axe.ts";
import { delayFirstList } from "./late-list.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { chat, completion, type Provider, send, startProvider } from "./traffic.ts";

let it: Dashboard;
let provider: Provider;
const ids: string[] = [];
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((_path, body) => Response.json(completion("Two metres.", {}, body.model)));
  const headers = { "Gateway-Session-Id": "survey", "Gateway-Target-Provider": "OPENAI" };
  for (const body of [chat("How deep?"), chat("How wide?"), chat("How deep?", "gpt-4o")])
    ids.push(await send(it.weir, provider, { headers, body }));
}, 300_000);
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

/** In one step: between focus and key, a page that still loads may move the focus. */
const press = (page: Page, name: string, key = "Enter") => page.getByRole("button", { name }).press(key);

test("a request is compared with the one before in its session, and by keyboard with any other", async () => {
  await using opened = await it.open(`/requests/${ids[1]}?tab=compare`);
  const { page, faults } = opened;
  const said = page.getByRole("region", { name: "What was said, line by line" });
  await said.getByText("only there:").waitFor();
  await eventually(() => said.textContent()).toMatch(/How deep\?.*How wide\?/s);
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByLabel("Id of the other request").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type(ids[2]!);
  await page.keyboard.press("Enter");
  const model = page.getByRole("table", { name: "What differs" }).getByRole("row", { name: /^Model/ });
  await model.waitFor();
  await eventually(() => model.textContent()).toBe("Modelgpt-4ogpt-4o-mini");
  await press(page, "Previous in session");
  await model.waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

test("a comment is written, read and removed by keyboard", async () => {
  await using opened = await it.open(`/requests/${ids[0]}`);
  const { page, faults } = opened;
  const comments = page.getByRole("region", { name: "Comments" });
  await comments.getByText("None yet.").waitFor();
  await comments.getByRole("textbox", { name: "Comment" }).focus();
  await page.keyboard.type("<b>measured</b> twice");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await comments.getByText("<b>measured</b> twice").waitFor();
  await eventually(() => comments.getByRole("textbox", { name: "Comment" }).inputValue()).toBe("");
  expect(await findingsInBothThemes(page)).toEqual([]);
  await press(page, "Remove this comment");
  await comments.getByText("None yet.").waitFor();
  expect(faults).toEqual([]);
});

test.each([["request"], ["session"]] as const)(
  "a shared %s is read without an account, until the link is revoked",
  async (kind) => {
    const path = kind === "request" ? `/requests/${ids[0]}` : "/sessions/survey";
    await using owner = await it.open(path, {
      prepare: (page) => delayFirstList(page, ["GET", "/v1/shared-links"], ["POST", "/v1/shared-links"]),
    });
    await press(owner.page, "Share for 7 days");
    const url = new URL((await owner.page.locator(".shared-url").textContent())!);
    await using reader = await it.open(url.pathname, { key: null, alone: true, width: 390 });
    const { page } = reader;
    await page.getByText("Two metres.").waitFor();
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    expect(await findingsInBothThemes(page)).toEqual([]);
    if (kind === "session") {
      await page.getByRole("combobox").focus();
      await page.keyboard.press("ArrowDown");
      await page.getByText("How wide?").waitFor();
    }
    await press(owner.page, "Revoke");
    await owner.page.getByText(`Only people with an account see this ${kind}.`).waitFor();
    await page.reload();
    await page.getByText("This link does not work").waitFor();
    expect(await findings(page)).toEqual([]);
    expect([...owner.faults, ...reader.faults]).toEqual([]);
  },
);

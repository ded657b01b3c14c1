import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { NAVIGATION } from "../../src/web/navigation.ts";
import { eventually } from "../eventually.ts";
import { findingsInBothThemes } from "./axe.ts";
import { beyondKeyboard } from "./keyboard.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { type Provider, send, startProvider } from "./traffic.ts";
import { startWalk, type Walk } from "./walk.ts";

/** Sets a mark on the page where any of it runs. */
const MARK = "globalThis.ran=1";
const SCRIPT = `<script>${MARK}</script><img src=x onerror="${MARK}"><svg onload="${MARK}">`;
const ADDRESS = `javascript:${MARK}`;
const LONG = "long_name_".repeat(100);
/** In a header: no control characters, and nothing that a header may not hold. */
const HEADER = `"><img src=x onerror=${MARK}>{{7*7}}`;

let it: Dashboard;
let provider: Provider;
let id: string;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider(() =>
    Response.json({
      id: SCRIPT,
      object: "chat.completion",
      model: SCRIPT,
      choices: [
        {
          index: 0,
          finish_reason: SCRIPT,
          message: {
            role: SCRIPT,
            content: `${SCRIPT} [a link](${ADDRESS}) ${ADDRESS}`,
            reasoning_content: SCRIPT,
            annotations: [{ type: "url_citation", url_citation: { url: ADDRESS, title: SCRIPT } }],
            tool_calls: [
              {
                id: SCRIPT,
                type: "function",
                function: { name: SCRIPT + LONG, arguments: JSON.stringify({ [SCRIPT]: SCRIPT }) },
              },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );
  id = await send(it.weir, provider, {
    path: `/v1/chat/completions?${encodeURIComponent(SCRIPT)}`,
    headers: {
      "gateway-target-provider": "openai",
      "Gateway-User-Id": HEADER,
      "Gateway-Session-Id": HEADER,
      "Gateway-Session-Name": HEADER,
      "Gateway-Session-Path": HEADER,
      "Gateway-Property-Evil": HEADER,
      "Gateway-Property-__proto__": HEADER,
      "Gateway-Prompt-Id": HEADER,
      referer: ADDRESS,
      "x-evil": HEADER,
    },
    body: {
      model: SCRIPT,
      messages: [
        { role: "system", content: SCRIPT },
        {
          role: "user",
          name: SCRIPT,
          content: [
            { type: "text", text: SCRIPT },
            { type: "image_url", image_url: { url: ADDRESS } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "image_url",
              image_url: {
                url: `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${MARK}"/>`).toString("base64")}`,
              },
            },
            { type: "image_url", image_url: { url: `data:text/html,<script>${MARK}</script>` } },
            {
              type: "file",
              file: {
                filename: HEADER,
                file_data: `data:text/html;base64,${Buffer.from(SCRIPT.repeat(40)).toString("base64")}`,
              },
            },
          ],
        },
        { role: "tool", tool_call_id: SCRIPT, content: SCRIPT },
      ],
      tools: [{ type: "function", function: { name: SCRIPT, description: SCRIPT, parameters: { [SCRIPT]: SCRIPT } } }],
    },
  });
}, 300_000);
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

/** What of the record has become more than text. */
async function escapes(page: Page): Promise<unknown> {
  return page.evaluate((address) => {
    const links = [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")!);
    const own = ["/assets/"];
    return {
      ran: "ran" in globalThis,
      links: links.filter((href) => href.startsWith(address) || /^\s*(?:javascript|data|vbscript):/i.test(href)),
      scripts: [...document.scripts].filter(
        (script) => !own.some((path) => script.getAttribute("src")?.startsWith(path)),
      ).length,
      handlers: document.querySelectorAll("[onerror], [onload], [onclick], [style*='url']").length,
    };
  }, ADDRESS);
}

const NOTHING = { ran: false, links: [], scripts: 0, handlers: 0 };

/** Pages that `expectCalm` looks at in other files, with names that are harder to show. */
const CALM_ELSEWHERE: readonly string[] = `
  /overview /sessions /users /properties /prompts /datasets /scores /playground /models /credentials /routes /domains /limits
  /alerts /cache /plugins /keys /storage
`
  .trim()
  .split(/\s+/);

describe("one page after the other", () => {
  let walk: Walk;
  /** The page of this heading. */
  const walkTo = (path: string, label: string) =>
    walk.to(path, (page) => page.getByRole("heading", { level: 1, name: label, exact: true }).waitFor());
  beforeAll(async () => {
    walk = await startWalk(it);
  });
  afterAll(() => walk[Symbol.asyncDispose]());

  test.each(["conversation", "request", "response", "timing", "cost", "replay", "details"])(
    "nothing of a hostile record runs on its page, part %s; all of it is there as text, without a serious finding",
    async (tab) => {
      const { page, faults } = walk;
      await walk.to(`/requests/${id}?tab=${tab}`, async () => {
        await page.getByRole("button", { name: "Change Evil" }).waitFor();
        if (tab === "conversation") await page.getByText(SCRIPT).first().waitFor();
      });
      expect(await escapes(page)).toEqual(NOTHING);
      expect(await findingsInBothThemes(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  test.each(NAVIGATION.map(({ to, label }) => [to, label]))(
    "nothing of a hostile record runs at %s, which has no serious finding and is all in reach of a keyboard",
    async (path, label) => {
      const { page, faults } = walk;
      await walkTo(path, label);
      expect(await escapes(page)).toEqual(NOTHING);
      if (!CALM_ELSEWHERE.includes(path)) expect(await findingsInBothThemes(page)).toEqual([]);
      expect(await beyondKeyboard(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  test.each(NAVIGATION.map(({ to, label }) => [to, label]))(
    "%s takes nothing from its address that makes no sense",
    async (path, label) => {
      const { page, faults } = walk;
      const nonsense = "from=x&to=y&range=constructor&sort=1&filter=abc&live=2&page=-1&tab=x&by=x&state=x&q=";
      await walkTo(`${path}?${nonsense}`, label);
      await eventually(() => page.getByRole("alert").allTextContents()).toEqual([]);
      expect(faults).toEqual([]);
    },
  );
});

test("nothing of a hostile filter or an address runs", async () => {
  const filter = JSON.stringify({ request_response_rmt: { properties: { [SCRIPT]: { equals: SCRIPT } } } });
  for (const path of [
    `/requests?filter=${encodeURIComponent(filter)}`,
    `/requests?sort=${encodeURIComponent(SCRIPT)}&range=${encodeURIComponent(SCRIPT)}`,
    `/requests/${encodeURIComponent(SCRIPT)}`,
    `/${encodeURIComponent(SCRIPT)}`,
  ]) {
    await using opened = await it.open(path);
    const { page, faults } = opened;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    expect([path, await escapes(page), faults]).toEqual([path, NOTHING, []]);
  }
});

test("a conversation with long names of tools, roles and people fits a phone", async () => {
  await using opened = await it.open(`/requests/${id}`, { width: 360 });
  await opened.page.getByText(LONG).first().waitFor();
  await opened.page.waitForFunction(() => document.documentElement.scrollWidth <= 360);
});

test("a property that is called like a part of the language is one like any other", async () => {
  await using opened = await it.open(`/requests/${id}`);
  const { page, faults } = opened;
  await page.getByRole("button", { name: "Change __proto__" }).waitFor();
  await page.getByRole("button", { name: "Good", exact: true }).click();
  await page.locator('button[aria-label="Good"][aria-pressed="true"]').waitFor();
  await page.getByRole("button", { name: "Change __proto__" }).waitFor();
  expect(await escapes(page)).toEqual(NOTHING);
  expect(faults).toEqual([]);
});

test("a body that is opened by itself runs nothing", async () => {
  for (const part of ["request", "response"]) {
    await using opened = await it.open(`/v1/request/${id}/body?part=${part}&raw=true`);
    expect(await opened.page.evaluate(() => "ran" in globalThis)).toBe(false);
  }
});

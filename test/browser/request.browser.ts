import { afterAll, beforeAll, expect, test } from "bun:test";
import { gatewayHeaders, KEY, recordOf, runCommand } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { chat, completion, type Provider, png, send, startProvider, wav } from "./traffic.ts";

const PICTURE = `data:image/png;base64,${png(24).toString("base64")}`;

let it: Dashboard;
let provider: Provider;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((path, body) => {
    if (path === "/talk") return Response.json({ reply: { words: "Ja." }, spent: { inn: 4, out: 5 } });
    if (path === "/v1/messages")
      return Response.json({
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: body.model,
        content: [
          { type: "thinking", thinking: "I should think first." },
          { type: "text", text: "The level is normal." },
        ],
        stop_reason: "end_turn",
        usage: { input_tokens: 12, output_tokens: 8 },
      });
    const calls = {
      tool_calls: [{ id: "call_1", type: "function", function: { name: "level_of", arguments: '{"river":"Isar"}' } }],
    };
    return Response.json(completion("It is a weir.", calls));
  });
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

const talk = { headers: { "gateway-target-provider": "openai", authorization: "Bearer sk-of-the-provider" } };

test("a conversation shows its roles, pictures, tools and reasoning", async () => {
  const body = {
    model: "gpt-4o-mini",
    messages: [
      { role: "system", content: "You know rivers." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: PICTURE } },
        ],
      },
      {
        role: "assistant",
        tool_calls: [{ id: "call_0", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_0", content: '{"seen":"water"}' },
    ],
  };
  const id = await send(it.weir, provider, { ...talk, body });
  await using opened = await it.open(`/requests/${id}`);
  const { page, faults } = opened;
  await page.getByText("It is a weir.").waitFor();
  await eventually(() => page.locator(".message h3").allInnerTexts()).toEqual([
    "System",
    "User",
    "Assistant",
    "Tool",
    "Assistant",
  ]);
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>("img.media")?.naturalWidth === 24);
  await eventually(() => page.locator("img.media").getAttribute("src")).toStartWith(`/v1/request/${id}/assets/`);
  await eventually(() => page.getByRole("region", { name: "Calls level_of · call_1" }).textContent()).toContain(
    '"river": "Isar"',
  );
  await eventually(() => page.getByRole("region", { name: "Result" }).textContent()).toContain('"seen": "water"');

  await page.getByRole("link", { name: "Replay" }).click();
  await page.getByText("Not as it was sent").waitFor();
  await eventually(() => page.getByRole("link", { name: "weir-asset:" }).getAttribute("href")).toStartWith(
    `/v1/request/${id}/assets/`,
  );

  const thought = await send(it.weir, provider, { path: "/v1/messages", body: chat("How high?", "claude-sonnet-4-5") });
  await page.goto(`${it.weir.api}/requests/${thought}`);
  await page.getByText("I should think first.").waitFor();
  await page.getByText("The level is normal.").waitFor();
  expect(faults).toEqual([]);
});

test("what was said before is folded, and texts are rendered or raw as chosen last", async () => {
  const earlier = ["Which river?", "The **Isar**.", "How high?"].map((content, at) => {
    return { role: at % 2 === 0 ? "user" : "assistant", content };
  });
  const rules = Array.from({ length: 30 }, (_, at) => `Rule ${at}.`).join("\n");
  const messages = [
    { role: "system", content: rules },
    ...earlier,
    { role: "assistant", content: "Two metres." },
    { role: "user", content: "Is **that** much?" },
  ];
  const id = await send(it.weir, provider, { ...talk, body: { model: "gpt-4o-mini", messages } });
  await using opened = await it.open(`/requests/${id}`);
  const { page, faults } = opened;
  await page.locator("strong", { hasText: "that" }).waitFor();
  await eventually(() => page.locator(".message").count()).toBe(3);
  await eventually(() => page.getByText("Rule 29.").count()).toBe(0);
  await page.getByRole("button", { name: "Show all 30 lines" }).click();
  await page.getByText("Rule 29.").waitFor();
  await page.getByRole("button", { name: "4 earlier messages" }).click();
  await page.locator("strong", { hasText: "Isar" }).waitFor();
  await eventually(() => page.locator(".message").count()).toBe(7);

  await page.getByRole("button", { name: "Go to response" }).click();
  await eventually(() => page.evaluate(() => document.activeElement?.textContent)).toContain("It is a weir.");
  await page.getByRole("button", { name: "Raw" }).click();
  await page.getByText("Is **that** much?").waitFor();
  await page.reload();
  await page.getByText("Is **that** much?").waitFor();
  expect(faults).toEqual([]);
});

test("a body is shown in colours, and what is folded stays so", async () => {
  const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say" }], metadata: { river: "Isar" } };
  const id = await send(it.weir, provider, { ...talk, body });
  await using opened = await it.open(`/requests/${id}?tab=request`);
  const { page, faults } = opened;
  const shown = page.getByRole("region", { name: "request body" });
  await shown.locator(".json-string", { hasText: '"Isar"' }).waitFor();
  await shown.getByText('"metadata"').click();
  await shown.locator(".json-string", { hasText: '"Isar"' }).waitFor({ state: "detached" });
  // The page is drawn again, and what was folded stays so.
  await page.getByRole("button", { name: "Good", exact: true }).click();
  await page.locator('button[aria-label="Good"][aria-pressed="true"]').waitFor();
  expect(await shown.getByText('"Isar"').count()).toBe(0);
  expect(faults).toEqual([]);
});

test("a spoken response can be heard, where it was said and as a body", async () => {
  using speaker = startProvider(() => new Response(wav(), { headers: { "content-type": "audio/wav" } }));
  const body = { model: "tts-1", input: "The weir is open.", voice: "alloy" };
  const id = await send(it.weir, speaker, { ...talk, path: "/v1/audio/speech", body });
  await using opened = await it.open(`/requests/${id}`);
  const { page, faults } = opened;
  await page.getByText("The weir is open.").waitFor();
  await page.waitForFunction(() => document.querySelector("audio")?.duration === 1);
  await page.getByRole("link", { name: "Response" }).click();
  await page.getByRole("region", { name: "response body" }).waitFor();
  await page.waitForFunction(() => document.querySelector("audio")?.duration === 1);
  expect(faults).toEqual([]);
});

test("a sound that no browser plays can be downloaded", async () => {
  using speaker = startProvider(() => new Response("no sound at all", { headers: { "content-type": "audio/pcm" } }));
  const body = { model: "tts-1", input: "The weir is open.", voice: "alloy" };
  const id = await send(it.weir, speaker, { ...talk, path: "/v1/audio/speech", body });
  await using opened = await it.open(`/requests/${id}`);
  const link = opened.page.getByRole("link", { name: "which this browser cannot show" });
  await link.waitFor();
  await eventually(() => link.getAttribute("href")).toContain(`/v1/request/${id}/body?part=response`);
});

test("both bodies are shown as they were sent, with headers but no credential, and can be downloaded", async () => {
  const id = await send(it.weir, provider, { ...talk, body: chat("exact   bytes") });
  await using opened = await it.open(`/requests/${id}?tab=request`);
  const { page } = opened;
  await page.getByRole("button", { name: "As sent" }).click();
  await page.getByText('{"model":"gpt-4o-mini","messages":[{"role":"user","content":"exact   bytes"}]}').waitFor();
  await eventually(() => page.locator("main").textContent()).toContain("Content-Type");
  expect(await page.content()).not.toContain("sk-of-the-provider");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download the bytes" }).click();
  expect(await Bun.file((await (await download).path())!).text()).toBe(JSON.stringify(chat("exact   bytes")));
});

test("the cost is explained, the time is drawn, and the replay holds no key", async () => {
  const id = await send(it.weir, provider, talk);
  await using opened = await it.open(`/requests/${id}?tab=cost`);
  const { page } = opened;
  await page.getByRole("table", { name: "How the cost adds up" }).waitFor();
  await page.getByText("The lines add up to the cost.").waitFor();
  await eventually(() => page.locator(".tabs [aria-current]").allTextContents()).toEqual(["Cost"]);
  await page.getByRole("link", { name: "Timing" }).click();
  await page.getByRole("img", { name: "From the first byte of the request to the last of the response" }).waitFor();
  await page.getByRole("link", { name: "Replay" }).click();
  const curl = await page.getByRole("region", { name: "curl" }).textContent();
  expect(curl).toContain(`curl ${it.weir.gateway}/v1/chat/completions`);
  expect(curl).toMatch(/-H "authorization: Bearer \$PROVIDER_API_KEY"/i);
  expect(curl).not.toMatch(/sk-(?:of|weir)|\*\*\*/);
});

test.each(["12345678901234567890", "1e400"])(
  "the number %s is shown, and sent by the replay, as it was written",
  async (seed) => {
    const body = `{"model": "gpt-4o-mini", "seed": ${seed}, "top_p": 1.0, "messages": []}`;
    const response = await fetch(`${it.weir.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { ...gatewayHeaders(provider.origin), "content-type": "application/json" },
      body,
    });
    await response.arrayBuffer();
    const id = response.headers.get("gateway-id")!;
    await recordOf(it.weir, id);
    await using opened = await it.open(`/requests/${id}?tab=request`);
    const { page } = opened;
    await page.getByRole("region", { name: "request body" }).getByText(`"seed": ${seed},`).waitFor();
    await page.getByRole("link", { name: "Replay" }).click();
    const curl = page.getByRole("region", { name: "curl" });
    await curl.waitFor();
    await eventually(() => curl.textContent()).toContain(`--data-raw '${body}'`);
  },
);

test("properties, scores and feedback are changed where they stand, by key", async () => {
  const id = await send(it.weir, provider, { headers: { "Gateway-Property-Team": "blue" } });
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  await page.getByRole("button", { name: "Change Team, which is blue" }).press("Enter");
  await page.getByLabel("Value of Team").fill("green");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Change Team, which is green" }).waitFor();
  await page.getByRole("button", { name: "Add property" }).press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("Stage");
  await page.getByLabel("Value", { exact: true }).fill("test");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Change Stage, which is test" }).waitFor();
  await page.getByRole("button", { name: "Remove Team" }).press("Enter");
  await page.getByRole("button", { name: "Change Team, which is green" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add score" }).press("Enter");
  await page.getByLabel("Name", { exact: true }).fill("quality");
  await page.getByLabel("Value", { exact: true }).fill("0.5");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Change quality, which is 0.5" }).waitFor();
  await page.getByRole("button", { name: "Good", exact: true }).press("Enter");
  await page.locator('button[aria-label="Good"][aria-pressed="true"]').waitFor();
  expect(await recordOf(it.weir, id)).toMatchObject({
    properties: { Stage: "test" },
    scores: { quality: 0.5 },
    feedback_rating: true,
  });
});

test("the focus stays where something was changed, added or removed", async () => {
  const id = await send(it.weir, provider, { headers: { "Gateway-Property-Team": "blue" } });
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  const focused = (name: string) =>
    page.waitForFunction((wanted) => {
      const { activeElement: active } = document;
      return (active?.getAttribute("aria-label") ?? active?.textContent)?.trim() === wanted;
    }, name);
  await page.getByRole("button", { name: "Change Team" }).press("Enter");
  await page.keyboard.press("Escape");
  await focused("Change Team, which is blue");
  await page.keyboard.press("Enter");
  await page.getByLabel("Value of Team").fill("green");
  await page.keyboard.press("Enter");
  await focused("Change Team, which is green");
  await page.getByRole("button", { name: "Add property" }).press("Enter");
  await page.keyboard.press("Escape");
  await focused("Add property");
  await page.getByRole("button", { name: "Remove Team" }).press("Enter");
  await page.getByRole("button", { name: "Change Team" }).waitFor({ state: "detached" });
  await focused("Add property");
});

test("a key that may only read sees why it can change nothing", async () => {
  const id = await send(it.weir, provider, { headers: { "Gateway-Property-Team": "blue" } });
  const key = (await runCommand(it.weir.env, "keys", "create", "--name", "reader", "--scopes", "read")).stdout.trim();
  await using opened = await it.open(`/requests/${id}`, { key });
  const { page } = opened;
  const add = page.getByRole("button", { name: "Add property" });
  await add.waitFor();
  await eventually(() => add.getAttribute("aria-disabled")).toBe("true");
  await eventually(() => add.getAttribute("title")).toBe("This needs a key with the scope write; yours has read.");
  await add.press("Enter");
  await eventually(() => page.getByLabel("Name", { exact: true }).count()).toBe(0);
});

test("a model that is pending says so, and is mapped on demand; no model is not pending", async () => {
  for (const say of ["Wie 0?", "Wie 1?", "Wie 2?"])
    await send(it.weir, provider, { path: "/talk", body: { model: "own-7b", say } });
  const id = await send(it.weir, provider, { path: "/talk", body: { model: "own-7b", say: "Geht das?" } });
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  await page.getByText("Model is pending mapping", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Expedite" }).click();
  await page.getByText(/^(?:So far: |Ja\.$)/).waitFor();
  const without = await send(it.weir, provider, { path: "/talk", body: { say: "Wer?" } });
  await page.goto(`${it.weir.api}/requests/${without}`);
  await page.getByText("Nothing to read in these bodies", { exact: true }).waitFor();
});

test("a text that is written from right to left begins at the right, in the list too", async () => {
  const text = `مرحبا بالعالم!\n\n${"هذه رسالة طويلة ".repeat(10)}`;
  const id = await send(it.weir, provider, { ...talk, body: chat(text) });
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  /** Whether the first letter is at the right edge of what holds it. */
  const beginsRight = (element: SVGElement | HTMLElement) => {
    const range = document.createRange();
    range.setStart(document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!, 0);
    range.setEnd(range.startContainer, 1);
    return Math.abs(element.getBoundingClientRect().right - range.getBoundingClientRect().right) < 20;
  };
  const said = page.locator(".markdown p", { hasText: "مرحبا" });
  await eventually(() => said.evaluate(beginsRight)).toBe(true);
  await page.goto(`${it.weir.api}/requests`);
  const cell = page.locator(`tr[data-id="${id}"] td.cut`, { hasText: "مرحبا" });
  await eventually(() => cell.evaluate(beginsRight)).toBe(true);
});

test("a session is a timeline that leads to its requests", async () => {
  const headers = { "Gateway-Session-Id": "s-1", "Gateway-Session-Name": "A trip" };
  const first = await send(it.weir, provider, { headers: { ...headers, "Gateway-Session-Path": "/begin" } });
  const second = await send(it.weir, provider, { headers: { ...headers, "Gateway-Session-Path": "/end" } });
  await using opened = await it.open(`/requests/${second}`);
  const { page } = opened;
  const session = page.getByRole("region", { name: "Session" });
  await eventually(() => session.getByRole("listitem").first().textContent()).toContain("/begin");
  await session.getByRole("link", { name: "/begin" }).click();
  await page.waitForURL(`**/requests/${first}`);
  await page.getByRole("link", { name: "A trip" }).click();
  await page.waitForURL("**/sessions/s-1");
  await page.getByRole("heading", { name: "A trip", level: 1 }).waitFor();
});

test("a name of any length fits its page, and a response without text says so", async () => {
  const model = "m".repeat(10_000);
  using silent = startProvider(() => Response.json({ ...completion(""), model }));
  const id = await send(it.weir, silent, { ...talk, body: chat("hello", model) });
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  await page.getByText("It has no text: see the body.").waitFor();
  const { height, width } = await page.evaluate(() => ({
    height: document.querySelector("h1")!.offsetHeight,
    width: document.documentElement.scrollWidth,
  }));
  expect(height).toBeLessThan(100);
  expect(width).toBeLessThanOrEqual(1_280);
});

test("a long text is shown piece by piece", async () => {
  const id = await send(it.weir, provider, { ...talk, body: chat(`${"a".repeat(150_000)} the end`) });
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  await page.getByRole("button", { name: "Show 100,000 more of 150,008 characters" }).click();
  await page.getByRole("button", { name: "Show all 150,008 characters" }).click();
  await page.getByText("the end").waitFor();
});

test("its parts are gone through by key, which the page tells of", async () => {
  const id = await send(it.weir, provider);
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  const current = page.getByRole("navigation", { name: "Parts of the request" }).locator("[aria-current]");
  await current.getByText("Conversation").waitFor();
  await page.keyboard.press("]");
  await current.getByText("Request", { exact: true }).waitFor();
  await page.keyboard.press("[");
  await current.getByText("Conversation").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("previous part, next part").waitFor();
});

test("the list that it was opened from is gone back to, also after the page was loaded again", async () => {
  await send(it.weir, provider);
  await using opened = await it.open("/requests?range=24h&sort=cost.desc");
  const { page } = opened;
  await page.locator("tr[data-id] a").first().focus();
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Open page" }).press("Enter");
  await page.waitForURL("**/requests/*");
  await page.waitForFunction(() => document.activeElement?.id === "content");
  await page.reload();
  await page.getByRole("button", { name: "Add property" }).waitFor();
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/requests\?range=24h&sort=cost.desc$/);
});

test("a request is deleted once that is confirmed", async () => {
  const id = await send(it.weir, provider);
  await using opened = await it.open(`/requests/${id}`);
  const { page } = opened;
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete permanently" }).click();
  await page.waitForURL("**/requests");
  await page.locator("tr[data-id]").first().waitFor();
  await eventually(() => page.locator(`tr[data-id="${id}"]`).count()).toBe(0);
});

test("a request that there is not is said to be none, also another organization's", async () => {
  const id = await send(it.weir, provider);
  const made = await runCommand(it.weir.env, "keys", "create", "--name", "x", "--org", "other", "--scopes", "read");
  await using opened = await it.open(`/requests/${id}`, { key: made.stdout.trim() });
  await opened.page.getByText("There is no request with this id").waitFor();
  expect(KEY).not.toBe(made.stdout.trim());
});

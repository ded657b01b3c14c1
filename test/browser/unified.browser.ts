import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi, KEY, runCommand } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { expectCalm } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { completion, type Provider, startProvider } from "./traffic.ts";

const SECRET = "sk-planted-0123456789-wxyz";

/** A response in the form of messages. */
const MESSAGE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m-9", stop_reason: "end_turn" },
  content: [{ type: "text", text: "yes" }],
  usage: { input_tokens: 3, output_tokens: 1 },
};

let it: Dashboard;
let provider: Provider;
let reader: string;
beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((path, body) => {
    if (path.endsWith("/messages")) return Response.json(MESSAGE);
    if (!/^limited/.test(body?.model ?? "")) return Response.json({ ...completion("yes"), data: [{ id: "m-1" }] });
    const error = { message: "slow down", type: "rate_limit_error" };
    return Response.json({ error }, { status: 429, headers: { "retry-after": "300" } });
  });
  reader = (await runCommand(it.weir.env, "keys", "create", "--name", "reader", "--scopes", "read")).stdout.trim();
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

/** Sends a chat to the unified address. @returns its response. */
async function sendChat(model: string, more: object = {}): Promise<Response> {
  return fetch(`${it.weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }], ...more }),
  });
}

/** A credential that leads to the provider. */
async function keep(name: string, more: object = {}): Promise<void> {
  const body = { provider: "custom", name, api_key: SECRET, base_url: provider.origin, private: true, ...more };
  await callApi(it.weir, "/v1/credentials", { method: "POST", body: JSON.stringify(body) });
}

const dataOf = async (path: string) => ((await (await callApi(it.weir, path)).json()) as { data: unknown }).data;

test("a credential is added, tried, changed and deleted, and its secret is not shown again", async () => {
  await using opened = await it.open("/credentials");
  const { page, faults } = opened;
  await page.getByText("No credentials").waitFor();
  await page.getByRole("button", { name: "Add credential" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Provider").selectOption("CUSTOM");
  await dialog.getByLabel("Name").fill("box");
  await dialog.getByLabel("API key").fill(SECRET);
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
  await eventually(() => dialog.getByLabel("Targets").inputValue()).toBe(
    'groq/llama-3.3-70b\n{"model":"openai/gpt-5-mini","weight":1,"on":["5xx"]}',
  );
  await dialog.getByLabel("Strategy").selectOption("cheapest");
  await dialog.getByRole("button", { name: "Save route" }).click();
  await page.getByRole("cell", { name: "cheapest" }).waitFor();
  expect(await dataOf("/v1/routes/fast")).toMatchObject({ strategy: "cheapest", targets: [{}, { on: ["5xx"] }] });
  if (process.env["WEIR_TEST_PICTURES"])
    await page.screenshot({ path: `${process.env["WEIR_TEST_PICTURES"]}/routes.png` });
  await page.getByRole("button", { name: "Edit fast" }).click();
  await dialog.getByRole("button", { name: "JSON" }).click();
  const json = dialog.getByLabel("Route", { exact: true });
  await eventually(async () => JSON.parse(await json.inputValue())).toMatchObject({
    strategy: "cheapest",
    sticky: "session",
    retries: 0,
  });
  await json.fill("{");
  await dialog.getByRole("button", { name: "Save route" }).click();
  await dialog.getByText("this is not JSON").waitFor();
  await json.fill('{"targets":["groq/x"],"strategy":"best"}');
  await dialog.getByRole("button", { name: "Save route" }).click();
  await dialog.getByText("give one of order, weighted").waitFor();
  await json.fill('{"targets":["groq/x"],"strategy":"fastest"}');
  await dialog.getByRole("button", { name: "Form" }).click();
  await eventually(() => dialog.getByLabel("Strategy").inputValue()).toBe("fastest");
  await dialog.getByRole("button", { name: "Save route" }).click();
  await page.getByRole("cell", { name: "fastest" }).waitFor();
  await page.getByRole("button", { name: "Delete fast" }).click();
  await dialog.getByRole("button", { name: "Delete route" }).click();
  await page.getByText("No routes").waitFor();
  expect(faults).toEqual([]);
});

test("a credential that rests says until when and why, and its route is explained", async () => {
  await keep("tired", { limit: "600;w=60" });
  await callApi(it.weir, "/v1/routes/two", {
    method: "PUT",
    body: JSON.stringify({ targets: ["custom:tired/limited", "custom:tired/m-1"] }),
  });
  expect((await sendChat("two")).headers.get("gateway-attempts")).toBe("2");
  await using opened = await it.open("/credentials");
  const { page, faults } = opened;
  const row = page.getByRole("row", { name: /^tired/ });
  await row.getByText(/resting until/).waitFor();
  await row.getByText("limited: 429").waitFor();
  await row.getByText("600 requests in a minute").waitFor();
  await page.getByRole("link", { name: "Routes" }).click();
  await page.getByRole("button", { name: "Health" }).click();
  await page.getByRole("row", { name: /^tired resting until .* CUSTOM limited/ }).waitFor();
  await page.getByRole("button", { name: "Routes", exact: true }).click();
  await page.getByRole("link", { name: "Explain two" }).click();
  const targets = page.getByRole("region", { name: "Explanation" }).getByRole("listitem");
  await targets.first().getByText("Skipped: it rests").waitFor();
  await targets.nth(1).getByText("ready", { exact: true }).waitFor();
  await page.getByLabel("Client's API").selectOption("Messages");
  await page.getByLabel("Body").fill('{"max_tokens": 5, "top_k": 3, "messages": [{"role": "user", "content": "hi"}]}');
  await page.locator("form").getByRole("button", { name: "Explain" }).click();
  await targets.nth(1).getByText("chat-completions, translated").waitFor();
  await targets.nth(1).getByText("top_k", { exact: true }).waitFor();
  await targets.nth(1).getByText("The provider's request").click();
  await targets.nth(1).getByText('"max_tokens": 5').waitFor();
  await page.getByLabel("Model").fill("custom:tired/m-2");
  await page.locator("form").getByRole("button", { name: "Explain" }).click();
  await page.waitForURL(/m-2/);
  await targets.first().getByText("The provider's request").click();
  await targets.first().getByText('"model": "m-2"').waitFor();
  await page.getByLabel("Model").fill("no-such-model");
  await page.locator("form").getByRole("button", { name: "Explain" }).click();
  await page
    .getByRole("alert")
    .getByText(/no-such-model/)
    .waitFor();
  expect(faults).toEqual([]);
});

test("a request that fell over and was translated shows both sides, its attempts, the reason and what was lost", async () => {
  await keep("speaks-messages", { shape: "messages" });
  await callApi(it.weir, "/v1/routes/over", {
    method: "PUT",
    body: JSON.stringify({ targets: ["custom:tired/limited-too", "custom:speaks-messages/m-9"] }),
  });
  const id = (await sendChat("over", { seed: 5 })).headers.get("gateway-id")!;
  await using opened = await it.open(`/requests/${id}`);
  const { page, faults } = opened;
  const routing = page.getByRole("region", { name: "Routing" });
  await routing.getByText(/^fallback from .*limited-too: 429$/).waitFor();
  await routing.getByText("translated from OpenAI's chat").waitFor();
  await routing.getByRole("list", { name: "Warnings" }).getByText("dropped seed").waitFor();
  const attempts = routing.getByRole("list", { name: "Attempts" }).getByRole("listitem");
  await attempts.nth(1).waitFor();
  await eventually(() => attempts.allTextContents()).toEqual([
    "Attempt 1429CUSTOM limited-too · tired: slow down",
    expect.stringMatching(/^As the client saw it\d+.*CUSTOM m-9 · speaks-messages/),
  ]);
  await page.getByRole("link", { name: "Request", exact: true }).click();
  const seed = page.getByRole("treeitem", { name: '"seed":' });
  await seed.waitFor();
  await page.getByRole("button", { name: "Sent to the provider" }).click();
  await page.getByRole("region", { name: "provider's request body" }).getByText('"m-9"').waitFor();
  await eventually(() => seed.count()).toBe(0);
  await page.getByRole("link", { name: "Response", exact: true }).click();
  await page.getByRole("button", { name: "Sent by the provider" }).click();
  await page.getByRole("region", { name: "provider's response body" }).waitFor();
  await routing.getByRole("link", { name: "Attempt 1" }).click();
  await page.getByText("The provider responded with an error. Slow down.").waitFor();
  expect(faults).toEqual([]);
});

test.each([
  ["/credentials", "Credentials"],
  ["/routes", "Routes"],
  ["/routes?tab=health", "Routes"],
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
])("a read-only key cannot use the button of %s, and the page says why", async (path, label) => {
  await using opened = await it.open(path, { key: reader });
  const button = opened.page.getByRole("button", { name: new RegExp(`^${label}`) });
  await button.waitFor();
  await eventually(() => button.getAttribute("aria-disabled")).toBe("true");
  await eventually(() => button.getAttribute("title")).toContain("scope admin");
});

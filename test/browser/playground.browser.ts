import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, gatewayHeaders, KEY, recordOf, runCommand } from "../e2e/weir.ts";
import { eventually } from "../eventually.ts";
import { expectCalm } from "./calm.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { completion, type Provider, startProvider } from "./traffic.ts";
import { HOSTILE } from "./world.ts";

let it: Dashboard;
let provider: Provider;
/** The bodies that the provider got. */
const received: Json[] = [];
/** Lets a stream go on. */
let goOn = Promise.withResolvers<void>();

beforeAll(async () => {
  it = await openDashboard();
  provider = startProvider((path, body) => {
    if (path.endsWith("/models")) return Response.json({ data: [{ id: "m-1" }] });
    if (path.endsWith(":generateContent"))
      return Response.json({ candidates: [{ content: { role: "model", parts: [{ text: "Nine metres." }] } }] });
    received.push(body);
    if (body.model === "broken") return Response.json({ error: { message: "overloaded" } }, { status: 503 });
    return body.stream ? streamed(body.model) : Response.json({ ...completion(`whole ${HOSTILE}`), model: body.model });
  });
  const credential = {
    provider: "custom",
    name: "box",
    api_key: "secret-of-box",
    base_url: provider.origin,
    private: true,
  };
  await callApi(it.weir, "/v1/credentials", { method: "POST", body: JSON.stringify(credential) });
});
afterAll(async () => {
  provider[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

/** Says half a sentence, and the rest once it may. */
function streamed(model: string): Response {
  const chunk = (choice: object, more: object = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model, choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  async function* events() {
    yield chunk({ delta: { role: "assistant", content: "Nine " } });
    await goOn.promise;
    yield chunk({ delta: { content: "**metres**." } });
    yield chunk(
      { delta: {}, finish_reason: "stop" },
      { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } },
    );
    yield "data: [DONE]\n\n";
  }
  return new Response(events as never, { headers: { "content-type": "text/event-stream" } });
}

const responseOf = (page: Page, model: string) => page.getByRole("region", { name: `Response of ${model}` });
const messageAt = (page: Page, at: number) => page.getByRole("textbox", { name: `Message ${at}`, exact: true });

test("a prompt is sent to two models by keyboard alone, and both responses are shown side by side as they arrive", async () => {
  goOn = Promise.withResolvers();
  await using opened = await it.open("/playground");
  const { page, faults } = opened;
  await page.locator('option[value="custom/m-1"]').waitFor({ state: "attached" });
  await page.getByRole("combobox", { name: "Model", exact: true }).focus();
  await page.keyboard.type("custom/m-1");
  await page.getByRole("button", { name: "Compare with another" }).press("Enter");
  await page.getByRole("combobox", { name: "Model 2" }).focus();
  await page.keyboard.type("custom/broken");
  await messageAt(page, 1).focus();
  await page.keyboard.type("Be brief.");
  await messageAt(page, 2).focus();
  await page.keyboard.type("How deep is it?");
  await page.keyboard.press("Control+Enter");
  const first = responseOf(page, "custom/m-1");
  await first.getByText("Nine", { exact: true }).waitFor();
  await first.getByText("responding").waitFor();
  goOn.resolve();
  await first.getByText("Nine metres.").waitFor();
  await first.getByText("7 in, 3 out").waitFor();
  await first.locator("strong").getByText("metres", { exact: true }).waitFor(); // complete, it is shown as Markdown
  await first.getByText("CUSTOM m-1 · box · ended with stop").waitFor();
  const second = responseOf(page, "custom/broken");
  await second.getByRole("alert").getByText("CUSTOM responded with 503: overloaded").waitFor();
  await first.getByText("Sent to the provider").click();
  await first.getByText('"content": "How deep is it?"').waitFor();
  await first.getByRole("link", { name: "Record" }).click();
  await page.waitForURL(/requests/);
  const id = page.url().split("/").at(-1)!;
  expect(await recordOf(it.weir, id)).toMatchObject({ properties: { Playground: "yes" }, credential: "box" });
  await page.goBack();
  await first.getByText("Nine metres.").waitFor();
  await eventually(() => messageAt(page, 2).inputValue()).toBe("How deep is it?");
  expect(faults).toEqual([]);
});

test("a response that comes in can be stopped, and its prompt be used again", async () => {
  goOn = Promise.withResolvers();
  await using opened = await it.open("/playground?model=custom/m-2");
  const { page } = opened;
  await eventually(() => page.getByRole("combobox", { name: "Model", exact: true }).inputValue()).toBe("custom/m-2");
  await messageAt(page, 2).fill("wait");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const card = responseOf(page, "custom/m-2");
  await card.getByText("Nine").waitFor();
  await card.getByRole("button", { name: "Stop" }).click();
  await card.getByText("stopped").waitFor();
  goOn.resolve();
  await messageAt(page, 2).fill("something else");
  await page.getByRole("button", { name: "Use this prompt" }).click();
  await eventually(() => messageAt(page, 2).inputValue()).toBe("wait");
});

test("a recorded request is taken over with its settings and tools, and sent to another model", async () => {
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
  const messages = [
    { role: "user", content: "deep?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: HOSTILE },
  ];
  const sent = { model: "custom/m-3", temperature: 0.5, logit_bias: { 5: 1 }, tools, messages };
  const response = await fetch(`${it.weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(sent),
  });
  await using opened = await it.open(`/requests/${response.headers.get("gateway-id")}`);
  const { page, faults } = opened;
  await page.getByRole("link", { name: "Try again with…" }).click();
  await page.getByRole("heading", { name: "The recorded request" }).waitFor();
  await responseOf(page, "custom/m-3").getByText(HOSTILE).waitFor();
  await eventually(() => page.getByLabel("Temperature").inputValue()).toBe("0.5");
  await page.getByRole("combobox", { name: "Model", exact: true }).fill("custom/m-4");
  await page.getByRole("button", { name: "JSON" }).click();
  await eventually(async () => JSON.parse(await page.getByLabel("Body").inputValue())).toEqual({
    ...sent,
    model: undefined,
  });
  await page.getByRole("button", { name: "Form" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await responseOf(page, "custom/m-4").getByText("done").waitFor();
  expect(received.at(-1)).toEqual({ ...sent, model: "m-4" });
  expect(faults).toEqual([]);
});

test("a request of another format is taken over as chat, at the provider that it went to", async () => {
  const response = await fetch(`${it.weir.gateway}/v1beta/models/gemini-2.5-flash:generateContent`, {
    method: "POST",
    headers: {
      ...gatewayHeaders(provider.origin, { "Gateway-Target-Provider": "GOOGLE" }),
      "content-type": "application/json",
    },
    body: JSON.stringify({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "How deep?" }] }],
      generationConfig: { temperature: 0.25 },
    }),
  });
  await response.arrayBuffer();
  await recordOf(it.weir, response.headers.get("gateway-id")!);
  await using opened = await it.open(`/playground?from=${response.headers.get("gateway-id")}`);
  const { page, faults } = opened;
  await responseOf(page, "google/gemini-2.5-flash").getByText("Nine metres.").waitFor();
  await eventually(() => page.getByRole("combobox", { name: "Model", exact: true }).inputValue()).toBe(
    "google/gemini-2.5-flash",
  );
  await eventually(() => messageAt(page, 1).inputValue()).toBe("Be brief.");
  await eventually(() => messageAt(page, 2).inputValue()).toBe("How deep?");
  await eventually(() => page.getByLabel("Temperature").inputValue()).toBe("0.25");
  expect(faults).toEqual([]);
});

test("what cannot be sent is said at its field, and what is refused in plain words with the way to fix it", async () => {
  await using opened = await it.open("/playground");
  const { page } = opened;
  await page.getByRole("combobox", { name: "Model", exact: true }).fill("openai/gpt-5-mini");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("alert").getByText("write a message").waitFor();
  await messageAt(page, 2).fill("hello");
  await page.getByText("Tools", { exact: true }).click();
  await page.getByLabel("Tools, as JSON").fill("{");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("alert").getByText("this is not JSON").waitFor();
  await page.getByLabel("Tools, as JSON").fill("");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const failure = responseOf(page, "openai/gpt-5-mini").getByRole("alert");
  await failure.getByText("Store a key of that provider").waitFor();
  await failure.getByRole("link", { name: "Credentials" }).click();
  await page.waitForURL("**/credentials");
});

test("a key that may not send requests is refused with the reason", async () => {
  const key = (await runCommand(it.weir.env, "keys", "create", "--name", "reader", "--scopes", "read")).stdout.trim();
  await using opened = await it.open("/playground", { key });
  await opened.page.getByText("This key cannot send requests").waitFor();
});

test("the playground has no serious finding, and fits a narrow screen", () =>
  expectCalm(it, "/playground", async (page) => {
    await page.getByRole("combobox", { name: "Model", exact: true }).fill("custom/m-5");
    await messageAt(page, 2).fill(HOSTILE);
    await page.getByLabel("Stream").uncheck();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await responseOf(page, "custom/m-5").getByText("done").waitFor();
    await responseOf(page, "custom/m-5").getByText("Sent to the provider").click();
  }));

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { callApi, gatewayHeaders, ROOT, recordOf, startWeir, until, type Weir } from "../e2e/weir.ts";

const page = readFileSync(join(ROOT, "docs/plugins.md"), "utf8");
const recipes = page.split(/^## /m).find((section) => section.startsWith("Recipes"))!;
const blocks = (language: string) =>
  [...recipes.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block]) => block!);

/** Is in what the stand-in says. */
const WORD = "at night";

let folder: string;
let upstream: Upstream;
let weir: Weir;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-recipes-"));
  mkdirSync(join(folder, "plugins"));
  mkdirSync(join(folder, "providers"));
  for (const text of blocks("ts")) writeFileSync(join(folder, "plugins", `${/name: "(.*?)"/.exec(text)![1]}.ts`), text);
  upstream = await startUpstream();
  const host = new URL(upstream.origin).hostname;
  const provider = `export default { apiVersion: 1, name: "ECHO", extends: "OPENAI", hosts: ["${host}"], cost: () => 0.5 };`;
  writeFileSync(join(folder, "providers", "echo.ts"), provider);
  writeFileSync(join(folder, "weir.toml"), blocks("toml")[0]!.replace("guaranteed profit", WORD));
  weir = await startWeir({ dataDirectory: folder });
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(model: string, content = "hi", path = "/echo") {
  const response = await fetch(weir.gateway + path, {
    method: "POST",
    headers: { ...gatewayHeaders(upstream.origin), "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
  });
  const json = (await response.json()) as { error?: { code: string }; messages?: { content: string }[] };
  return { status: response.status, json, id: response.headers.get("gateway-id")! };
}

test("four plugins of the page load and check", () => {
  expect(blocks("ts").map((text) => /name: "(.*?)"/.exec(text)![1])).toEqual([
    "allowed-models",
    "spend-by-model",
    "answer-watch",
    "customer-guard",
  ]);
});

test("the list of models lets through what is on it", async () => {
  expect((await ask("m-1")).status).toBe(200);
  const refused = await ask("m-9");
  expect([refused.status, refused.json.error?.code]).toEqual([403, "model_not_allowed"]);
  expect(await recordOf(weir, refused.id)).toMatchObject({ response_status: 403, request_body: { model: "m-9" } });
});

test("the guard masks what goes out, and the record keeps both", async () => {
  const { json, id } = await ask("m-1", "about Acme Corp");
  expect(json.messages?.[0]?.content).toBe("about [customer]");
  expect((await recordOf(weir, id)).request_body).toMatchObject({ messages: [{ content: "about Acme Corp" }] });
  const sent = await callApi(weir, `/v1/request/${id}/body?part=provider_request`);
  expect(await sent.json()).toMatchObject({ data: { messages: [{ content: "about [customer]" }] } });
});

test("the watch marks what a model said, and refuses a user after the third time", async () => {
  const say = (content: string) =>
    fetch(`${weir.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: gatewayHeaders(upstream.origin, { "Gateway-User-Id": "ann", "content-type": "application/json" }),
      body: JSON.stringify({ model: "m-1", messages: [{ role: "user", content }] }),
    });
  const first = await say("hi");
  const text = (await first.json()).choices[0].message.content as string;
  expect(text.toLowerCase()).toContain(WORD);
  const id = first.headers.get("gateway-id")!;
  await until(async () => (await recordOf(weir, id))["properties"]["Flagged"] === WORD, 180_000);
  expect((await recordOf(weir, id))["scores"]).toEqual({ flagged: 1 });
  for (let more = 0; more < 2; more++) expect((await say("hi")).status).toBe(200);
  let last: Response | undefined;
  await until(async () => {
    last = await say("hi");
    return last.status === 403;
  }, 300_000);
  expect((await last!.json()).error.code).toBe("answers_flagged");
});

test("the limit by model holds once its first request is priced, and no other model is hurt", async () => {
  const chat = () => ask("m-2", "hi", "/v1/chat/completions");
  expect((await chat()).status).toBe(200);
  let last: Awaited<ReturnType<typeof chat>> | undefined;
  await until(async () => {
    last = await chat();
    return last.status === 429;
  });
  expect(last!.json.error?.code).toBe("model_budget_spent");
  expect((await ask("m-1")).status).toBe(200);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, gatewayHeaders, recordOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

/** A provider with an unknown format: JSON, or server-sent events where the request says `live`. */
let server: Server;
let target: string;
let weir: Weir;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const body = JSON.parse(text);
      const said = body.turns.at(-1).utterance;
      const words = `You said: ${said}, and it was heard.`;
      const billing = { in: said.length, out: words.length };
      if (body.live !== true) {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ ref: "r-1", reply: { utterance: words }, billing }));
        return;
      }
      response.setHeader("content-type", "text/event-stream");
      const events = [...words.split(/(?<= )/).map((bit) => ({ kind: "say", bit })), { kind: "close", billing }];
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  weir = await startWeir();
});

afterAll(async () => {
  await weir.stop();
  server.close();
});

async function talk(model: string, utterance: string, live = false, more = {}): Promise<string> {
  const response = await fetch(`${weir.gateway}/say`, {
    method: "POST",
    headers: { ...gatewayHeaders(target), "content-type": "application/json", ...more },
    body: JSON.stringify({ model, live, turns: [{ speaker: "customer", utterance }] }),
  });
  await response.text();
  return response.headers.get("gateway-id")!;
}

const models = async () => (await (await callApi(weir, "/v1/models")).json()).data;
const post = async (path: string) => (await callApi(weir, path, { method: "POST" })).json();
const put = (path: string, body: unknown) => callApi(weir, path, { method: "PUT", body: JSON.stringify(body) });

test("an unknown model is pending, is mapped on request, and earlier records are read", async () => {
  const ids = [
    await talk("zeta", "good morning"),
    await talk("zeta", "how far is the moon"),
    await talk("zeta", "thank you"),
  ];
  const streamed = [await talk("zeta", "sing a song", true), await talk("zeta", "and a second one please", true)];
  const before = await recordOf(weir, ids[0]!);
  expect([before["llmSchema"], before["prompt_tokens"]]).toEqual([null, null]);
  expect(await models()).toMatchObject([
    { provider: "CUSTOM", model: "zeta", state: "pending", count: 5, reason: null },
  ]);

  expect(await post("/v1/models/zeta/expedite")).toMatchObject({
    data: [{ provider: "CUSTOM", model: "zeta", state: "mapped", version: 1, samples: 5 }],
    error: null,
  });
  expect(await models()).toMatchObject([{ model: "zeta", state: "mapped" }]);
  const after = await recordOf(weir, ids[0]!);
  expect(after).toMatchObject({ prompt_tokens: 12, model: "zeta" });
  expect(after["llmSchema"].request.messages).toMatchObject([{ role: "user", content: "good morning" }]);
  expect(after["llmSchema"].response.messages).toMatchObject([
    { role: "assistant", content: "You said: good morning, and it was heard." },
  ]);
  const stream = await recordOf(weir, streamed[0]!);
  expect(stream).toMatchObject({
    prompt_tokens: 11,
    response_body: { reply: { utterance: "You said: sing a song, and it was heard." } },
  });
  expect(stream["llmSchema"].response.messages[0].content).toBe("You said: sing a song, and it was heard.");

  const later = await recordOf(weir, await talk("zeta", "and now"));
  expect(later).toMatchObject({ prompt_tokens: 7, total_tokens: 7 + "You said: and now, and it was heard.".length });
  const found = await callApi(weir, "/v1/request/query", {
    method: "POST",
    body: JSON.stringify({ filter: { request_response_rmt: { response_body: { contains: "moon" } } } }),
  });
  expect((await found.json()).data.length).toBe(1);
});

test("a mapping can be read, edited, approved and rolled back", async () => {
  const mapping = (await (await callApi(weir, "/v1/models/zeta/mapping")).json()).data;
  expect(mapping).toMatchObject({ version: 1, state: "active", origin: "inferred", mapping: { format: 1 } });
  expect(await post("/v1/models/zeta/approve")).toMatchObject({ data: { version: 1, state: "approved" } });

  const edited = structuredClone(mapping.mapping);
  edited.response.usage = { prompt_tokens: "/billing/out" };
  expect((await put("/v1/models/zeta/mapping", { ...edited, surprise: 1 })).status).toBe(400);
  expect(await (await put("/v1/models/zeta/mapping", edited)).json()).toMatchObject({
    data: { version: 2, state: "approved", origin: "edited" },
  });
  const id = await talk("zeta", "x");
  const words = "You said: x, and it was heard.".length;
  await until(
    async () => (await recordOf(weir, id))["prompt_tokens"] === words,
    180_000,
    () => "the edited mapping is not in force",
  );

  expect(await post("/v1/models/zeta/rollback")).toMatchObject({ data: { version: 1, state: "approved" } });
  await until(
    async () => (await recordOf(weir, id))["prompt_tokens"] === 1,
    180_000,
    () => "the mapping is not back",
  );
  expect(await post("/v1/models/zeta/rollback")).toMatchObject({ data: { state: "rolled back" } });
  await until(
    async () => (await recordOf(weir, id))["llmSchema"] === null,
    180_000,
    () => "the record is still mapped",
  );
  expect(await models()).toMatchObject([{ model: "zeta", state: "pending", reason: "its mapping was rolled back" }]);
});

test("the command line lists, shows and maps while the service runs", async () => {
  const listed = await runCommand(weir.env, "models", "list", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject([{ model: "zeta", state: "pending" }]);
  const expedited = await runCommand(weir.env, "models", "expedite", "zeta");
  expect(expedited).toMatchObject({ status: 0, stdout: "CUSTOM zeta: mapped\n" });
  const shown = JSON.parse((await runCommand(weir.env, "models", "show", "zeta")).stdout);
  expect(shown).toMatchObject({ state: "mapped", mapping: { state: "active" } });
  expect((await runCommand(weir.env, "models", "expedite", "nobody")).status).toBe(1);
});

test("a model that cannot be inferred stays pending with the reason, and unknown ones are 404", async () => {
  const response = await fetch(`${weir.gateway}/odd`, {
    method: "POST",
    headers: { ...gatewayHeaders(target), "content-type": "application/json" },
    body: JSON.stringify({ model: "odd", turns: [{ utterance: 4 }] }),
  });
  await response.text();
  await recordOf(weir, response.headers.get("gateway-id")!);
  const [outcome] = (await post("/v1/models/odd/expedite")).data;
  expect(outcome.state).toBe("pending");
  expect(outcome.reason).toMatch(/found in the requests/);
  expect((await callApi(weir, "/v1/models/nobody/expedite", { method: "POST" })).status).toBe(404);
  expect((await callApi(weir, "/v1/models/odd/mapping")).status).toBe(404);
});

test("a provider with a mapping of its own is read from its first record on, and found by its words", async () => {
  const mapping = {
    format: 1,
    request: { messages: { list: "/turns/*", role: "/speaker", text: "/utterance", roles: { customer: "user" } } },
    response: { text: "/reply/utterance", usage: { prompt_tokens: "/billing/in", completion_tokens: "/billing/out" } },
    stream: {
      text: { path: "/bit", mode: "append" },
      usage: { prompt_tokens: "/billing/in", completion_tokens: "/billing/out" },
    },
  };
  const file = `export default { apiVersion: 1, name: "ACME", mapping: ${JSON.stringify(mapping)} };`;
  mkdirSync(join(weir.dataDirectory, "providers"), { recursive: true });
  writeFileSync(join(weir.dataDirectory, "providers/acme.ts"), file);
  const acme = { "Gateway-Target-Provider": "acme" };
  // Each thread takes the file up by itself: the gateway names the provider, and the recorder reads with it.
  await until(
    async () => (await recordOf(weir, await talk("theta", "is it there", false, acme)))["prompt_tokens"] !== null,
  );
  const words = "You said: tell of heliotropes, and it was heard.";
  for (const live of [false, true]) {
    const record = await recordOf(weir, await talk("theta", "tell of heliotropes", live, acme));
    expect(record).toMatchObject({
      provider: "ACME",
      model: "theta",
      prompt_tokens: 19,
      completion_tokens: words.length,
    });
    expect(record["llmSchema"].request.messages).toMatchObject([{ role: "user", content: "tell of heliotropes" }]);
    expect(record["llmSchema"].response.messages).toMatchObject([{ role: "assistant", content: words }]);
  }
  expect((await models()).find(({ provider }: Json) => provider === "ACME")).toMatchObject({ state: "mapped" });
  const found = await callApi(weir, "/v1/request/query", {
    method: "POST",
    body: JSON.stringify({ filter: "all", search: '"tell of heliotropes"' }),
  });
  expect((await found.json()).data.length).toBe(2);
});
